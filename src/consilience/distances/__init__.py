"""How different two labels are.

A distance is given to a coefficient by name (see `names`), as an object made here, or as any
function of two labels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.distances._custom import CallableDistance as CallableDistance
    from consilience.distances._custom import matrix as matrix
    from consilience.distances._distance import Distance as Distance
    from consilience.distances._distance import LabelSpace as LabelSpace
    from consilience.distances._distance import get_distance as get_distance
    from consilience.distances._distance import names as names
    from consilience.distances._distance import register as register
    from consilience.distances._numeric import bipolar as bipolar
    from consilience.distances._numeric import circular as circular
    from consilience.distances.sets import dice_distance as dice_distance
    from consilience.distances.sets import jaccard_distance as jaccard_distance
    from consilience.distances.sets import masi_distance as masi_distance
    from consilience.distances.sets import masi_dkpro_distance as masi_dkpro_distance
    from consilience.distances.sets import overlap_distance as overlap_distance
    from consilience.distances.sets import passonneau_distance as passonneau_distance
    from consilience.distances.sets import taxonomy as taxonomy

public_names(__name__)
