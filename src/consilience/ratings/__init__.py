"""Ratings: items, raters and labels, checked once and laid out frugally."""

from consilience.core.answers import answering
from consilience.core.labels import SCALES, Note
from consilience.ratings._given import as_ratings
from consilience.ratings._ratings import Ratings

__all__ = ["SCALES", "Note", "Ratings", "as_ratings"]

answering(globals(), __all__)
