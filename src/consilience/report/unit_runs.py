"""How each method for units is run: settings under the names that its function takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience import units as u
from consilience.coefficients import rater_bias
from consilience.core.result import Result
from consilience.document import Document, Finding
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.report.unit_methods import UNIT_METHODS, Results, UnitMethod, Wishes
from consilience.units import Units, programs

Run = Callable[[Units, Wishes], Results]
_OF_SETS = ("jaccard", "passonneau", "dice")  # those of Artstein & Poesio's study
_COMMON = ("confidence_level", "n_resamples", "rng")
_LEVEL = ("confidence_level",)


def _method(
    name: str,
    title: str,
    takes: tuple[str, ...],
    heeds: tuple[str, ...] = ("confidence_level", "asked"),
) -> Callable[[Run], Run]:
    def keep(run: Run) -> Run:
        UNIT_METHODS.add(UnitMethod(name, title, takes, run, heeds))
        return run

    return keep


@dataclass(frozen=True)
class LeftOut(Result):
    """A number of a program that such units do not allow, beside others that they do."""

    name: str
    reason: str
    value: float = math.nan
    status: str = "undefined"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is missing, and why."""
        message = f"There is no {self.name}: {self.reason}"
        return (Finding("measure_left_out", "info", message),)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        return {"value": None, "status": self.status, "reason": self.reason}

    def document(self) -> Document:
        """Return nothing to read; the finding says why."""
        return Document()


def _named(wishes: Wishes, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the wishes under the names of a function's arguments."""
    return {there: wishes[here] for here, there in names.items() if wishes.get(here) is not None}


def _same(*names: str) -> dict[str, str]:
    return {name: name for name in names}


def _not_seen(wishes: Wishes) -> dict[str, Any]:
    absent = wishes.get("absent")
    return {} if absent is None else {"absent": absent}


@_method(
    "easydiag",
    "link units that overlap, then kappa (Holle & Rein 2015)",
    ("threshold", "tolerance", "linking", "absent", "thresholds"),
)
def _easydiag(units: Units, wishes: Wishes) -> Results:
    names = _same("linking", "absent", *_COMMON)
    options = _named(wishes, {**names, "tolerance": "point_tolerance"})
    found: Results = {
        "kappa": u.easydiag(units, **_named(wishes, _same("threshold")), **options),
    }
    if wishes.get("thresholds") is not None:
        found["curve"] = u.threshold_curve(units, thresholds=wishes["thresholds"], **options)
    return found


@_method("elan", "kappa, overlap and modified Fleiss' kappa as in ELAN", ("threshold", "tolerance"))
def _elan(units: Units, wishes: Wishes) -> Results:
    names = _same("threshold", *_COMMON)
    options = _named(wishes, {**names, "tolerance": "point_tolerance"})
    found: Results = {"kappa": u.easydiag(units, mode="elan", clip=True, **options)}
    if units.n_raters == 2:
        found["overlap_extent"] = programs.overlap_extent(units)
    try:
        found["modified_fleiss"] = programs.modified_fleiss(units)
    except UnsupportedDesignError as error:  # the other numbers stand
        found["modified_fleiss"] = LeftOut("modified Fleiss' kappa", str(error))
    return found


@_method(
    "gseq",
    "GSEQ-like alignment of timed events, then kappa",
    ("threshold", "tolerance", "absent", "base"),
)
def _gseq(units: Units, wishes: Wishes) -> Results:
    names = _same("tolerance", "absent", "base", *_COMMON)
    options = _named(wishes, {**names, "threshold": "overlap"})
    return {"kappa": u.timed_alignment(units, **options)}


@_method("interact", "pairs of events in the manner of INTERACT", ("threshold", "tolerance"))
def _interact(units: Units, wishes: Wishes) -> Results:
    names = _same("tolerance", *_COMMON)
    options = _named(wishes, {**names, "threshold": "overlap"})
    return {"kappa": programs.interact_like(units, **options)}


@_method("haccou-meelis", "several partners allowed, after Haccou & Meelis; to compare", (), _LEVEL)
def _haccou_meelis(units: Units, wishes: Wishes) -> Results:
    return {"kappa": programs.multiple_links(units, **_named(wishes, _same(*_COMMON)))}


@_method(
    "jansen", "several partners allowed, after Jansen et al.; to compare", ("tolerance",), _LEVEL
)
def _jansen(units: Units, wishes: Wishes) -> Results:
    options = _named(wishes, _same("tolerance", *_COMMON))
    return {"kappa": programs.multiple_links(units, rule="jansen", **options)}


@_method("sequences", "alignment of codes in their order, without times", ())
def _sequences(units: Units, wishes: Wishes) -> Results:
    return {"kappa": u.event_alignment(units, **_named(wishes, _same(*_COMMON)))}


@_method(
    "time",
    "kappa, or another coefficient, over every moment",
    ("grid", "tolerance", "coefficient", "together", "absent"),
)
def _time(units: Units, wishes: Wishes) -> Results:
    names = {**_same("absent", "together", *_COMMON), "grid": "unit"}
    coefficient = wishes.get("coefficient")
    if units.n_raters == 2 and coefficient in (None, "cohen_kappa", "kappa"):
        options = _named(wishes, {**names, **_same("tolerance")})
        return {"kappa": u.time_kappa(units, **options)}
    if wishes.get("tolerance"):
        raise UnsupportedDesignError.needs(
            "a tolerance over time", "Cohen's kappa of two raters", f"{units.n_raters} raters",
            "name two raters and leave the coefficient out",
        )  # fmt: skip
    options = _named(wishes, {**names, **_same("coefficient")})
    found = u.time_agreement(units, **options)
    return {found.coefficient: found}


@_method("gamma", "gamma, gamma-cat and gamma-k (Mathet et al. 2015)", ("absent",))
def _gamma(units: Units, wishes: Wishes) -> Results:
    options = _named(wishes, _same(*_COMMON)) | _not_seen(wishes)
    return {"gamma": u.gamma(units, **options)}


@_method("alpha-u", "Krippendorff's alpha for unitizing of 2004", ("absent",), ("asked",))
def _alpha_u(units: Units, wishes: Wishes) -> Results:
    return {"alpha_u": u.alpha_u(units, **_not_seen(wishes))}


@_method("unitizing-alpha", "Krippendorff's alphas for unitizing of 2016", ("grid", "absent"))
def _unitizing(units: Units, wishes: Wishes) -> Results:
    options = _named(wishes, {**_same(*_COMMON), "grid": "unit_length"}) | _not_seen(wishes)
    return {"u_alpha": u.unitizing_alpha(units, **options)}


@_method("spans", "pairwise F1 of marked spans", ("matching", "threshold", "absent"))
def _spans(units: Units, wishes: Wishes) -> Results:
    options = _named(wishes, _same("matching", *_COMMON)) | _not_seen(wishes)
    if wishes.get("threshold") is not None:
        if wishes.get("matching") not in ("overlap", "jaccard"):
            raise InputError.expected(
                "threshold", 'left out unless matching is "overlap" or "jaccard"',
                wishes["threshold"], "choose such a rule for matches",
            )  # fmt: skip
        options["threshold"] = wishes["threshold"] / 100
    return {"span_f1": u.span_f1(units, **options)}


@_method(
    "boundaries",
    "boundary similarity of segmentations, beyond chance",
    ("tolerance", "grid"),
    _LEVEL,
)
def _boundaries(units: Units, wishes: Wishes) -> Results:
    options = _named(wishes, {**_same(*_COMMON), "tolerance": "n_t", "grid": "atom"})
    if "n_t" in options:
        if not float(options["n_t"]).is_integer():
            raise InputError.expected(
                "tolerance", "a whole number of places for boundaries", options["n_t"],
                "a near miss is a boundary fewer than so many places away",
            )  # fmt: skip
        options["n_t"] = int(options["n_t"])
    return {"pi_B": u.segmentation(units, **options)}


@_method(
    "sets",
    "marked words as sets: alpha, alpha prime and beta (Artstein & Poesio 2005)",
    ("items", "pieces", "distance", "grid"),
)
def _sets(units: Units, wishes: Wishes) -> Results:
    options = _named(wishes, {**_same("items", "pieces"), "grid": "atom"})
    ratings = u.word_set_ratings(units, **options)
    found = rater_bias(
        ratings,
        distance=wishes.get("distance", _OF_SETS),
        confidence_level=wishes.get("confidence_level", 0.95),
    )
    return {"krippendorff_alpha": found}


@_method("staccato", "degree of organisation (Thomann 2001)", (), ("n_resamples", "asked"))
def _staccato(units: Units, wishes: Wishes) -> Results:
    return {"organisation": programs.staccato(units, **_named(wishes, _same(*_COMMON[1:])))}


@_method("observer", "frequencies and durations as in The Observer", ("absent",))
def _observer(units: Units, wishes: Wishes) -> Results:
    options = _named(wishes, _same("absent", *_COMMON))
    return {
        "frequency": programs.session_totals(units, kind="frequency", **options),
        "duration": programs.session_totals(units, kind="duration", **options),
    }


@_method("boris", "kappa and identity as in BORIS", ("grid",), _LEVEL)
def _boris(units: Units, wishes: Wishes) -> Results:
    if wishes.get("grid") is None and units.time_unit == "ms":
        wishes = {**wishes, "grid": 1_000}  # BORIS counts in seconds
    options = _named(wishes, {"grid": "unit"})
    found: Results = {
        "kappa": programs.boris_kappa(units, **options, **_named(wishes, _same(*_COMMON)))
    }
    try:
        found["identity"] = programs.boris_identity(units, **options)
    except UnsupportedDesignError as error:  # kappa stands
        found["identity"] = LeftOut("Needleman-Wunsch identity", str(error))
    return found


def usual_method(units: Units) -> tuple[str, str]:
    """Return the method that fits such units, and why."""
    if units.n_units < len(units):
        return "spans", "units in several pieces"
    if units.labels == ("segment",) and not _has_gaps(units):
        return "boundaries", "segments without labels that leave no gap"
    if units.time_unit in ("character", "token"):
        return "spans", "spans of text with labels"
    return "easydiag", "timed units with labels"


def _has_gaps(units: Units) -> bool:
    """Tell whether any rater's units leave a part of their session empty."""
    order = np.lexsort((units.start, units.rater, units.session))
    session, rater = units.session[order], units.rater[order]
    start, end = units.start[order], units.end[order]
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = (session[1:] != session[:-1]) | (rater[1:] != rater[:-1])
    ends = np.append(begins[1:], True)
    return bool(
        (start[begins] != units.bounds[session[begins], 0]).any()
        or (end[ends] != units.bounds[session[ends], 1]).any()
        or (start[1:] != end[:-1])[~begins[1:]].any()
    )
