"""Expectation and maximisation for raters who err by a table of chances, down to rounding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats
from consilience.core.draws import RandomStream
from consilience.latent.votes import DrawOrder, Votes

# ---- the end of a search
# Expectation-maximisation stops where the likelihood hardly rises any more. That is near a
# stationary point, not at it, and where it stops depends on the last digits of the processor.
# Here a step that leaves only the stationary point where it is, is repeated with Anderson's
# (1965) acceleration until nothing is left of it but rounding: no matrix is made, so it serves
# crowds too.
#
# Walker, H. F. & Ni, P. (2011). Anderson acceleration for fixed-point iterations. SIAM Journal on
# Numerical Analysis 49, 1715-1735.

_MEMORY, _LESS_MEMORY = 30, 12  # differences of steps that are combined; of many coordinates
_MANY = 500
_MOST_STEPS = 400
_LONGEST = 1.0  # change of any coordinate in one step
_EXACT = 1e-15
# A step below the first is rounding once so many further steps have failed to halve it.
_ROUNDING = ((1e-13, 4), (1e-11, 20))
_HOPELESS = 100  # steps without any progress
_SMALL = -11.5  # logarithm of a share below which it may be on its way to 0
_SLIGHT = -3.0  # the same, where the steps do not settle
_DRIFT = 1e-7  # relative change in a step from which on it is on its way
_NEXT_TO_0 = -230.0  # logarithm of what stands for 0 while its derivative is asked for
_DEEPEST = 50.0  # fall of a logarithm in one step, where the parameter becomes 0 at once
_MOST_ROUNDS = 50

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class End:
    """Where the steps ended: the place, its step, and whether the step is mere rounding."""

    x: Floats
    step: Floats
    settled: bool

    @property
    def size(self) -> float:
        """The largest part of the step."""
        return _size(self.step)


def rest(advance: Callable[[Floats], Floats], logs: Floats, first: int = 0) -> Floats | None:
    """Return the fixed point of advance(logs) near the logarithms of some parameters, if any.

    What is 0 stays 0. A parameter that shrinks towards 0 is put there; it is taken back if the
    step, seen from next to 0, leads away from it (the condition of Karush, Kuhn and Tucker).
    Parameters before the first are no logarithms of shares, and never put to 0.
    """
    logs = logs.copy()
    alive = np.isfinite(logs)
    gone = np.zeros_like(alive)
    kept = np.arange(logs.size) < first
    for _ in range(_MOST_ROUNDS):
        free = alive & ~gone

        def moved(x: Floats, free: Flags = free) -> Floats:
            logs[free] = x
            return np.maximum(advance(logs)[free], x - _DEEPEST)

        def shrinks(x: Floats, step: Floats, may: Flags = ~kept[free]) -> Flags:
            return may & (x < _SMALL) & (step < -_DRIFT)

        end = settle(moved, logs[free], shrinks)
        logs[free] = end.x
        leaving = np.zeros_like(gone)
        leaving[free] = shrinks(end.x, end.step)
        if not (end.settled or leaving.any()):  # some shrink too slowly to come near 0
            leaving[free] = ~kept[free] & (end.x < _SLIGHT) & (end.step < -_DRIFT)
        if leaving.any():
            gone |= leaving
            logs[leaving] = _NEXT_TO_0
            continue
        back = np.zeros_like(gone)
        if gone.any():
            back[gone] = advance(logs)[gone] - _NEXT_TO_0 > _DRIFT
        if not back.any():
            break
        kept |= back
        gone &= ~back
        logs[back] = _SMALL
    logs[gone] = -np.inf
    return logs if end.settled else None


def settle(
    advance: Callable[[Floats], Floats],
    x: Floats,
    halts: Callable[[Floats, Floats], Flags] | None = None,
) -> End:
    """Repeat x → advance(x), accelerated, until it stands still or something halts it."""
    place, step = x, advance(x) - x
    best = End(place, step, False)
    past = _Past(_MEMORY if x.size <= _MANY else _LESS_MEMORY, x.size)
    waited = 0
    for _ in range(_MOST_STEPS):
        if halts is not None and halts(place, step).any():
            return End(place, step, False)
        size, least = _size(step), _size(best.step)
        if size < least:
            waited = 0 if size < 0.5 * least else waited + 1
            best = End(place, step, False)
        else:
            waited += 1
        least = _size(best.step)
        if least <= _EXACT or any(least < most and waited >= n for most, n in _ROUNDING):
            return End(best.x, best.step, True)
        if waited > _HOPELESS:
            break
        if size > 2.0 * least and past.known and waited > 2:  # led astray: begin anew there
            place, step = best.x, best.step
            past.known = 0
        new = place + _clipped(past.combined(step))
        there = advance(new) - new
        past.add(new - place, there - step)
        place, step = new, there
    return best


def _size(step: Floats) -> float:
    return float(np.abs(step).max(initial=0.0))


def _clipped(move: Floats) -> Floats:
    return move * min(1.0, _LONGEST / max(_size(move), 1e-300))


class _Past:
    """How steps changed along the last few moves, the oldest of which give way."""

    def __init__(self, most: int, size: int) -> None:
        self.most, self.known = most, 0
        self.moves = np.empty((most, size))
        self.turns = np.empty((most + 1, size))  # of length 1; and room for the step
        self.scale = np.empty(most)

    def add(self, move: Floats, turn: Floats) -> None:
        """Remember how the step turned along a move."""
        k = self.known % self.most
        self.known += 1
        self.scale[k] = max(float(np.sqrt((turn * turn).sum())), 1e-300)
        np.divide(turn, self.scale[k], out=self.turns[k])
        self.moves[k] = move / self.scale[k]

    def combined(self, step: Floats) -> Floats:
        """Return the step that would be none if steps changed along the line as they did so far."""
        n = min(self.known, self.most)
        if not n:
            return step
        self.turns[n] = step
        # The triangle of the turns and, beside it, the step seen along their axes.
        parts: Floats = np.asarray(np.linalg.qr(self.turns[: n + 1].T, mode="r"))
        rank = min(n, step.size)
        share = np.linalg.lstsq(parts[:rank, :n], parts[:rank, -1], rcond=1e-12)[0]
        return np.asarray(step - share @ self.moves[:n] - share @ self.turns[:n])


# ---- expectation and maximisation
# Dawid & Skene's model, its one-coin form, latent classes and MACE differ only in what they make of
# the expected counts: how often rater g gave label l to items of class j.

_IMPOSSIBLE = -1e5  # stands for the logarithm of 0: its exponential is 0, and sums stay finite
_CELLS_AT_ONCE = 2_000_000
_LOST = 1e-12  # of the objective: rounding, not another place
_NOISE = 8.0 * np.finfo(np.float64).eps  # relative rounding of a sum of log-likelihoods


@dataclass(frozen=True)
class Step:
    """What maximisation gives back; `log_prior` is what priors add to the objective."""

    share_j: Floats  # how common each class is
    rate_cj: Floats  # chance of each (rater · label) in each class
    log_prior: float = 0.0

    @property
    def logs(self) -> tuple[Floats, Floats]:
        """The logarithms of the shares and of the rates."""
        return logarithm(self.share_j), logarithm(self.rate_cj)


@dataclass(frozen=True)
class ClassFit:
    """Where the iteration ended."""

    step: Step
    posterior: Floats  # rows × classes
    log_likelihood: float
    history: Floats  # the objective after each iteration; never falls
    converged: bool

    @property
    def objective(self) -> float:
        """The value that was maximised."""
        return float(self.history[-1])


class Maximise(Protocol):
    """Maximisation; and its parameters as logarithms in one row, -inf for 0."""

    def __call__(self, count_cj: Floats, total_j: Floats, /) -> Step:
        """Make parameters of expected counts (rater · label × classes) and class totals."""

    def logs(self, step: Step, /) -> Floats:
        """Return the logarithms of the parameters that made the step."""

    def step_at(self, logs: Floats, /) -> Step:
        """Return the step that parameters make; what adds up to 1 need not do so yet."""


# Logarithms of shares and rates → expected counts, class totals and log-likelihood.
Pass = Callable[[Floats, Floats], tuple[Floats, Floats, float]]


def logarithm(values: Floats) -> Floats:
    """Return the logarithm, finite for 0."""
    out = np.full(np.shape(values), _IMPOSSIBLE)
    np.log(values, out=out, where=values > 0.0)
    return out


def expect(votes: Votes, log_share_j: Floats, log_rate_cj: Floats) -> tuple[Any, float]:
    """Return the posterior of each row (Dawid & Skene 1979) and the log-likelihood."""
    posterior, value_i = expect_rows(votes, log_share_j, log_rate_cj)
    return posterior, float(value_i @ votes.multiplicity)


def expect_rows(votes: Votes, log_share_j: Floats, log_rate_cj: Floats) -> tuple[Floats, Floats]:
    """Return the posterior and the log-likelihood of each row."""
    # Classes in rows: every step then runs along the long axis.
    joint = np.ascontiguousarray(np.asarray(votes.counts @ log_rate_cj).T)
    joint += log_share_j[:, None]
    top = joint.max(axis=0)
    joint -= top
    np.exp(joint, out=joint)
    total = joint.sum(axis=0)
    joint /= total
    np.log(total, out=total)
    total += top
    return np.ascontiguousarray(joint.T), total


def expected_counts(votes: Votes, posterior: Floats) -> tuple[Floats, Floats]:
    """Return expected counts of (rater · label) by class, and of items by class."""
    weighted = posterior if votes.is_plain else posterior * votes.multiplicity[:, None]
    return np.asarray(votes.counts.T @ weighted), np.ones(votes.n_rows) @ weighted


def expected_ratings(votes: Votes, posterior: Floats) -> Floats:
    """Return how many ratings each rater gave to items of each class."""
    return np.asarray(votes.tables(expected_counts(votes, posterior)[0]).sum(axis=2))


def iterate(
    votes: Votes, posterior: Floats, maximise: Maximise, *, tolerance: float, max_iterations: int
) -> ClassFit:
    """Alternate maximisation and expectation until the objective stands still."""
    history: list[float] = []
    before: tuple[Floats, float] | None = None
    while True:
        step = maximise(*expected_counts(votes, posterior))
        posterior, value_i = expect_rows(votes, *step.logs)
        value = float(value_i @ votes.multiplicity)
        history.append(value + step.log_prior)
        converged = False
        if before is not None:
            # Row by row: the difference of two large sums would hang on how they are rounded.
            gain = float((value_i - before[0]) @ votes.multiplicity) + step.log_prior - before[1]
            converged = stands_still(gain, history[-1], tolerance)
        before = value_i, step.log_prior
        if converged or len(history) >= max_iterations:
            return ClassFit(step, posterior, value, np.array(history), converged)


def at_rest(votes: Votes, fit: ClassFit, maximise: Maximise) -> ClassFit:
    """Go on from where the iteration stood still to the stationary point itself."""

    def passed(log_share_j: Floats, log_rate_cj: Floats) -> tuple[Floats, Floats, float]:
        posterior, value = expect(votes, log_share_j, log_rate_cj)
        return *expected_counts(votes, posterior), value

    found = rested(passed, fit, maximise)
    return replace(found, posterior=expect(votes, *found.step.logs)[0])


def rested(passed: Pass, fit: ClassFit, maximise: Maximise) -> ClassFit:
    """Return the fit with the parameters that maximisation leaves as they are."""
    if not fit.converged:
        return fit

    def pass_at(logs: Floats) -> tuple[Step, Step, float]:
        step = maximise.step_at(logs)
        counts, totals, value = passed(*step.logs)
        return step, maximise(counts, totals), value

    def advance(logs: Floats) -> Floats:
        step = pass_at(logs)[1]
        return maximise.logs(step)

    start = maximise.logs(fit.step)
    logs = rest(advance, start)
    if logs is not None:
        step, again, value = pass_at(logs)
        objective = value + again.log_prior
    if logs is None or lost(objective, fit.objective):
        pass_at(start)
        return fit
    history = np.append(fit.history[:-1], max(objective, fit.objective))
    step = replace(step, log_prior=again.log_prior)
    return ClassFit(step, fit.posterior, value, history, fit.converged)


def lost(objective: float, before: float) -> bool:
    """Tell whether an objective fell by more than rounding explains."""
    return objective < before - _LOST * max(abs(before), 1.0)


def stands_still(gain: float, objective: float, tolerance: float) -> bool:
    """Tell whether the objective gained less than it should, or than rounding explains."""
    return gain < max(tolerance, _NOISE * abs(objective) if tolerance else 0.0)


@dataclass(frozen=True)
class ConfusionStep:
    """Estimate a full table of chances for each rater (Dawid & Skene 1979, eqs 2.3 and 2.4)."""

    n_raters: int
    n_labels: int
    smoothing: float = 0.0

    def __call__(self, count_cj: Floats, total_j: Floats) -> Step:
        """Return shares and rates."""
        n_classes = total_j.size
        cells = count_cj.reshape(self.n_raters, self.n_labels, n_classes) + self.smoothing
        row = cells.sum(axis=1, keepdims=True)
        even = np.full_like(cells, 1.0 / self.n_labels)  # a class that the rater never met
        rate = np.divide(cells, row, out=even, where=row > 0.0)
        prior = self.smoothing * float(logarithm(rate).sum()) if self.smoothing else 0.0
        return Step(total_j / total_j.sum(), rate.reshape(count_cj.shape), prior)

    def logs(self, step: Step) -> Floats:
        """Return the logarithms of shares and rates, -inf for 0."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.concatenate([step.share_j, step.rate_cj.ravel()])))

    def step_at(self, logs: Floats) -> Step:
        """Return shares and rates that add up to 1."""
        n_classes = logs.size // (1 + self.n_raters * self.n_labels)
        value = np.exp(logs)
        share, rate = value[:n_classes], value[n_classes:]
        cells = rate.reshape(self.n_raters, self.n_labels, n_classes)
        rate = cells / cells.sum(axis=1, keepdims=True)
        return Step(share / share.sum(), rate.reshape(-1, n_classes))


class OneCoinStep(ConfusionStep):
    """Estimate one accuracy for each rater; errors fall evenly on the other labels."""

    def __call__(self, count_cj: Floats, total_j: Floats) -> Step:
        """Return shares and rates."""
        n_raters, n_labels, smoothing = self.n_raters, self.n_labels, self.smoothing
        right = np.eye(n_labels)
        cells = count_cj.reshape(n_raters, n_labels * n_labels)
        hits = cells @ right.ravel() + smoothing
        errors = cells @ (1.0 - right).ravel() + (n_labels - 1) * smoothing
        given = hits + errors
        accuracy = np.divide(hits, given, out=np.full(n_raters, 1.0 / n_labels), where=given > 0)
        error = np.divide(errors, given, out=1.0 - accuracy, where=given > 0) / (n_labels - 1)
        rate = np.where(right > 0.0, accuracy[:, None, None], error[:, None, None])
        prior = 0.0
        if smoothing:
            logs = logarithm(accuracy) + (n_labels - 1) * logarithm(error)
            prior = smoothing * float(logs.sum())
        return Step(total_j / total_j.sum(), rate.reshape(count_cj.shape), prior)


@dataclass(frozen=True)
class Batch:
    """Fits side by side: shares (fits × classes), rates (fits × (rater · label) × classes)."""

    share_bj: Floats
    rate_bcj: Floats
    log_likelihood_b: Floats
    converged_b: np.ndarray[tuple[int], np.dtype[np.bool_]]
    iterations_b: np.ndarray[tuple[int], np.dtype[np.int64]]

    def joined(self, other: Batch) -> Batch:
        """Put other fits behind these."""
        return Batch(
            *(
                np.concatenate([getattr(self, name), getattr(other, name)])
                for name in self.__dataclass_fields__
            )
        )


def random_start(
    n_fits: int, n_classes: int, rng: RandomStream, order: DrawOrder
) -> tuple[Floats, Floats]:
    """Return equal shares and rates drawn evenly from all that add up to 1."""
    n_raters, n_labels = order.rater.size, order.label.size
    drawn = rng.dirichlet(np.ones(n_labels), n_fits * n_raters * n_classes)
    drawn = drawn.reshape(n_fits, n_raters, n_classes, n_labels)
    rate = np.empty((n_fits, n_raters, n_labels, n_classes))
    rate[:, order.rater[:, None], order.label] = drawn.transpose(0, 1, 3, 2)
    share = np.full((n_fits, n_classes), 1.0 / n_classes)
    return share, rate.reshape(n_fits, n_raters * n_labels, n_classes)


def expect_batch(counts: Floats, share_bj: Floats, rate_bcj: Floats) -> tuple[Floats, Floats]:
    """Return the posteriors (fits × classes × rows) and the rows' log-likelihoods."""
    joint = logarithm(rate_bcj).transpose(0, 2, 1) @ counts.T
    joint += logarithm(share_bj)[:, :, None]
    top = joint.max(axis=1)
    joint -= top[:, None, :]
    np.exp(joint, out=joint)
    total = joint.sum(axis=1)
    joint /= total[:, None, :]
    return joint, np.log(total) + top


def maximise_batch(
    counts: Floats, weight_bi: Floats, posterior_bji: Floats, n_labels: int
) -> tuple[Floats, Floats]:
    """Return shares and rates from the posteriors (Dawid & Skene 1979, eqs 2.3 and 2.4)."""
    weighted = posterior_bji * weight_bi[:, None, :]
    total = weighted.sum(axis=2)
    expected = (weighted @ counts).transpose(0, 2, 1)
    n_fits, n_cells, n_classes = expected.shape
    cells = expected.reshape(n_fits, n_cells // n_labels, n_labels, n_classes)
    row = cells.sum(axis=2, keepdims=True)
    even = np.full_like(cells, 1.0 / n_labels)
    rate = np.divide(cells, row, out=even, where=row > 0.0).reshape(expected.shape)
    return total / total.sum(axis=1, keepdims=True), rate


def fit_batch(
    counts: Floats,
    weight_bi: Floats,
    start: tuple[Floats, Floats],
    n_labels: int,
    *,
    tolerance: float,
    max_iterations: int,
) -> Batch:
    """Iterate all fits until each stands still; those that do are left alone."""
    n_fits, n_classes = start[0].shape
    most = max(_CELLS_AT_ONCE // max(n_classes * len(counts), 1), 1)
    if n_fits > most:
        parts = [
            fit_batch(
                counts,
                weight_bi[k : k + most],
                (start[0][k : k + most], start[1][k : k + most]),
                n_labels,
                tolerance=tolerance,
                max_iterations=max_iterations,
            )
            for k in range(0, n_fits, most)
        ]
        whole = parts[0]
        for part in parts[1:]:
            whole = whole.joined(part)
        return whole
    share, rate = start[0].copy(), start[1].copy()
    best, before = np.full(n_fits, -np.inf), np.full((n_fits, len(counts)), -1e200)
    converged = np.zeros(n_fits, dtype=np.bool_)
    iterations = np.zeros(n_fits, dtype=np.int64)
    at_work = np.arange(n_fits)
    for _ in range(max_iterations):
        weight = weight_bi[at_work]
        posterior, value_i = expect_batch(counts, share[at_work], rate[at_work])
        # Row by row, as in `iterate`.
        gain = ((value_i - before[at_work]) * weight).sum(axis=1)
        before[at_work] = value_i
        best[at_work] = (value_i * weight).sum(axis=1)
        iterations[at_work] += 1
        still = gain < tolerance
        converged[at_work[still]] = True
        if still.all():
            break
        at_work = at_work[~still]
        share[at_work], rate[at_work] = maximise_batch(
            counts, weight[~still], posterior[~still], n_labels
        )
    return Batch(share, rate, best, converged, iterations)
