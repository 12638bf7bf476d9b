"""The agreement of a simulated design at which a coefficient has a certain value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from consilience.coefficients import estimate, registry
from consilience.core import checks as check
from consilience.core.keywords import ESTIMATE, EstimateOptions, written_out
from consilience.core.tails import root_between
from consilience.exceptions import InputError
from consilience.simulate import Simulator
from consilience.simulate.sampling import expected_table


@written_out(EstimateOptions, ESTIMATE)
def agreement_for(
    coefficient: str,
    value: float,
    *,
    prevalence: float | Sequence[float] = 0.5,
    scale: str = "nominal",
    **options: Unpack[EstimateOptions],
) -> float:
    """Return the `agreement` of a simulated design at which a coefficient has a certain value.

    For pi, kappa and alpha it is the value itself; AC, S and raw agreement also depend on how
    common the categories are.

    Parameters
    ----------
    coefficient : name or alias
    value : the value that the coefficient should have in a large sample
    prevalence : share of one of two categories, or of each category
    scale : {"nominal", "ordinal"}
    distance, missing, standard_error
        As in the coefficient.

    Returns
    -------
    float

    Raises
    ------
    InputError
        The coefficient cannot have this value at this prevalence: raters who label at random
        already reach more.

    Examples
    --------
    >>> round(agreement_for("gwet_ac", 0.8, prevalence=0.1), 3)
    0.089
    """
    chosen = registry[coefficient]
    wanted = check.real_number("value", value)
    shares = check.distribution("prevalence", prevalence)
    base = Simulator(
        n_raters=2, categories=len(shares), prevalence=shares, scale=scale, agreement=0.0
    )

    def value_at(agreement: float) -> float:
        table = expected_table(replace(base, agreement=agreement))
        return estimate(chosen, (table,), **options, on_undefined="raise").value

    lowest = value_at(0.0)
    if not lowest - 1e-9 <= wanted <= 1.0:
        raise InputError.expected(
            "value",
            f"between {lowest:.3f}, which raters who label at random reach, and 1",
            value,
            "choose another value, or another prevalence",
        )
    if wanted <= lowest:
        return 0.0
    if wanted >= value_at(1.0):
        return 1.0
    found = root_between(lambda a: value_at(a) - wanted, 0.0, 1.0, within=1e-9)
    return wanted if math.isclose(found, wanted, abs_tol=1e-6) else found
