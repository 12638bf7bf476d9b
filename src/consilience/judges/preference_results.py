"""What preferences say: abilities, who is really ahead, and how far the judges agree."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from consilience.core.arrays import Floats
from consilience.core.interval import Interval
from consilience.core.result import Several
from consilience.core.tails import quantile
from consilience.core.verdict import Gauge, Verdict
from consilience.core.words import counted, listed, p_text
from consilience.document import Document, Finding, Recorded, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Ability(Recorded):
    """One system.

    Attributes
    ----------
    system : object
    value, standard_error : float
        Logarithm of the ability; the mean over systems is 0.
    interval : Interval
    rank : int
    ranks : tuple of int
        Best and worst rank that the comparisons leave open, for all systems at once.
    won, lost, tied : int
    """

    system: object
    value: float
    standard_error: float
    interval: Interval
    rank: int
    ranks: tuple[int, int]
    won: int
    lost: int
    tied: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead(Recorded):
    """One system against another: the difference of abilities.

    `further` is how many more comparisons like these would tell them apart with a power of 80%;
    None where they are told apart already, or where nothing separates them.
    """

    first: object
    second: object
    value: float
    standard_error: float
    interval: Interval
    wins: float
    p_value: float
    p_holm: float
    further: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReliability(Recorded):
    """One judge: how often it gives the verdict that most others give on the same pair."""

    judge: object
    verdicts: int
    with_others: float
    with_model: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences(Recorded, Several):
    """Systems put in order by pairwise verdicts.

    Attributes
    ----------
    systems : tuple of Ability
        Best first.
    leads : tuple of Lead
        Every pair, the better one first.
    order_effect : tuple of (value, standard error, p) or None
        The advantage of the first place, as a logarithm of odds.
    ties : float
        Davidson's tie parameter nu; 0 without ties.
    deviance, degrees_of_freedom : float, int
    circular : tuple of int
        Circular triads among the majorities, and triads in all.
    judges : tuple of JudgeReliability
    agreement : float or None
        Krippendorff's alpha of the judges over the same pairs.
    """

    unrecorded: ClassVar[tuple[str, ...]] = (
        "circular",
        "confidence_level",
        "seed",
        "findings",
        "covariance",
    )
    renamed: ClassVar[Mapping[str, str]] = {
        "n_comparisons": "comparisons",
        "n_clusters": "clusters",
    }

    systems: tuple[Ability, ...]
    leads: tuple[Lead, ...]
    order_effect: tuple[float, float, float] | None
    ties: float
    deviance: float
    degrees_of_freedom: int
    log_likelihood: float
    n_comparisons: int
    n_clusters: int | None
    circular: tuple[int, int]
    judges: tuple[JudgeReliability, ...]
    agreement: float | None
    agreement_interval: Interval | None
    method: str
    confidence_level: float
    seed: int | None
    findings: tuple[Finding, ...] = ()
    covariance: Floats | None = field(default=None, repr=False, compare=False)

    def __getitem__(self, system: object) -> Ability:
        for one in self.systems:
            if str(one.system) == str(system):
                return one
        raise KeyError(system)

    @property
    def verdict(self) -> Verdict:
        """Which system is really ahead."""
        best = self.systems[0]
        alone = best.ranks == (1, 1)
        told = f"{best.system!s} comes first of {counted(len(self.systems), 'system')}"
        if alone:
            return Verdict(
                code="ahead",
                message=f"{told}, and no other can be first: that holds for all comparisons at "
                "once.",
                next="Report the ranks with their intervals.",
                gravity="good",
                gauge=self._gauge(),
            )
        rivals = [str(one.system) for one in self.systems[1:] if one.ranks[0] == 1]
        further = [x.further for x in self.leads if x.first == best.system and x.further]
        more = f" About {min(further):,} more comparisons would tell the nearest two apart." if (
            further
        ) else ""  # fmt: skip
        return Verdict(
            code="not_told_apart",
            message=f"{told}, but {listed(rivals)} may be as good or better.{more}",
            next="Do not announce a winner yet: compare more, or call them equal.",
            gauge=self._gauge(),
        )

    def _gauge(self) -> Gauge:
        """The lead of the first system over the second."""
        best, other = self.systems[0].system, self.systems[1].system
        lead = next(x for x in self.leads if (x.first, x.second) == (best, other))
        name = f"lead of {best!s} over {other!s} (log odds)"
        return Gauge.of(name, lead.value, lead.interval, marks=((0.0, "equal"),), axis=(-0.5, 0.5))

    def _beside(self) -> dict[str, Any]:
        effect = self.order_effect
        names = ("value", "standard_error", "p_value")
        return {
            "order_effect": None if effect is None else dict(zip(names, effect, strict=True)),
            "circular_triads": self.circular[0],
            "triads": self.circular[1],
        }

    def document(self) -> Document:
        """Return the order, the leads and the judges."""
        return Document.of(
            self._sizes(),
            self._order(),
            self._leads(),
            self._judges(),
            findings=self.findings,
            verdict=self.verdict,
        )

    def _sizes(self) -> str:
        text = f"{counted(self.n_comparisons, 'comparison')}"
        if self.n_clusters is not None:
            text += f" of {counted(self.n_clusters, 'item')}"
        text += f"; intervals by {self.method}. Bradley-Terry model"
        text += ", Davidson's ties" if self.ties else ""
        text += ", with an effect of the place" if self.order_effect else ""
        text += f": deviance {self.deviance:.3f} on {self.degrees_of_freedom} degrees of freedom."
        if self.order_effect is not None:
            value, error, p = self.order_effect
            text += (
                f" The first place is worth {value:.3f} (standard error {error:.3f}, "
                f"p {p_text(p)})."
            )
        return text

    def _order(self) -> Table:
        def rank(best: int, worst: int) -> str:
            return f"{best} to {worst}" if best != worst else f"{best}"

        return Table.of(
            self.systems,
            "system!s",
            "won",
            "tied",
            "lost",
            "ability: value",
            "interval",
            ("rank", lambda one: rank(*one.ranks)),
            caption="Systems, best first",
            note="rank: what all comparisons together leave open.",
        )

    def _leads(self) -> Table:
        return Table.of(
            self.leads,
            ("pair", lambda one: f"{one.first!s} over {one.second!s}"),
            "wins",
            "lead: value",
            "interval",
            "p (Holm): p_holm!p",
            "more to tell: further",
            caption="Who is really ahead",
            note="wins: how often the first would be preferred, ties left out.",
            detail=len(self.leads) > 10,
        )

    def _judges(self) -> Table:
        note = ""
        if self.agreement is not None and not math.isnan(self.agreement):
            note = f"Krippendorff's alpha over the same pairs: {self.agreement:.3f}."
        return Table.of(
            self.judges,
            "judge!s",
            "verdicts",
            "as most others: with_others",
            "as the model: with_model",
            caption="Judges",
            note=note,
        )


def normal_interval(value: float, error: float, level: float, method: str) -> Interval:
    """Return a value plus and minus a normal quantile times its error."""
    reach = quantile(0.5 + level / 2.0, None) * error
    return Interval(value - reach, value + reach, level, method)
