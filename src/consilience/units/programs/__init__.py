"""Agreement as annotation programs and other authors compute it, to compare with their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.units.programs._boris_observer import boris_identity as boris_identity
    from consilience.units.programs._boris_observer import boris_kappa as boris_kappa
    from consilience.units.programs._boris_observer import session_totals as session_totals
    from consilience.units.programs.elan_interact import interact_like as interact_like
    from consilience.units.programs.elan_interact import modified_fleiss as modified_fleiss
    from consilience.units.programs.elan_interact import multiple_links as multiple_links
    from consilience.units.programs.elan_interact import overlap_extent as overlap_extent
    from consilience.units.programs.elan_interact import staccato as staccato

public_names(__name__)
