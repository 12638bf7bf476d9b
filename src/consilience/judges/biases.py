"""What moves a judge besides the answer: its own model, length, place, chance from run to run."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from consilience.core.arrays import Floats, Ints, Mask
from consilience.core.cell_values import as_number
from consilience.core.interval import Interval, check_confidence_level
from consilience.core.result import Several
from consilience.core.tails import quantile, student_below
from consilience.core.verdict import Verdict
from consilience.core.words import listed
from consilience.document import Document, Finding, Table
from consilience.document.blocks import found
from consilience.document.records import Recorded
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference import holm
from consilience.inference.influence import clustered_variance
from consilience.judges.rate_estimators import share_limits
from consilience.judges.verdicts import Verdicts, verdicts_alone, verdicts_of
from consilience.ratings.rating_tables import code_matrix, numbers_per_item, per_item

Contrast = Callable[[str, object, Floats, Mask], "Bias"]
_LEVEL = 0.05
_OFTEN = 0.1  # share of items on which a judge changes its mind that is worth a word
_TITLES = {
    "self_preference": "prefers its own model",
    "length": "prefers longer answers",
    "position": "prefers the first place",
    "instability": "changes its verdict",
}
_LOOKED_AT = {
    "self_preference": "self-preference",
    "length": "length",
    "position": "position",
    "instability": "repeated runs",
}
_CODES = {
    "length": "length_bias",
    "position": "position_bias",
    "instability": "judge_unstable",
}
_ADVICE = {
    "self_preference": "Let another model judge these answers.",
    "length": "Say in the rubric that length does not count, or compare answers of like length.",
    "position": "Show every answer in all places.",
    "instability": "Ask several times and take the majority, or lower the temperature.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bias(Recorded):
    """One judge, one bias.

    `value` is how much more the judge gives, beyond what people (or the other judges) give: for its
    own model's answers, for twice the length, or in the first place; or the share of items on which
    it changes its verdict when asked again.
    """

    kind: str
    judge: object
    value: float
    standard_error: float
    interval: Interval
    p_value: float
    p_holm: float
    n_items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeBiases(Recorded, Several):
    """What moves judges besides the answer.

    Attributes
    ----------
    rows : tuple of Bias
    against : str
        "people" or "other judges": what a judge's scores are compared with.
    """

    unrecorded: ClassVar[tuple[str, ...]] = ("confidence_level", "findings")
    renamed: ClassVar[Mapping[str, str]] = {"rows": "biases"}

    rows: tuple[Bias, ...]
    against: str
    confidence_level: float
    findings: tuple[Finding, ...] = ()

    def of(self, kind: str) -> tuple[Bias, ...]:
        """Return the rows of one kind."""
        return tuple(one for one in self.rows if one.kind == kind)

    @property
    def verdict(self) -> Verdict:
        """Which biases are shown."""
        if not self.findings:
            kinds = [_LOOKED_AT[k] for k in dict.fromkeys(x.kind for x in self.rows)]
            return Verdict(
                code="no_bias_shown",
                gravity="good",
                message=f"No bias is shown. Looked at: {listed(kinds)}.",
                next="",
            )
        first = self.findings[0]
        return Verdict(
            code="judges_biased",
            gravity="caution",
            message=first.message,
            next=first.advice,
            says=(first.code,),
        )

    def document(self) -> Document:
        """Return a table of judges and biases."""
        table = Table.of(
            self.rows,
            "judge!s",
            ("bias", "kind", _TITLES.__getitem__),
            "items: n_items",
            "size: value",
            "interval",
            "p (Holm): p_holm!p",
            caption=f"Beyond what {self.against} give",
            note="length: per doubling." if self.of("length") else "",
        )
        return Document.of(table, findings=self.findings, verdict=self.verdict)


def judge_biases(
    ratings: Any,
    label: object = None,
    *,
    judges: Any = None,
    people: Any = None,
    author: Any = None,
    own: Mapping[Any, Any] | None = None,
    length: Any = None,
    position: Any = None,
    refusals: Any = (),
    clusters: Any = None,
    confidence_level: float = 0.95,
) -> JudgeBiases:
    """Look for what moves judges besides the answer.

    Use it with what is known of the items: who wrote the answer, how long it is, in which place it
    was shown. A judge's score is compared with people's on the same item, or with the mean of the
    other judges', so that better answers do not look like a bias.

    Parameters
    ----------
    ratings : Ratings
        Of judges and perhaps people; with occasions, judges are compared with themselves.
    label : object, optional
        The favourable label, where labels are no numbers.
    judges, people : names of raters, or patterns such as "gpt*"
    author : one entry per item, optional
        The model that wrote the answer.
    own : mapping from judge to author, optional
        Which model is the judge's own; default the one that is called like it.
    length : one number per item, optional
    position : one entry per item, optional
        The place; the smallest is the first.
    refusals : labels that mean refused or unparsable
    clusters : one entry per item, optional
    confidence_level : float, default 0.95

    Returns
    -------
    JudgeBiases

    Examples
    --------
    >>> from consilience import Ratings
    >>> ann = ["good", "bad"] * 40
    >>> gpt = ["good" if k % 4 < 2 or own == "good" else own for k, own in enumerate(ann)]
    >>> both = Ratings.from_wide({"Ann": ann, "gpt": gpt})
    >>> wrote = ["gpt" if k % 4 < 2 else "llama" for k in range(80)]
    >>> found = judge_biases(both, "good", judges="gpt", people="Ann", author=wrote)
    >>> found.rows[0].kind, round(found.rows[0].value, 2)
    ('self_preference', 0.5)
    """
    level = check_confidence_level(confidence_level)
    more = {"judges": judges, "refusals": refusals, "clusters": clusters}
    table = (
        verdicts_alone(ratings, **more)
        if people is None
        else verdicts_of(ratings, people=people, **more)
    )
    given = author is not None or length is not None or position is not None
    rows: list[Bias] = []
    against = "people" if table.people else "other judges"
    if given:
        scores, reference = _scores(table, label)
        apart = scores - reference
        contrast = partial(_contrast, cluster=table.cluster, level=level)
        rows += _self(table, apart, author, own, contrast) if author is not None else []
        rows += _length(table, apart, length, level) if length is not None else []
        rows += _position(table, apart, position, contrast) if position is not None else []
    rows += _unstable(table, level)
    if not rows:
        raise UnsupportedDesignError.needs(
            "biases of judges",
            "author, length, position, or repeated runs",
            "none of them",
            "name what is known of the items",
        )
    rows = _adjusted(rows)
    return JudgeBiases(
        rows=tuple(rows), against=against, confidence_level=level, findings=_findings(rows)
    )


def _scores(table: Verdicts, label: object) -> tuple[Floats, Floats]:
    """Return the judges' scores and what they are compared with, items x judges."""
    if label is not None:
        code = table.label(label)
        points = np.array([float(k == code) for k in range(len(table.labels))])
    elif table.ratings.numbers is not None:
        points = np.asarray(table.ratings.numbers, dtype=np.float64)
    else:
        raise InputError.expected(
            "label", "given where labels are no numbers", None, "name the favourable one"
        )
    scores = np.append(points, np.nan)[table.codes]
    if table.people:
        total = table.votes.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(total > 0, table.votes[:, : points.size] @ points / total, np.nan)
        return scores, np.repeat(mean[:, None], scores.shape[1], axis=1)
    known = ~np.isnan(scores)
    total = np.where(known, scores, 0.0).sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        others = (total - np.where(known, scores, 0.0)) / (known.sum(axis=1, keepdims=True) - known)
    return scores, np.where(np.isfinite(others), others, np.nan)


def _self(
    table: Verdicts, apart: Floats, author: Any, own: Mapping[Any, Any] | None, contrast: Contrast
) -> list[Bias]:
    wrote = np.array([str(x) for x in per_item(table.ratings, author, "author")], dtype=object)
    rows = []
    for j, judge in enumerate(table.judges):
        mine = str(own.get(judge, "")) if own is not None else _kin(judge, set(wrote.tolist()))
        is_own = wrote == mine
        if mine and is_own.any() and not is_own.all():
            rows.append(contrast("self_preference", judge, apart[:, j], is_own))
    return rows


def _kin(judge: object, authors: set[str]) -> str:
    """Return the author that is called like the judge, whatever its capital letters."""
    small = {name.casefold(): name for name in authors}
    word = str(judge).casefold()
    if word in small:
        return small[word]
    like = [name for low, name in small.items() if low and (low in word or word in low)]
    return like[0] if len(like) == 1 else ""


def _length(table: Verdicts, apart: Floats, length: Any, level: float) -> list[Bias]:
    size = numbers_per_item(table.ratings, length, "length")
    if not (size > 0).any():
        raise InputError.expected("length", "numbers above 0", size[:3], "count words or tokens")
    x = np.log2(np.where(size > 0, size, np.nan))
    rows = []
    for j, judge in enumerate(table.judges):
        used = ~np.isnan(apart[:, j]) & ~np.isnan(x)
        if used.sum() > 2 and float(x[used].std()) > 0:
            own = _of(table.cluster, used)
            rows.append(_slope(judge, apart[used, j], x[used], cluster=own, level=level))
    return rows


def _position(table: Verdicts, apart: Floats, position: Any, contrast: Contrast) -> list[Bias]:
    given = [str(x) for x in per_item(table.ratings, position, "position")]
    numbers = {word: as_number(word) for word in given}
    if None in numbers.values():
        first = min(numbers, key=lambda word: (word.casefold() not in ("first", "a"), word))
    else:
        first = min(numbers, key=lambda word: numbers[word] or 0.0)
    at_first = np.array([word == first for word in given])
    if not at_first.any() or at_first.all():
        return []
    return [
        contrast("position", judge, apart[:, j], at_first) for j, judge in enumerate(table.judges)
    ]


def _of(cluster: Ints | None, used: Mask) -> Ints | None:
    return None if cluster is None else cluster[used]


def _contrast(
    kind: str, judge: object, apart: Floats, chosen: Mask, *, cluster: Ints | None, level: float
) -> Bias:
    """Return the mean of some items minus that of the others, with its error."""
    used = ~np.isnan(apart)
    values, inside, own = apart[used], chosen[used], _of(cluster, used)
    n1, n0 = int(inside.sum()), int((~inside).sum())
    if not n1 or not n0:
        return _row(kind, judge, math.nan, values, cluster=own, level=level)
    mean1, mean0 = values[inside].mean(), values[~inside].mean()
    pull = (values - np.where(inside, mean1, mean0)) * np.where(inside, 1.0 / n1, -1.0 / n0)
    return _row(kind, judge, float(mean1 - mean0), pull, cluster=own, level=level)


def _slope(judge: object, values: Floats, x: Floats, *, cluster: Ints | None, level: float) -> Bias:
    """Return the slope on the logarithm of the length, with an error that holds for any spread."""
    centred = x - x.mean()
    total = float(centred @ centred)
    slope = float(centred @ values) / total
    residual = values - values.mean() - slope * centred
    return _row("length", judge, slope, centred * residual / total, cluster=cluster, level=level)


def _row(
    kind: str, judge: object, value: float, pull: Floats, *, cluster: Ints | None, level: float
) -> Bias:
    """Return a value with its error by each item's pull on it; the mean and a slope are fitted."""
    units = pull.size if cluster is None else int(np.unique(cluster).size)
    df = max(units - 2.0, 1.0)
    error = math.nan if math.isnan(value) else math.sqrt(clustered_variance(pull, cluster))
    reach = quantile(0.5 + level / 2.0, df) * error
    p = 2.0 * student_below(-abs(value) / error, df) if error > 0.0 else math.nan
    return Bias(
        kind=kind,
        judge=judge,
        value=value,
        standard_error=error,
        interval=Interval(value - reach, value + reach, level, "linearised"),
        p_value=p,
        p_holm=p,
        n_items=pull.size,
    )


def _unstable(table: Verdicts, level: float) -> list[Bias]:
    """Compare judges with themselves over repeated runs."""
    occasions = table.ratings.occasions
    if len(occasions) < 2:
        return []
    runs = np.stack([code_matrix(one) for one in occasions])
    rows = []
    for judge in table.judges:
        own = runs[:, :, table.ratings.raters.index(judge)]
        again = (own >= 0).sum(axis=0) > 1
        if not again.any():
            continue
        highest = np.where(own >= 0, own, -1).max(axis=0)
        lowest = np.where(own >= 0, own, np.iinfo(own.dtype).max).min(axis=0)
        changed = float((highest != lowest)[again].mean())
        n = int(again.sum())
        low, high = share_limits(changed, float(n))(level)
        rows.append(
            Bias(
                kind="instability",
                judge=judge,
                value=changed,
                standard_error=math.sqrt(changed * (1.0 - changed) / n),
                interval=Interval(low, high, level, "wilson"),
                p_value=math.nan,
                p_holm=math.nan,
                n_items=n,
            )
        )
    return rows


def _adjusted(rows: list[Bias]) -> list[Bias]:
    """Adjust p-values for the number of judges, bias by bias."""
    out: list[Bias] = []
    for kind in dict.fromkeys(one.kind for one in rows):
        those = [one for one in rows if one.kind == kind]
        adjusted = holm([one.p_value for one in those])
        out += [replace(one, p_holm=float(p)) for one, p in zip(those, adjusted, strict=True)]
    return out


def _findings(rows: list[Bias]) -> tuple[Finding, ...]:
    return found(
        *(
            (
                _is_shown(one),
                _CODES.get(one.kind, one.kind),
                "caution",
                f"{one.judge!s} {_TITLES[one.kind]}: {one.value:.3f} ({one.interval.low:.3f} to "
                f"{one.interval.high:.3f}).",
                _ADVICE[one.kind],
                {"judge": str(one.judge), "value": one.value},
            )
            for one in rows
        )
    )


def _is_shown(one: Bias) -> bool:
    if one.kind == "instability":
        return one.interval.low > _OFTEN
    return one.p_holm < _LEVEL and (one.kind == "length" or one.value > 0.0)
