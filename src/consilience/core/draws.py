"""Random draws that no version of numpy changes, seeds, numbers of resamples, and work in
threads.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consilience.core.arrays import Floats, Ints, Mask
from consilience.exceptions import ForPrograms, InputError, Option, Words

if TYPE_CHECKING:
    from numpy.random import BitGenerator

# ---- Seeds, numbers of resamples, and work in threads: what everything that resamples shares.

Progress = Callable[[int, int], None]
# In quotes: asking numpy for its generators loads them, and a study without resamples has none.
Seed: TypeAlias = "int | np.random.Generator | np.random.SeedSequence | None"


def in_threads(work: Callable[[Any], Any], jobs: Sequence[Any]) -> Iterator[Any]:
    """Yield the results of jobs in order; an interrupt drops what has not begun."""
    threads = min(os.cpu_count() or 1, len(jobs))
    if threads < 2:
        yield from map(work, jobs)
        return
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(threads)
    try:
        yield from pool.map(work, jobs)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def seed_sequence(rng: Seed) -> np.random.SeedSequence:
    """Turn a seed or a generator into a sequence that can be split."""
    if isinstance(rng, np.random.SeedSequence):
        return rng
    if isinstance(rng, np.random.Generator):
        return np.random.SeedSequence((rng.bit_generator.random_raw(4) >> np.uint64(1)).tolist())
    if rng is None:
        return np.random.SeedSequence()
    if is_whole(rng) and int(rng) >= 0:
        return np.random.SeedSequence(int(rng))
    raise InputError.expected(
        "rng",
        Words("a whole number of 0 or more", ForPrograms(", or a numpy Generator")),
        rng,
        Words("for example ", Option("rng", 0)),
    )


MOST_RESAMPLES = 10_000_000  # beyond, only a slip of the finger asks


def is_whole(number: object) -> TypeGuard[int]:
    """Tell whether something is a whole number, and not True or False."""
    return isinstance(number, (int, np.integer)) and not isinstance(number, bool)


def check_resamples(n_resamples: int) -> None:
    """Refuse a number of resamples that gives no distribution."""
    if not is_whole(n_resamples) or n_resamples < 1:
        raise InputError.expected(
            "n_resamples", "a whole number of at least 1", n_resamples, "for example 9999"
        )
    if n_resamples > MOST_RESAMPLES:
        raise InputError.expected(
            "n_resamples", f"at most {MOST_RESAMPLES:,}", n_resamples, "for example 9999"
        )


# ---- Random draws that no version of numpy changes: everything is made from the raw stream of
# bits.
#
# NEP 19 promises the streams of numpy's bit generators and nothing else: numpy 2.5 draws other
# multinomials than 2.4 from one seed. So whatever is random here goes through `RandomStream`, which
# takes 64 bits at a time and does the rest in arithmetic that IEEE 754 fixes. Logarithms and powers
# may differ in the last digit from processor to processor, and with them a draw, or, about once in
# 10^15 draws, a decision. How many bits a step takes depends on its sizes and on the bits alone.
#
# Sources: Marsaglia & Tsang (2000), J. Stat. Softw. 5(8), for normal draws; Marsaglia & Tsang
# (2000), ACM TOMS 26, 363-372, for gamma ones; Hoermann (1993), J. Stat. Comput. Simul. 46,
# 101-110 (BTRS), for binomial ones of large means; Stadlober (1990), J. Comput. Appl. Math. 31,
# 181-189, for hypergeometric ones. A multinomial draw is split in halves, each split a binomial
# draw.

Size: TypeAlias = "int | tuple[int, ...]"

_BLOCK = 16_384  # numbers worked on at a time: what a step needs stays in the processor's cache
_SMALL_BLOCK = 4_096  # the same where memory is asked for at each step
_ENOUGH = 2_048  # candidates in a round: for fewer, a step takes as long
_LAYERS = 256
_TAIL = 3.6541528853610088  # where the tail of the normal density begins, with 256 layers
_LEFT_OF_TOTAL = 0.05  # of gamma draws that are drawn by their total
_INVERTED_BELOW = 10.0  # mean from which on rejection is cheaper, and its hat valid


class RandomStream:
    """RandomStream from one random stream.

    Parameters
    ----------
    bits : numpy.random.BitGenerator
        Where random bits come from; it moves on with every draw.
    """

    def __init__(self, bits: BitGenerator) -> None:
        self._bits = bits
        self._is_narrow = type(bits).__name__ == "MT19937"  # whose raw numbers have 32 bits

    @classmethod
    def of(cls, rng: Seed | RandomStream) -> RandomStream:
        """Return draws from a seed, or from the stream of a numpy Generator, which moves on."""
        if isinstance(rng, RandomStream):
            return rng
        if isinstance(rng, np.random.Generator):
            return cls(rng.bit_generator)
        return cls(np.random.PCG64(seed_sequence(rng)))

    def raw(self, n: int) -> NDArray[np.uint64]:
        """Return whole numbers of 64 random bits."""
        if not self._is_narrow:
            return np.asarray(self._bits.random_raw(n))
        high, low = self._bits.random_raw(2 * n).reshape(n, 2).T
        return np.asarray((high << np.uint64(32)) | low)

    # ------------------------------------------------------------------ uniform draws

    @overload
    def random(self, size: None = None) -> float: ...
    @overload
    def random(self, size: Size) -> Floats: ...
    def random(self, size: Size | None = None) -> float | Floats:
        """Return numbers from 0 to below 1, in steps of 2^-53."""
        if size is None:
            return float(self._uniform(1)[0])
        return self._uniform(math.prod(_shape(size))).reshape(size)

    def integers(self, n: int, size: Size) -> Ints:
        """Return whole numbers from 0 to below n, which is at most 2^53."""
        drawn = self.random(size)
        drawn *= n
        return np.asarray(drawn.astype(np.int64))

    def permutation(self, n: int) -> Ints:
        """Return the numbers from 0 to below n in random order."""
        return np.asarray(self.permutations(n, 1)[0])

    def permutations(self, n: int, size: int) -> Ints:
        """Return rows (size x n), each with the numbers from 0 to below n in random order."""
        # Random numbers are sorted, the last bits of which are the places they stood at.
        places = np.arange(n, dtype=np.uint64)
        last_bits = np.uint64((1 << max(n - 1, 1).bit_length()) - 1)
        keys = self.raw(n * size).reshape(size, n)
        keys &= ~last_bits
        keys |= places
        keys.sort(axis=1)
        keys &= last_bits
        return keys.view(np.int64)

    def choice(self, p: ArrayLike, size: Size) -> Ints:
        """Return places, each with the probability that stands there."""
        upto = np.cumsum(np.asarray(p, dtype=np.float64))
        u = self.random(size) * upto[-1]
        # The last place that has a chance takes what rounding leaves.
        upto[upto >= upto[-1]] = np.inf
        return np.asarray(np.searchsorted(upto, u, side="right"), dtype=np.int64)

    def _uniform(self, n: int, out: Floats | None = None) -> Floats:
        """Return numbers from 0 to below 1."""
        raw = self.raw(n)
        raw >>= np.uint64(11)
        if out is None:
            out = np.empty(n)
        np.copyto(out, raw.view(np.int64))
        out *= 2.0**-53
        return out

    def _between(self, n: int) -> Floats:
        """Return numbers between 0 and 1, neither of them among the numbers."""
        raw = self.raw(n)
        raw >>= np.uint64(12)
        out = raw.view(np.int64).astype(np.float64)
        out += 0.5
        out *= 2.0**-52
        return out

    # ------------------------------------------------------------------ normal and gamma draws

    def normal(self, size: Size) -> Floats:
        """Return standard normal draws."""
        out = np.empty(math.prod(_shape(size)))
        room = _Room(min(out.size, _BLOCK))
        for start in range(0, out.size, _BLOCK):
            self._normal(out[start : start + _BLOCK], room)
        return out.reshape(size)

    def _normal(self, out: Floats, room: _Room) -> None:
        """Fill a block with standard normal draws: 256 layers of equal area."""
        layers, n = _layers(), out.size
        bits = self.raw(n).view(np.int64)
        layer, width, most, outside = room.places[:n], room.a[:n], room.b[:n], room.is_so[:n]
        np.bitwise_and(bits, _LAYERS - 1, out=layer)
        bits >>= 11  # a whole number with its sign, 53 bits
        np.copyto(out, bits)
        layers.width.take(layer, out=width, mode="clip")
        layers.inside.take(layer, out=most, mode="clip")
        out *= width
        np.abs(out, out=width)
        np.greater_equal(width, most, out=outside)
        left = np.flatnonzero(outside)
        self._settle(out, left, layer[left])

    def _settle(self, out: Floats, left: Ints, layer: Ints) -> None:
        """Settle what lies at a layer's edge: in the tail, below the curve, or drawn anew."""
        layers = _layers()
        while left.size:
            x = out[left]
            height = layers.height[layer]
            height += self._uniform(left.size) * (layers.height[layer + 1] - height)
            is_tail = layer == 0
            is_below = height < np.exp(-0.5 * x * x)
            if is_tail.any():
                tail = left[is_tail]
                out[tail] = np.copysign(self._tail(tail.size), out[tail])
            left = left[~(is_tail | is_below)]
            bits = self.raw(left.size).view(np.int64)
            layer = bits & (_LAYERS - 1)
            out[left] = x = (bits >> 11) * layers.width[layer]
            outside = np.abs(x) >= layers.inside[layer]
            left, layer = left[outside], layer[outside]

    def _tail(self, n: int) -> Floats:
        """Return normal draws beyond the last layer."""
        out, left = np.empty(n), np.arange(n)
        while left.size:
            beyond = -np.log(self._between(left.size)) / _TAIL
            is_taken = -2.0 * np.log(self._between(left.size)) > beyond * beyond
            out[left[is_taken]] = _TAIL + beyond[is_taken]
            left = left[~is_taken]
        return out

    def gamma(self, shape: float | Floats, size: int) -> Floats:
        """Return gamma draws of scale 1: `size` of one shape, or a row of so many per shape."""
        shapes = np.atleast_1d(np.asarray(shape, dtype=np.float64))
        out = self._gamma(shapes, size)
        for rows, columns, logs in self._powers(shapes, size):
            np.exp(logs, out=logs)
            out[rows, columns] *= logs
        return out if np.ndim(shape) else out[0]

    def add_gamma(self, shapes: Floats, scale: float, to: Floats) -> None:
        """Add gamma draws to a table (shapes x draws), by their total if they are many.

        The total is broken into sticks, each a Beta(1, sum) share of what is left, and each stick
        falls on one of the shapes with a chance in proportion to it (Sethuraman 1994). The last one
        takes what is left, a twentieth of the total or less. For shapes whose sum is small.
        """
        total, size = float(shapes.sum()), to.shape[1]
        many = math.ceil(math.log(_LEFT_OF_TOTAL) / math.log(total / (1.0 + total)))
        if shapes.size <= many:
            drawn = self.gamma(shapes, size)
            drawn *= scale
            to += drawn
            return
        each = np.arange(size)
        left = self.gamma(total, size)
        left *= scale
        for _ in range(many):
            rest = self._between(size)
            np.log(rest, out=rest)
            rest /= total
            np.exp(rest, out=rest)
            rest *= left
            left -= rest
            to[self.choice(shapes, size), each] += left
            left = rest
        to[self.choice(shapes, size), each] += left

    def dirichlet(self, alpha: ArrayLike, size: int) -> Floats:
        """Return shares that add up to 1 (size x shares)."""
        shapes = np.asarray(alpha, dtype=np.float64)
        out = self._gamma(shapes, size)
        if (shapes < 1.0).any():  # their draws may be too small for a number: work in logarithms
            np.log(out, out=out)
            for rows, columns, logs in self._powers(shapes, size):
                out[rows, columns] += logs
            out -= out.max(axis=0)
            np.exp(out, out=out)
        out /= out.sum(axis=0)
        return np.ascontiguousarray(out.T)

    def _gamma(self, shapes: Floats, size: int) -> Floats:
        """Return gamma draws (shapes x size), those of shapes below 1 still of the shape plus 1."""
        d = np.where(shapes < 1.0, shapes + 1.0, shapes) - 1.0 / 3.0
        c = 1.0 / np.sqrt(9.0 * d)
        out = np.empty((shapes.size, size))
        room = _Room(max(min(out.size, _BLOCK), _ENOUGH))
        left = [np.empty(0, dtype=np.int64)]
        for rows, columns in _blocks(np.flatnonzero(shapes != 1.0), size):
            drawn = room.c[: rows.size * (columns.stop - columns.start)].reshape(rows.size, -1)
            bad = self._tried(d[rows][:, None], c[rows][:, None], drawn, room)
            out[rows, columns] = drawn
            row, column = np.divmod(bad, drawn.shape[1])
            left.append(rows[row] * size + columns.start + column)
        self._retried(d, c, out, np.concatenate(left), room)
        for rows, columns in _blocks(np.flatnonzero(shapes == 1.0), size):
            drawn = self._between(rows.size * (columns.stop - columns.start))
            np.log(drawn, out=drawn)
            out[rows, columns] = np.negative(drawn, out=drawn).reshape(rows.size, -1)
        return out

    def _retried(self, d: Floats, c: Floats, out: Floats, left: Ints, room: _Room) -> None:
        """Draw anew, until none is left, what was not accepted, block by block."""
        flat, size = out.reshape(-1), max(out.shape[1], 1)
        while left.size:
            again = []
            for start in range(0, left.size, _BLOCK):
                block = left[start : start + _BLOCK]
                tries = max(1, min(4, _ENOUGH // block.size))  # one of twenty is rejected
                row = block // size
                if tries > 1:
                    row = np.tile(row, tries)
                drawn = np.empty(row.size)
                is_taken = np.ones(drawn.size, dtype=np.bool_)
                is_taken[self._tried(d[row], c[row], drawn, room)] = False
                first = is_taken.reshape(tries, -1).argmax(axis=0) * block.size
                first += np.arange(block.size)
                flat[block] = drawn[first]
                again.append(block[~is_taken[first]])
            left = np.concatenate(again)

    def _tried(self, d: Floats, c: Floats, out: Floats, room: _Room) -> Ints:
        """Fill a block with candidates d (1 + c x)^3 and return the places of the rejected."""
        n = out.size
        x, v = (part[:n].reshape(out.shape) for part in (room.x, room.a))
        self._normal(room.x[:n], room)
        self._uniform(n, out=room.b[:n])
        np.multiply(x, c, out=out)
        out += 1.0
        np.multiply(out, out, out=v)
        v *= out
        np.multiply(v, d, out=out)
        x *= x
        room.d[:n] = room.x[:n]
        fourth = room.d[:n].reshape(out.shape)
        fourth *= x
        fourth *= -0.0331
        fourth += 1.0
        np.greater_equal(room.b[:n], room.d[:n], out=room.is_so[:n])
        doubt = room.is_so[:n].nonzero()[0]  # the squeeze takes nine of ten
        cube, square, uniform = (part[doubt] for part in (room.a, room.x, room.b))
        d_here = d.ravel()[doubt * d.size // n]
        positive = cube > 0.0
        np.maximum(cube, 1e-300, out=cube)
        most = 0.5 * square + d_here * (1.0 - cube + np.log(cube))
        is_taken = uniform < np.exp(most)
        return np.asarray(doubt[~(is_taken & positive)])

    def _powers(self, shapes: Floats, size: int) -> Iterator[tuple[Ints, slice, Floats]]:
        """Yield rows of shapes below 1, and the logarithms of what their draws are multiplied with.

        A draw of shape a is one of shape a + 1, times u^(1/a).
        """
        for rows, columns in _blocks(np.flatnonzero(shapes < 1.0), size):
            logs = self._between(rows.size * (columns.stop - columns.start))
            logs = np.log(logs, out=logs).reshape(rows.size, -1)
            with np.errstate(divide="ignore"):  # shape 0: all its draws are 0
                logs /= shapes[rows][:, None]
            yield rows, columns, logs

    # ------------------------------------------------------------------ counts

    def binomial(self, n: ArrayLike, p: ArrayLike) -> Ints:
        """Return one number of successes for each number of trials and each probability."""
        trials, chance = np.broadcast_arrays(
            np.asarray(n, dtype=np.int64), np.asarray(p, dtype=np.float64)
        )
        out = _until_taken(self._binomial, trials.ravel(), chance.ravel())
        return out.astype(np.int64).reshape(trials.shape)

    def _binomial(self, n: Floats, p: Floats, tries: int) -> Floats:
        n = n.astype(np.float64)
        is_common = p > 0.5
        p = np.where(is_common, 1.0 - p, p)
        is_small = n * p < _INVERTED_BELOW
        if is_small.all():
            out = self._few(n, p)
        elif not is_small.any():
            out = self._many(n, p, tries)
        else:
            out = np.empty(n.size)
            out[is_small] = self._few(n[is_small], p[is_small])
            out[~is_small] = self._many(n[~is_small], p[~is_small], tries)
        return np.where(is_common, n - out, out)

    def _few(self, n: Floats, p: Floats) -> Floats:
        """Return binomial draws of small means, p up to 1/2."""
        none = np.exp(n * np.log1p(-p))
        odds = p / (1.0 - p)
        # The chance of k is that of k - 1, times (n + 1 - k) / k times the odds.
        drawn = self._inverted(none, lambda k, a, r: a * (1.0 / k) - r, (n + 1.0) * odds, odds)
        return np.minimum(drawn, n)

    def _inverted(self, chance: Floats, ratio: Callable[..., Floats], *of: Floats) -> Floats:
        """Return counts by inversion, from the chance of 0 and that of k beside that of k - 1."""
        u = self._uniform(chance.size)
        out, left = np.zeros(chance.size), np.flatnonzero(u >= chance)
        u, chance, of = u[left], chance[left], tuple(part[left] for part in of)
        upto, counts, k = chance.copy(), np.ones(left.size, dtype=np.int8), 1
        while left.size:
            chance *= ratio(k, *of)
            upto += chance
            is_above = u >= upto
            counts += is_above.view(np.int8)  # means below 10 have no counts beyond 127
            if k % 4 == 0:  # from time to time, those that are done leave
                out[left] = counts
                # What rounding leaves of the sum of all chances is nobody's.
                stays = np.flatnonzero(is_above & (chance > 1e-18))
                left, counts = left[stays], counts[stays]
                u, upto, chance = u[stays], upto[stays], chance[stays]
                of = tuple(part[stays] for part in of)
            k += 1
        return out

    def _many(self, n: Floats, p: Floats, tries: int) -> Floats:
        """Return binomial draws of means from 10 on, p up to 1/2: Hoermann's BTRS."""
        spread = n * p
        middle = spread + 0.5
        spread *= 1.0 - p
        np.sqrt(spread, out=spread)
        b = 2.53 * spread
        b += 1.15
        a = 0.0248 * b
        a += 0.01 * p - 0.0873
        u, v = self._pairs(tries, n.size)
        u -= 0.5
        room = np.abs(u)
        np.subtract(0.5, room, out=room)
        k = 2.0 * a / room
        k += b
        k *= u
        k += middle
        np.floor(k, out=k)
        is_taken = room >= 0.07
        is_taken &= v <= 0.92 - 4.2 / b
        doubt = np.flatnonzero(~is_taken)
        of = doubt % n.size
        n, p, a, b, spread = (part[of] for part in (n, p, a, b, spread))
        k_, room_, v_ = (part.ravel()[doubt] for part in (k, room, v))
        is_count = (k_ >= 0.0) & (k_ <= n)
        k_ = np.where(is_count, k_, 0.0)
        mode = np.floor((n + 1.0) * p)
        chance = _log_factorials(mode, k_) + _log_factorials(n - mode, n - k_)
        chance += (k_ - mode) * np.log(p / (1.0 - p))
        hat = (2.83 + 5.1 / b) * spread / (a / room_**2 + b)
        is_taken.ravel()[doubt] = is_count & (v_ * hat <= np.exp(chance))
        return _first_taken(k, is_taken)

    def multinomial(self, n: int, p: ArrayLike, size: Size | None = None) -> Ints:
        """Return how often each cell is hit in n trials (size x cells)."""
        chances = np.asarray(p, dtype=np.float64)
        shape = () if size is None else _shape(size)
        draws = math.prod(shape)
        # Which is quicker, from what a trial, a split and a round of splits take (in nanoseconds).
        rounds = max(chances.size - 1, 0).bit_length()
        trial, split, round_of_splits = 4 + 5 * rounds, 70, 200_000
        if n * draws * trial <= (chances.size - 1) * draws * split + rounds * round_of_splits:
            out = self._tallied(n, chances, draws)
        else:
            out = self._split(n, chances, draws)
        return out.T.reshape(*shape, chances.size)

    def _tallied(self, n: int, p: Floats, draws: int) -> Ints:
        """Return counts (cells x draws), trial by trial."""
        out = np.empty((p.size, draws), dtype=np.int64)
        step = max(1, _BLOCK // max(n, 1))
        for start in range(0, draws, step):
            here = min(step, draws - start)
            cell = self.choice(p, (here, n))
            cell *= here
            cell += np.arange(here)[:, None]
            counts = np.bincount(cell.ravel(), minlength=p.size * here)
            out[:, start : start + here] = counts.reshape(p.size, here)
        return out

    def _split(self, n: int, p: Floats, draws: int) -> Ints:
        """Return counts (cells x draws): all are split between two halves, and so on."""
        levels = [p]
        while levels[-1].size > 1:
            both = levels[-1]
            even = np.append(both, 0.0) if both.size % 2 else both
            levels.append(even[::2] + even[1::2])
        out = np.full((1, draws), n, dtype=np.int64)
        for parents, both in zip(levels[:0:-1], levels[-2::-1], strict=True):
            pairs = both.size // 2
            share = both[: 2 * pairs : 2] / np.where(parents > 0.0, parents, 1.0)[:pairs]
            counts = np.empty((both.size, draws), dtype=np.int64)
            counts[: 2 * pairs : 2] = self.binomial(out[:pairs], share[:, None])
            counts[1 : 2 * pairs : 2] = out[:pairs] - counts[: 2 * pairs : 2]
            counts[2 * pairs :] = out[pairs:]  # the odd one out has nobody to share with
            out = counts
        return out

    def hypergeometric(self, good: ArrayLike, bad: ArrayLike, sample: ArrayLike) -> Ints:
        """Return how many of a sample without replacement are good ones, element by element."""
        parts = np.broadcast_arrays(*(np.asarray(x, dtype=np.int64) for x in (good, bad, sample)))
        out = _until_taken(self._hypergeometric, *(part.ravel() for part in parts))
        return out.astype(np.int64).reshape(parts[0].shape)

    def _hypergeometric(self, good: Floats, bad: Floats, sample: Floats, tries: int) -> Floats:
        """Count the rarer kind in the smaller part, and tell what that says about the sample."""
        good, bad, sample = (part.astype(np.float64) for part in (good, bad, sample))
        total = good + bad
        rarer, part = np.minimum(good, bad), np.minimum(sample, total - sample)
        is_small = rarer * part <= _INVERTED_BELOW * total  # and where there is nothing
        out = np.empty(total.size)
        if is_small.any():
            out[is_small] = self._few_of(total[is_small], rarer[is_small], part[is_small])
        if not is_small.all():
            out[~is_small] = self._many_of(
                total[~is_small], rarer[~is_small], part[~is_small], tries
            )
        out = np.where(good > bad, part - out, out)
        return np.where(2.0 * sample > total, good - out, out)

    def _few_of(self, total: Floats, good: Floats, sample: Floats) -> Floats:
        """Return hypergeometric draws of small means, both numbers at most half of the total."""
        rest = total - good
        none = np.exp(_log_factorials(rest, rest - sample) - _log_factorials(total, total - sample))
        drawn = self._inverted(
            none,
            lambda k, g, s, r: (g - k) * (s - k) / (k * (r + k)),
            good + 1.0,
            sample + 1.0,
            rest - sample,
        )
        return np.minimum(drawn, np.minimum(good, sample))

    def _many_of(self, total: Floats, good: Floats, sample: Floats, tries: int) -> Floats:
        """Return hypergeometric draws of means from 10 on: Stadlober's ratio of uniforms."""
        bad = total - good
        mean = sample * good / total
        variance = mean * (bad / total) * ((total - sample) / (total - 1.0))
        width = 2.0 * math.sqrt(2.0 / math.e) * np.sqrt(variance + 0.5)
        width += 3.0 - 2.0 * math.sqrt(3.0 / math.e)
        mode = np.floor((sample + 1.0) * (good + 1.0) / (total + 2.0))
        u, v = self._pairs(tries, total.size)
        k = np.floor(mean + 0.5 + width * (v - 0.5) / u)
        is_taken = (k >= 0.0) & (k <= np.minimum(good, sample))
        j = np.where(is_taken, k, 0.0)
        chance = _log_factorials(mode, j) + _log_factorials(good - mode, good - j)
        chance += _log_factorials(sample - mode, sample - j)
        chance += _log_factorials(bad - sample + mode, bad - sample + j)
        is_taken &= 2.0 * np.log(u) <= chance
        return _first_taken(k, is_taken)

    def _pairs(self, tries: int, n: int) -> tuple[Floats, Floats]:
        """Return two tables of uniform draws (tries x n), the first between 0 and 1."""
        return self._between(tries * n).reshape(tries, n), self.random((tries, n))


class _Room:
    """Where a block is worked on: asking for memory anew takes longer than the work."""

    def __init__(self, n: int) -> None:
        self.x, self.a, self.b, self.c, self.d = np.empty((5, n))
        self.places = np.empty(n, dtype=np.intp)
        self.is_so = np.empty(n, dtype=np.bool_)


class _Layers:
    """The normal density in 256 layers of equal area, the lowest one with the tail."""

    def __init__(self) -> None:
        at_tail = math.exp(-0.5 * _TAIL**2)
        area = _TAIL * at_tail + math.sqrt(math.pi / 2.0) * math.erfc(_TAIL / math.sqrt(2.0))
        edges = [area / at_tail, _TAIL]
        while len(edges) < _LAYERS:
            x = edges[-1]
            edges.append(math.sqrt(-2.0 * math.log(area / x + math.exp(-0.5 * x * x))))
        edge = np.array([*edges, 0.0])
        self.width = edge[:-1] * 2.0**-52
        self.inside = edge[1:]
        self.height = np.array([math.exp(-0.5 * x * x) for x in edge])


_layers = cache(_Layers)


def _until_taken(drawn: Callable[..., Floats], *of: NDArray[Any]) -> Floats:
    """Draw block by block, and again until nothing is NaN: what was rejected."""
    out, left = np.empty(of[0].size), np.arange(of[0].size)
    while left.size:
        tries = max(1, min(12, _ENOUGH // left.size))  # up to one of three is rejected
        for start in range(0, left.size, _SMALL_BLOCK):
            block = left[start : start + _SMALL_BLOCK]
            out[block] = drawn(*(part[block] for part in of), tries)
        left = left[np.isnan(out[left])]
    return out


def _first_taken(candidates: Floats, is_taken: Mask) -> Floats:
    """Return the first candidate that is taken of each column; NaN where none is."""
    candidates[~is_taken] = np.nan
    if len(candidates) == 1:
        return np.asarray(candidates[0])
    return np.asarray(candidates[is_taken.argmax(axis=0), np.arange(candidates.shape[1])])


def _shape(size: Size) -> tuple[int, ...]:
    return size if isinstance(size, tuple) else (size,)


def _blocks(rows: Ints, size: int) -> Iterator[tuple[Ints, slice]]:
    """Yield blocks of a table: many rows that are short, or part of one that is long."""
    step = max(1, _BLOCK // max(size, 1))
    for first in range(0, rows.size, step):
        for start in range(0, size, _BLOCK):
            yield rows[first : first + step], slice(start, min(size, start + _BLOCK))


def _log_factorials(a: Floats, b: Floats) -> Floats:
    """Return log(a! / b!): from a table, or by Stirling's formula without a loss of digits."""
    listed = _listed_log_factorials()
    if max(a.max(initial=0.0), b.max(initial=0.0)) < listed.size:
        return np.asarray(listed[a.astype(np.intp)] - listed[b.astype(np.intp)])
    apart = a - b
    out = (b + 0.5) * np.log1p(apart / (b + 1.0)) + apart * (np.log(a + 1.0) - 1.0)
    out += _beside_stirling(a)
    out -= _beside_stirling(b)
    return np.asarray(out)


def _beside_stirling(k: Floats) -> Floats:
    """Return log(k!) less (k + 1/2) log(k + 1) - (k + 1) + log(2 pi) / 2."""
    x = 1.0 / (k + 1.0)
    square = x * x
    series = x * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680)))
    few = _first_beside_stirling()
    return np.where(k < few.size, few.take(k.astype(np.intp), mode="clip"), series)


@cache
def _listed_log_factorials() -> Floats:
    return np.array([math.lgamma(k + 1.0) for k in range(4_096)])


@cache
def _first_beside_stirling() -> Floats:
    return np.array(
        [
            math.lgamma(k + 1.0)
            - (k + 0.5) * math.log(k + 1.0)
            + (k + 1.0)
            - 0.5 * math.log(2.0 * math.pi)
            for k in range(10)
        ]
    )
