"""Fleiss' kappa with all ratings in one urn: an item with more ratings weighs more."""

import numpy as np

from consilience.coefficients import Coefficient, register
from consilience.rows import Margin, Total


def n_ratings(rows):
    """Count the ratings of each row."""
    return rows.ratings


def one(rows):
    """Give every row the same weight."""
    return np.ones(rows.ratings.size)


@register
class UrnPi(Coefficient):
    """Chance from all ratings in one urn."""

    name = "urn_pi"
    aliases = ("urn",)
    summary = "Chance: all ratings in one urn."

    def title(self, design):
        """Return what results print."""
        return "Pi of the urn"

    def terms(self, form):
        """Return the sums that are needed."""
        return {**super().terms(form), "ratings": Total(n_ratings), "margin": Margin(one, form)}

    def expected(self, t, form):
        """Return the disagreement expected by chance."""
        return t["margin"] / t["ratings"] ** 2
