"""The numbers of a result on units, in one shape whatever the method."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from consilience.document import plain, plain_fields
from consilience.inference import Interval
from consilience.units import EasyDiag, EasyDiagPairs, ThresholdCurve
from consilience.units.linking.diag_results import shown_label

_NAMES = {
    "alpha_u": "alpha-U (2004)",
    "binary_u_alpha": "|u-alpha",
    "cu_alpha": "cu-alpha",
    "duration": "Agreement of durations",
    "frequency": "Agreement of frequencies",
    "gamma": "gamma",
    "gamma_cat": "gamma-cat",
    "gamma_k": "gamma-k",
    "identity": "Needleman-Wunsch identity (percent)",
    "k_u_alpha": "(k)u-alpha",
    "kappa": "kappa",
    "kappa_B": "kappa* (boundary similarity)",
    "kappa_S": "kappa* (segmentation similarity)",
    "kappa_linked": "kappa of linked units",
    "linked_share": "share of units linked",
    "modified_fleiss": "modified Fleiss' kappa",
    "organisation": "degree of organisation",
    "overlap_extent": "overlap over extent",
    "pi_B": "pi* (boundary similarity)",
    "pi_S": "pi* (segmentation similarity)",
    "raw": "raw agreement",
    "raw_linked": "raw agreement of linked units",
    "span_f1": "mean F1 of spans",
    "u_alpha": "u-alpha",
}
# Numbers that chance is not taken out of; F1 is what kappa tends to where nothing was marked.
UNCORRECTED = ("duration", "frequency", "identity", "organisation", "overlap_extent", "raw",
               "raw_linked", "linked_share")  # fmt: skip
_EASYDIAG = ("kappa", "kappa_linked", "raw", "raw_linked", "linked_share")


@dataclass(frozen=True, kw_only=True)
class UnitValue:
    """One number about units; `label` says of which label, None of all."""

    coefficient: str
    name: str
    value: float
    label: Any = None
    status: str = "ok"
    reason: str | None = None
    observed: float | None = None
    expected: float | None = None
    interval: Mapping[str, Any] | None = None

    @property
    def limits(self) -> Interval | None:
        """The interval, if there is one."""
        found = self.interval
        if found is None:
            return None
        return Interval(found["low"], found["high"], found["confidence_level"], found["method"])

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        label = None if self.label is None else shown_label(self.label)
        return plain_fields(self, label=label)


def values_of(key: str, result: Any) -> list[UnitValue]:
    """Return the numbers of a result, the most important first; `key` names its own value."""
    if isinstance(result, EasyDiag):
        return _easydiag(result)
    if isinstance(result, EasyDiagPairs):
        return _pairs(result)
    if isinstance(result, ThresholdCurve):
        return []  # it shows what becomes of the others
    record = result.to_dict()
    if "estimates" in record:
        return [_estimate(one) for one in record["estimates"]]
    labels = getattr(result, "categories", None) or getattr(result, "by_label", None) or ()
    each = [one for one in labels if hasattr(one, "kappa")] if isinstance(labels, tuple) else []
    return [
        _made(key, result.value, result, interval=record.get("interval")),
        *(_made("kappa", one.kappa, one, label=one.label) for one in each),
    ]


def _made(key: str, value: float, of: Any, *, label: Any = None, interval: Any = None) -> UnitValue:
    observed, expected = getattr(of, "observed", None), getattr(of, "expected", None)
    return UnitValue(
        coefficient=key,
        name=_NAMES.get(key, getattr(of, "name", key)),
        label=label,
        value=float(value),
        status=getattr(of, "status", "ok"),
        reason=getattr(of, "reason", None),
        observed=observed,
        expected=expected,
        interval=_limits(interval),
    )


def _estimate(record: Mapping[str, Any]) -> UnitValue:
    key = str(record["coefficient"])
    value = record["value"]
    name = _NAMES.get(key, record.get("name", key))
    if record.get("distance", "nominal") != "nominal":
        name += f", {record['distance']} distance"
    return UnitValue(
        coefficient=key,
        name=name,
        label=record.get("category"),
        value=math.nan if value is None else float(value),
        status=record.get("status", "ok"),
        reason=record.get("reason"),
        observed=record.get("observed"),
        expected=record.get("expected"),
        interval=_limits(record.get("interval")),
    )


def _limits(interval: Any) -> Mapping[str, Any] | None:
    """Return an interval that has limits as plain data."""
    if interval is None:
        return None
    record: Mapping[str, Any] = plain(interval)
    return record if record.get("low") is not None else None


def _easydiag(result: EasyDiag) -> list[UnitValue]:
    chance = {"kappa": ("raw", "expected"), "kappa_linked": ("raw_linked", "expected_linked")}
    found, level = [], result.settings.confidence_level
    for key in _EASYDIAG:
        value = getattr(result, key)
        observed, expected = chance.get(key, (None, None))
        found.append(
            UnitValue(
                coefficient=key,
                name=_NAMES[key],
                value=value,
                status="ok" if math.isfinite(value) else "undefined",
                reason=result.reasons.get(key),
                observed=None if observed is None else getattr(result, observed),
                expected=None if expected is None else getattr(result, expected),
                interval=_limits(result.confidence_interval(level, name=key)),
            )
        )
    for one in result.categories:
        interval: Interval = result.confidence_interval(level, label=one.label)
        found.append(_raw(_made("kappa", one.kappa, one, label=one.label, interval=interval), one))
    return found


def _raw(value: UnitValue, of: Any) -> UnitValue:
    from dataclasses import replace

    return replace(value, observed=of.raw)


def _pairs(result: EasyDiagPairs) -> list[UnitValue]:
    kappa = _made("kappa", result.kappa, result, interval=result.interval)
    found = [_raw(kappa, result)]
    found += [
        UnitValue(coefficient=key, name=_NAMES[key], value=getattr(result, key))
        for key in ("raw", "linked_share")
    ]
    return found
