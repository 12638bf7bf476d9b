"""How different two labels are.

A distance is given to a coefficient by name (see `names`), as an object made here, or as any
function of two labels.
"""

from __future__ import annotations

from consilience.core.answers import answering
from consilience.distances import _nominal, _ordinal_distances, _ratio, _scores
from consilience.distances._bipolar import bipolar
from consilience.distances._callable import CallableDistance
from consilience.distances._circular import circular
from consilience.distances._distance import Distance, LabelSpace, get_distance, names, register
from consilience.distances._masi_dkpro import masi_dkpro_distance
from consilience.distances._matrix import matrix
from consilience.distances._overlap import overlap_distance
from consilience.distances._sets import (
    dice_distance,
    jaccard_distance,
    masi_distance,
    passonneau_distance,
)
from consilience.distances.taxonomies import taxonomy

__all__ = [
    "CallableDistance",
    "Distance",
    "LabelSpace",
    "bipolar",
    "circular",
    "dice_distance",
    "get_distance",
    "jaccard_distance",
    "masi_distance",
    "masi_dkpro_distance",
    "matrix",
    "names",
    "overlap_distance",
    "passonneau_distance",
    "register",
    "taxonomy",
]

answering(globals(), __all__)

# Importing a file registers its distances.
_REGISTERED = (_nominal, _ordinal_distances, _ratio, _scores)
