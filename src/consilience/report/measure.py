"""Measure: every coefficient that applies, computed once, with what should be known about it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from consilience.coefficients import Coefficient, Estimate, estimate, registry
from consilience.coefficients.uncertainty import check_interval_method
from consilience.coefficients.unsettled_scale import undecided_scale
from consilience.core.frames import is_table
from consilience.core.interval import RESAMPLED
from consilience.core.verdict import verdict_on_several
from consilience.distances import get_distance
from consilience.document import Finding
from consilience.exceptions import ConsilienceError, InputError, UnsupportedDesignError
from consilience.findings import Study, find_in
from consilience.inference.intervals import check_confidence_level
from consilience.ratings import Ratings, as_ratings
from consilience.report.summary import DataFacts, Group, Summary

if TYPE_CHECKING:
    from consilience.core.draws import Progress
    from consilience.magnitudes import Magnitude

_FIRST = ("percent_agreement", "krippendorff_alpha", "scott_pi", "cohen_kappa", "gwet_ac")
GROUP_COEFFICIENTS = _FIRST[:2]
_MOST_ITEMS_NAMED = 1_000_000
_MOST_MARKERS = 50


@dataclass(frozen=True)
class _Request:
    """What is to be computed, the same for every group."""

    coefficients: tuple[str, ...]
    distance: Any
    missing: str | None
    shape: str | None
    sources: tuple[str, ...]
    interval: str = "auto"
    n_resamples: int | None = None
    seed: int = 0
    progress: Progress | None = None
    states: Mapping[str, Any] | None = None


def measure(
    ratings: Any,
    *,
    coefficients: str | Collection[str] | None = None,
    distance: Any = None,
    missing: str | None = None,
    confidence_level: float = 0.95,
    interval: str = "auto",
    n_resamples: int | None = None,
    seed: int = 0,
    by: str | None = None,
    shape: str | None = None,
    sources: Collection[str] = (),
    progress: Progress | None = None,
    states: Mapping[str, Any] | None = None,
) -> Summary:
    """Measure agreement with every coefficient that applies.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, a dataframe, or a dict of Ratings
        A dict gives one group of results per entry, for example per variable that was coded. A
        dataframe, a dict of columns and a list of records are recognised as files are; several
        variables in one give one group each.
    coefficients : names or aliases, optional
        Default: all that exist for the design; for groups, percent agreement and Krippendorff's
        alpha.
    distance : str, Distance or callable, default the one that fits the scale
    missing : {"gwet", "ap", "listwise", "krippendorff"}, optional
        How incomplete items are treated, where a coefficient leaves the choice.
    confidence_level : float, default 0.95
    interval : str, default "auto"
        How intervals are made: "auto", "bca", ...; see `Estimate.confidence_interval`.
    n_resamples, seed : int, optional
        For intervals by resampling.
    by : str, optional
        What the groups are, for headings; of a dataframe, the column whose values they are.
    shape, sources : optional
        How and from where the ratings were read, for the record.
    progress : callable of (done, total), optional
        Told how far the resampling of intervals has come.
    states : mapping, optional
        How many entries of an export were in which state (`Reading.states`), for the record.

    Returns
    -------
    Summary

    Raises
    ------
    UnsupportedDesignError
        A named coefficient does not exist for the design, or none does.

    Examples
    --------
    >>> from consilience import Ratings
    >>> s = measure(Ratings.from_table([[20, 5], [10, 65]], categories=["no", "yes"]))
    >>> print(f"{s['krippendorff_alpha'].value:.3f}")
    0.626
    """
    level = check_confidence_level(confidence_level)
    request = _Request(
        _names(coefficients),
        distance,
        missing,
        shape,
        tuple(sources),
        check_interval_method(interval),
        n_resamples,
        seed,
        progress,
        states,
    )
    if not _is_of_ratings(ratings) and is_table(ratings):
        ratings, request, by = _from_frame(ratings, request, by)
    if _is_of_ratings(ratings):
        return _by_group(ratings, request, level, by or "group")
    states = request.states
    data = as_ratings(ratings)
    only = _group("", data, request, level)
    only = replace(only, data=replace(only.data, states=states))
    return Summary(
        data=only.data,
        estimates=only.estimates,
        findings=only.findings,
        verdict=only.verdict,
        diagnosis=only.diagnosis,
        headline=only.headline,
        magnitudes=only.magnitudes,
        undecided=only.undecided,
        confidence_level=level,
        seed=seed,
        account=None if data.reading is None else data.reading.account,
    )


def _is_of_ratings(data: Any) -> bool:
    return isinstance(data, Mapping) and all(isinstance(r, Ratings) for r in data.values())


def _from_frame(
    frame: Any, request: _Request, by: str | None
) -> tuple[Ratings | dict[str | None, Ratings], _Request, str | None]:
    """Read a frame as a file is read: several variables give one group each."""
    from consilience.io import load

    loaded = load(frame, by=by)
    reading = loaded.reading
    reading.warn()
    request = replace(
        request,
        shape=request.shape or reading.shape,
        sources=request.sources or reading.sources,
        states=request.states or reading.states,
    )
    return (loaded.ratings if loaded.by is None else loaded.groups), request, loaded.by or by


def _by_group(ratings: Mapping[Any, Ratings], request: _Request, level: float, by: str) -> Summary:
    if not ratings:
        raise InputError.expected("ratings", "at least one group", {}, "check the data")
    request = replace(request, coefficients=request.coefficients or GROUP_COEFFICIENTS)
    groups = _groups(ratings, request, level)
    data = together([group.data for group in groups], list(ratings.values()), by)
    data = replace(data, states=request.states)
    readings = {id(one.reading): one.reading for one in ratings.values() if one.reading is not None}
    accounts = [one.account for one in readings.values()]
    return Summary(
        data=data,
        estimates=(),
        confidence_level=level,
        by=by,
        groups=groups,
        verdict=verdict_on_several({group.name: group.verdict for group in groups}, by),
        seed=request.seed,
        account=sum(accounts[1:], accounts[0]) if accounts else None,
    )


def _groups(ratings: Mapping[Any, Ratings], request: _Request, level: float) -> tuple[Group, ...]:
    """Measure each group; one that cannot be measured says why and does not stop the others."""
    groups: list[Group] = []
    refused: list[UnsupportedDesignError] = []
    tell = request.progress
    if len(ratings) > 1:  # how many of them are done tells more than how far each is
        request = replace(request, progress=None)
    for name, part in ratings.items():
        if tell is not None and len(ratings) > 1:
            tell(len(groups), len(ratings))
        try:
            groups.append(_group(str(name), part, request, level))
        except UnsupportedDesignError as error:
            refused.append(error)
            facts = DataFacts.of(part, shape=request.shape, sources=request.sources)
            why = Finding("not_measured", "problem", f"Not measured: {error}")
            groups.append(Group(name=str(name), data=facts, estimates=(), findings=(why,)))
    if len(refused) == len(groups):
        raise refused[0]
    return tuple(groups)


def _names(coefficients: str | Collection[str] | None) -> tuple[str, ...]:
    if coefficients is None:
        return ()
    words = [coefficients] if isinstance(coefficients, str) else list(coefficients)
    return tuple(dict.fromkeys(registry[word].name for word in words))


def _group(name: str, ratings: Ratings, request: _Request, level: float) -> Group:
    if request.distance is not None and is_nominal(request.distance):
        ratings = ratings.taken_as(ratings.scale)  # asked for by name: these labels are names
    if request.distance is None:
        ratings = ratings.on_scale_of_words()
    chosen = [registry[word] for word in request.coefficients]
    chosen = chosen or _applicable(ratings, request.distance)
    _check_missing(chosen, request.missing)
    estimates = tuple(_estimate(one, ratings, request) for one in chosen)
    undecided = None if request.distance is not None else undecided_scale(ratings)
    if undecided is not None:
        undecided = replace(undecided, as_numbers=_as_asked(undecided.as_numbers, request))
    if request.progress is not None:
        _resample(estimates, level, request.progress)
    study = Study(ratings, estimates, level, request.distance)
    findings = tuple(find_in(study))
    return Group(
        name=name,
        data=DataFacts.of(ratings, shape=request.shape, sources=request.sources),
        estimates=estimates,
        findings=findings,
        verdict=study.diagnosed,
        diagnosis=study.diagnosis,
        headline=None if study.headline is None else study.headline.coefficient,
        magnitudes=() if request.coefficients else _magnitudes(ratings),
        undecided=undecided,
    )


def is_nominal(distance: Any) -> bool:
    """Tell whether somebody asked for the distance of mere names."""
    return distance is not None and get_distance(distance, scale="nominal").name == "nominal"


def _applicable(ratings: Ratings, distance: Any) -> list[Coefficient]:
    """Return the coefficients that exist for the design; say why if there are none."""
    nominal = get_distance(distance, scale=ratings.scale).name == "nominal"
    first = [registry[name] for name in _FIRST]
    others = [one for one in registry.values() if one.in_summary and one not in first]
    offered = [*first, *others]
    fitting = [one for one in offered if nominal or not one.nominal_only]
    found = [one for one in fitting if one.supports(ratings) is None]
    if not found:
        reason = fitting[0].supports(ratings) or "does not apply"
        what, _, got = reason.partition(", got ")
        raise UnsupportedDesignError(
            f"agreement {what}. Got {got}. Hint: check which columns are raters."
        )
    return found


def _magnitudes(ratings: Ratings) -> tuple[Magnitude, ...]:
    """Return the intraclass correlations that readers of numbers expect beside the coefficients."""
    if ratings.scale not in ("interval", "ratio") or ratings.has_sums_only:
        return ()
    if len(ratings.raters) > _MOST_MARKERS or (
        ratings.n_missing and ratings.n_ratings > _MOST_ITEMS_NAMED
    ):
        return ()
    from consilience.magnitudes import icc  # a folder of its own, for numbers only

    try:
        return tuple(icc(ratings, model=model) for model in ("A,1", "A,k"))
    except ConsilienceError:  # one rater, labels that are not numbers
        return ()


def _check_missing(chosen: Collection[Coefficient], missing: str | None) -> None:
    rules = list(dict.fromkeys(rule for one in chosen for rule in one.missing_rules))
    if missing is not None and missing not in rules:
        raise InputError.unknown_word("missing", missing, rules)


def _estimate(coefficient: Coefficient, ratings: Ratings, request: _Request) -> Estimate:
    rule = request.missing if request.missing in coefficient.missing_rules else None
    one = estimate(
        coefficient, (ratings,), distance=request.distance, missing=rule, on_undefined="ignore"
    )
    return _as_asked(one, request)


def _as_asked(one: Estimate, request: _Request) -> Estimate:
    """Let an estimate make its interval in the way that was asked for."""
    return replace(
        one,
        interval_method=request.interval,
        n_resamples=request.n_resamples,
        seed=request.seed,
    )


def _resample(estimates: tuple[Estimate, ...], level: float, progress: Progress) -> None:
    """Resample now and say how far it has come; estimates remember their intervals."""
    wanted = [e for e in estimates if e.status == "ok" and e.interval_method in RESAMPLED]
    for k, one in enumerate(wanted):

        def so_far(done: int, total: int, before: int = k) -> None:
            progress(before * total + done, len(wanted) * total)

        one.confidence_interval(level, progress=so_far)


def _distinct_items(ratings: list[Ratings], by: str) -> int:
    """Count items once by their names, though several variables may have been coded on each."""
    n_items = [part.n_items for part in ratings]
    named = all(part.told_items is not None for part in ratings)
    if named and sum(n_items) <= _MOST_ITEMS_NAMED:
        return len({item for part in ratings for item in part.items})
    # Without names, variables are coded on the same items, and the values of a column on others.
    same = by == "variable" and all(part.design == "wide" for part in ratings)
    return max(n_items) if same else sum(n_items)


def together(facts: list[DataFacts], ratings: list[Ratings], by: str) -> DataFacts:
    """Add the groups up; raters and categories count once."""
    raters = {name for part in ratings for name in part.raters}
    categories = dict.fromkeys(label for part in facts for label in part.categories)
    scales = tuple(dict.fromkeys(part.scale for part in facts))
    return DataFacts(
        items=_distinct_items(ratings, by),
        raters=len(raters) or max(part.raters for part in facts),
        ratings=sum(part.ratings for part in facts),
        missing=sum(part.missing for part in facts),
        categories=tuple(categories),
        scale=scales[0] if len(scales) == 1 else "mixed",
        scales=scales,
        shape=facts[0].shape,
        sources=facts[0].sources,
    )
