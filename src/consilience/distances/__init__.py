"""How different two labels are.

A distance is given to a coefficient by name (see `names`), as an object made here, or as any
function of two labels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.distances._bipolar import bipolar as bipolar
    from consilience.distances._callable import CallableDistance as CallableDistance
    from consilience.distances._circular import circular as circular
    from consilience.distances._distance import Distance as Distance
    from consilience.distances._distance import LabelSpace as LabelSpace
    from consilience.distances._distance import get_distance as get_distance
    from consilience.distances._distance import names as names
    from consilience.distances._distance import register as register
    from consilience.distances._masi_dkpro import masi_dkpro_distance as masi_dkpro_distance
    from consilience.distances._matrix import matrix as matrix
    from consilience.distances._overlap import overlap_distance as overlap_distance
    from consilience.distances._sets import dice_distance as dice_distance
    from consilience.distances._sets import jaccard_distance as jaccard_distance
    from consilience.distances._sets import masi_distance as masi_distance
    from consilience.distances._sets import passonneau_distance as passonneau_distance
    from consilience.distances.taxonomies import taxonomy as taxonomy

public_names(__name__)
