"""What comes out of a comparison, as plain data with stable keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from consilience.core.result import Several
from consilience.core.verdict import Verdict
from consilience.document import Document, Enveloped, Finding, Recorded
from consilience.exceptions import InputError
from consilience.panel._alternative import AlternativeTest
from consilience.panel._differences import Differences
from consilience.panel._disagreements import Disagreement
from consilience.panel._gold import Accuracy
from consilience.panel._label_precision import LabelScore
from consilience.panel._label_use import LabelUse
from consilience.panel._markers import Marker
from consilience.panel._measures import Measure
from consilience.panel._resampled_means import Value
from consilience.panel._supplements import Added

if TYPE_CHECKING:
    from consilience.latent import RaterStability

AS_GOOD = "as good as a person"
NOT_AS_GOOD = "not as good as a person"
CANNOT_TELL = "cannot tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemResult(Recorded):
    """One system against the people.

    Attributes
    ----------
    agreement : dict
        Measure to its mean over the people, with an interval.
    with_person : dict
        Measure to person to the value with that person alone.
    gap : dict
        Measure to the mean over people of what the system reaches with her minus what the other
        people reach with her; below 0, the system agrees less than a person does.
    verdict : str
        "as good as a person", "not as good as a person" or "cannot tell", for the first measure
        and the margin; None where one person leaves nothing to compare with.
    p_value : float
        Of being worse than a person by the margin or more.
    differences : dict
        Person to the whole distribution of system minus person; empty for mere names.
    majority : dict
        Measure to its value against the majority of the people: a supplement only.
    added : dict
        Measure to the panel's agreement without and with the system.
    """

    system: object
    n_items: int
    refusals: int
    agreement: dict[str, Value]
    with_person: dict[str, dict[object, float]]
    gap: dict[str, Value]
    verdict: str | None
    p_value: float
    differences: dict[object, Differences]
    labels: tuple[LabelScore, ...]
    majority: dict[str, float]
    added: dict[str, Added]
    alternative: AlternativeTest | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelResult(Enveloped, Several):
    """Systems against a panel of people; print it, or ask for a system by name.

    Attributes
    ----------
    systems : tuple of SystemResult
    people : tuple
        Names of the people.
    left_out : tuple
        Raters who were taken for neither.
    ceiling : dict
        Measure to its mean over the pairs of people: what a system can be expected to reach.
    between_people : dict
        Measure to pair of people to its value.
    base_label, base_rate
        The label that people give most, and its share.
    constant : dict
        Measure to what an answer that never changes would reach.
    markers : tuple of Marker
        Severity and drift of every rater; empty for mere names.
    accuracy : tuple of Accuracy
        Every rater against the gold standard, where one was given.
    stability : tuple of RaterStability
        Raters who rated items more than once, against themselves.
    label_use : tuple of LabelUse
        How often systems and people give each label, of mere names; marks have `markers`.
    disagreements : tuple of Disagreement
        For each system, the items on which it is farthest from the people.
    """

    unrecorded: ClassVar[tuple[str, ...]] = ("left_out",)

    measures: tuple[Measure, ...]
    people: tuple[object, ...]
    systems: tuple[SystemResult, ...]
    ceiling: dict[str, Value]
    between_people: dict[str, dict[tuple[object, object], float]]
    base_label: object
    base_rate: float
    constant: dict[str, float]
    markers: tuple[Marker, ...]
    accuracy: tuple[Accuracy, ...]
    stability: tuple[RaterStability, ...]
    label_use: tuple[LabelUse, ...]
    disagreements: tuple[Disagreement, ...]
    margin: float
    epsilon: float
    confidence_level: float
    n_resamples: int
    method: str
    refused: str
    seed: int | None
    data: dict[str, Any] = field(repr=False)
    estimates: tuple[dict[str, Any], ...] = field(repr=False)
    left_out: tuple[object, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def headline(self) -> Measure:
        """The measure that the verdicts are about."""
        return self.measures[0]

    @property
    def verdict(self) -> Verdict:
        """Whether the systems are as good as a person, in a sentence."""
        from consilience.panel._findings import panel_verdict

        return panel_verdict(self)

    def verdict_on(self, system: object) -> Verdict:
        """Return the verdict on one system, with the gap and its interval."""
        from consilience.panel._findings import system_verdict

        return system_verdict(self, self[system])

    def __getitem__(self, system: object) -> SystemResult:
        for one in self.systems:
            if one.system == system or str(one.system) == str(system):
                return one
        raise InputError.unknown_word("system", system, [str(s.system) for s in self.systems])

    def __iter__(self) -> Iterator[SystemResult]:
        return iter(self.systems)

    def __len__(self) -> int:
        return len(self.systems)

    def _beside(self) -> dict[str, Any]:
        return {
            "who": {
                "people": self.people,
                "systems": [one.system for one in self.systems],
                "left_out": self.left_out,
            },
            "measures": [
                {"key": m.key, "title": m.title, "smaller_is_better": m.smaller_is_better}
                for m in self.measures
            ],
            "between_people": {
                key: [{"raters": pair, "value": v} for pair, v in found.items()]
                for key, found in self.between_people.items()
            },
        }

    def document(self) -> Document:
        """Return the comparison as something to read."""
        from consilience.panel._document import document

        return document(self)
