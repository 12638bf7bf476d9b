"""Summary: everything that was found out about some ratings, as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from consilience._version import __version__
from consilience.coefficients import Estimate, UndecidedScale, registry
from consilience.core.account import Account
from consilience.core.result import Several
from consilience.core.verdict import Verdict
from consilience.document import Document, Finding
from consilience.exceptions import InputError
from consilience.ratings import Ratings
from consilience.ratings.clusters import Clusters

if TYPE_CHECKING:
    from consilience.magnitudes import Magnitude

MOST_RATERS = 20  # more are a crowd


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFacts:
    """What was rated: sizes, labels, where it came from."""

    items: int
    raters: int
    ratings: int
    missing: int
    categories: tuple[object, ...]
    scale: str
    shape: str
    sources: tuple[str, ...] = ()
    states: Mapping[str, Any] | None = None  # of the entries of an export
    clusters: Clusters | None = None  # items that belong together
    scales: tuple[str, ...] = ()  # of several groups, each once; `scale` is "mixed" if they differ

    @classmethod
    def of(
        cls,
        ratings: Ratings,
        *,
        shape: str | None,
        sources: tuple[str, ...],
        states: Mapping[str, Any] | None = None,
    ) -> DataFacts:
        """Collect the facts about some ratings."""
        return cls(
            items=ratings.n_items,
            raters=ratings.n_raters,
            ratings=ratings.n_ratings,
            missing=ratings.n_missing,
            categories=ratings.categories,
            scale=ratings.scale,
            shape=shape or ratings.design,
            sources=sources,
            states=states,
            clusters=ratings.clusters,
        )

    @property
    def kind(self) -> str:
        """The scale in words: "nominal scale", or "nominal and ordinal scales" of groups."""
        if self.scale != "mixed":
            return f"{self.scale} scale"
        return f"{', '.join(self.scales[:-1])} and {self.scales[-1]} scales"

    @property
    def share_missing(self) -> float:
        """Share of the cells of the table without a rating."""
        cells = self.ratings + self.missing
        return self.missing / cells if cells else 0.0

    @property
    def missing_by_design(self) -> bool:
        """Whether nobody was meant to rate everything: many raters, of whom few rated an item."""
        return self.raters > MOST_RATERS and self.share_missing > 0.5

    @property
    def ratings_per_item(self) -> str:
        """How many ratings an item has on average, in words."""
        mean = self.ratings / max(self.items, 1)
        exact = self.ratings == round(mean) * self.items
        return (
            f"{mean:.0f} ratings per item" if exact else f"{mean:.1f} ratings per item on average"
        )

    def to_dict(self) -> dict[str, object]:
        """Return plain data with stable keys; `states` only where an export tells them."""
        from consilience.document import plain

        record: dict[str, object] = {
            "items": self.items,
            "raters": self.raters,
            "ratings": self.ratings,
            "missing": self.missing,
            "categories": [plain(label) for label in self.categories],
            "scale": self.scale,
            "shape": self.shape,
            "sources": list(self.sources),
        }
        if self.clusters is not None:
            record["clusters"] = self.clusters.to_dict()
        if self.states is not None:
            record["states"] = {
                "not_asked": self.states["not asked"],
                "asked_no_label": self.states["asked, no label"],
                "excluded": dict(self.states["excluded"]),
            }
        return record


@dataclass(frozen=True, kw_only=True)
class Group:
    """The results for one group: a variable, a round, a site."""

    name: str
    data: DataFacts
    estimates: tuple[Estimate, ...]
    findings: tuple[Finding, ...] = ()
    magnitudes: tuple[Magnitude, ...] = ()
    undecided: UndecidedScale | None = None
    verdict: Verdict | None = None
    headline: str | None = None  # the coefficient that the verdict and the sentence are about


@dataclass(frozen=True, kw_only=True)
class Summary(Several):
    """Coefficients, facts about the data and findings; made by `measure`.

    Look a coefficient up by name or alias (``s["alpha"]``), print the summary, or hand it on with
    `to_dict`, `to_json` and `to_frame`. `magnitudes` are the intraclass correlations of numbers.
    `undecided` holds both agreements where labels may be names or numbers; estimates take them as
    names.
    With groups, `estimates` is empty and each group holds
    its own.

    Examples
    --------
    >>> import consilience as cs
    >>> s = cs.measure(cs.Ratings.from_table([[20, 5], [10, 65]], categories=["no", "yes"]))
    >>> round(s["kappa"].value, 3)
    0.625
    """

    data: DataFacts
    estimates: tuple[Estimate, ...]
    findings: tuple[Finding, ...] = ()
    magnitudes: tuple[Magnitude, ...] = ()
    undecided: UndecidedScale | None = None
    confidence_level: float = 0.95
    by: str | None = None
    groups: tuple[Group, ...] = ()
    seed: int | None = None
    version: str = field(default=__version__)
    verdict: Verdict | None = None
    headline: str | None = None  # the coefficient that the verdict and the sentence are about
    account: Account | None = None  # of the reading, where the ratings came from a file

    def __getitem__(self, name: str) -> Estimate:
        wanted = registry[name].name
        for estimate in self.estimates:
            if estimate.coefficient == wanted:
                return estimate
        found = [estimate.coefficient for estimate in self.estimates]
        hint = "look into .groups" if self.groups else f"the summary has {', '.join(found)}"
        raise InputError.expected("coefficient", "one that was computed", name, hint)

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def parts(self) -> Iterator[tuple[str | None, DataFacts, tuple[Estimate, ...]]]:
        """Yield name, facts and estimates of each group; the name is None without groups."""
        if not self.groups:
            yield None, self.data, self.estimates
        for group in self.groups:
            yield group.name, group.data, group.estimates

    def listed(self) -> Iterator[tuple[str | None, DataFacts, tuple[Estimate, ...]]]:
        """Yield the same for tables: with alpha of numbers, too, where the scale is undecided."""
        found = [group.undecided for group in self.groups] or [self.undecided]
        for undecided, (name, data, estimates) in zip(found, self.parts(), strict=True):
            more = () if undecided is None else (undecided.as_numbers,)
            yield name, data, (*estimates, *more)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: the JSON record, with unrounded numbers."""
        from consilience.document import SCHEMA, plain

        record: dict[str, Any] = {
            "schema": SCHEMA,
            "version": self.version,
            "seed": self.seed,
            "data": self.data.to_dict(),
            "estimates": self._records(self.estimates),
            "findings": [finding.to_dict() for finding in self.findings],
            **_told(self.verdict),
        }
        if self.undecided is not None:
            record["scale"] = self.undecided.to_dict()
        if self.magnitudes:
            record["magnitudes"] = [plain(one) for one in self.magnitudes]
        if self.account is not None:
            record["reading"] = self.account.to_dict()
        if self.groups:
            record["by"] = self.by
            record["groups"] = [
                {
                    "name": group.name,
                    "data": group.data.to_dict(),
                    "estimates": self._records(group.estimates),
                    "findings": [finding.to_dict() for finding in group.findings],
                    **_told(group.verdict),
                    **({} if group.undecided is None else {"scale": group.undecided.to_dict()}),
                }
                for group in self.groups
            ]
        return record

    def to_json(self) -> str:
        """Return the record as JSON: sorted keys, no timestamp, null where a number is missing."""
        from consilience.document import to_json

        return to_json(self.to_dict())

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record per estimate; the columns of `to_frame` and of CSV."""
        rows = []
        for name, data, estimates in self.listed():
            for record in self._records(estimates):
                interval = record.pop("interval") or {}
                row: dict[str, Any] = {self.by or "group": name} if self.groups else {}
                row |= {key: record[key] for key in _COLUMNS if key in record}
                row["low"], row["high"] = interval.get("low"), interval.get("high")
                row["confidence_level"] = self.confidence_level
                row |= {"items": data.items, "raters": data.raters, "ratings": data.ratings}
                rows.append(row)
        return rows

    def _records(self, estimates: tuple[Estimate, ...]) -> list[dict[str, Any]]:
        return [e.to_dict(confidence_level=self.confidence_level) for e in estimates]

    def document(self) -> Document:
        """Return the facts, the table of estimates and the findings as something to read."""
        from consilience.report.summary_text import summary_document

        return summary_document(self)

    def _repr_latex_(self) -> str:
        from consilience.report.summary_text import render_latex

        return render_latex(self)


_COLUMNS = (
    "coefficient", "name", "distance", "status", "reason", "value", "standard_error", "observed",
    "expected", "p_value", "items_used",
)  # fmt: skip


def _told(verdict: Verdict | None) -> dict[str, Any]:
    return {} if verdict is None else {"verdict": verdict.to_dict()}
