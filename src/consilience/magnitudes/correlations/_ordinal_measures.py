"""Measures made of concordant and discordant pairs share one result."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from consilience.core.checks import check_word
from consilience.exceptions import UnsupportedDesignError
from consilience.inference import Test, wald_test
from consilience.inference.intervals import Alternative
from consilience.magnitudes._magnitude import Magnitude, check_number
from consilience.magnitudes.correlations._concordance import Concordance

TESTS = ("ase0", "kendall")


@dataclass(frozen=True, kw_only=True, repr=False)
class OrdinalAssociation(Magnitude):
    """Kendall's tau, Goodman & Kruskal's gamma or Somers' d, with both asymptotic errors.

    Attributes
    ----------
    ase1, ase0 : float
        The error without a null hypothesis, for intervals, and under the hypothesis of no
        association, for the test of 0.
    n_concordant, n_discordant : float
        Pairs of items in the same order, and in opposite order.
    kendall_z : float
        The value against its variance over all permutations, ties corrected; what R's cor.test
        and scipy's kendalltau print a p-value for. NaN for items that go together.
    """

    ase1: float = math.nan
    ase0: float = math.nan
    n_concordant: float = math.nan
    n_discordant: float = math.nan
    kendall_z: float = math.nan
    variant: str = ""
    lowest: ClassVar[float] = -1.0
    highest: ClassVar[float] = 1.0

    @classmethod
    def of(
        cls, pairs: Concordance, facts: dict[str, Any], value: float, ase1: float, ase0: float
    ) -> Self:
        """Return the measure with the pairs behind it."""
        if pairs.spread == 0.0:
            facts["flags"] += ("no_null_error",)
        return cls(
            value=value,
            standard_error=ase1,
            standard_error_method="ase1",
            ase1=ase1,
            ase0=ase0,
            n_concordant=pairs.p / 2.0,
            n_discordant=pairs.q / 2.0,
            kendall_z=pairs.null_z,
            **facts,
        )

    @property
    def statistic(self) -> float:
        """SPSS's approximate T: the value divided by ASE0."""
        return self.test().statistic

    @property
    def details(self) -> dict[str, Any]:
        """Both errors, T, and the pairs behind the value."""
        return {
            **({"variant": self.variant} if self.variant else {}),
            "ase1": self.ase1,
            "ase0": self.ase0,
            "T": self.statistic,
            "concordant_pairs": self.n_concordant,
            "discordant_pairs": self.n_discordant,
        }

    def test(
        self,
        null: float = 0.0,
        *,
        alternative: Alternative = "two-sided",
        method: str = "ase0",
    ) -> Test:
        """Test a null value by a normal distribution, with clusters by Student's t.

        Parameters
        ----------
        null : the value under the hypothesis; any but 0 uses ASE1
        method : {"ase0", "kendall"}
            For 0: the error that SPSS uses, or Kendall's variance over all permutations.
        """
        null = check_number("null", null)
        if check_word("method", method, TESTS) == "kendall" and null == 0.0:
            if self.clusters is not None:
                raise UnsupportedDesignError.needs(
                    'method="kendall"',
                    "items that are independent of each other",
                    f"items that share a {self.clusters.name}",
                    'use method="ase0"',
                )
            value, error = self.kendall_z, 1.0
        else:
            value, error = self.value, self.ase0 if null == 0.0 else self.ase1
        return wald_test(
            value,
            error if math.isfinite(value) else math.nan,
            null=null,
            alternative=alternative,
            degrees_of_freedom=self.degrees_of_freedom,
            method=method if null == 0.0 else "ase1",
        )
