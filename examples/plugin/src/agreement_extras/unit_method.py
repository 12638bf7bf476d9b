"""How many units each rater marked."""

from dataclasses import dataclass

import numpy as np

from consilience.core.result import Defined
from consilience.document import Document, Table
from consilience.report.unit_methods import UNIT_METHODS, UnitMethod


@dataclass(frozen=True, kw_only=True)
class Counts(Defined):
    """The smallest number of units over the largest."""

    value: float
    findings: tuple = ()

    def to_dict(self):
        """Return plain data."""
        return {"value": self.value, "status": self.status}

    def document(self):
        """Return what there is to read."""
        return Document(title="Counts", blocks=(Table(heads=("ratio",), rows=[[self.value]]),))


def run_counts(units, wishes):
    """Count each rater's units."""
    n_r = np.bincount(units.rater, minlength=units.n_raters)
    return {"count_ratio": Counts(value=float(n_r.min() / n_r.max()))}


UNIT_METHODS.add(UnitMethod("counts", "numbers of units", (), run_counts))
