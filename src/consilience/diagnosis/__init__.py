"""Why agreement is as it is: each cause by what the coefficient would be without it.

A cause is a class with a method `find`; `register` makes it known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.diagnosis._cause import register as register
    from consilience.diagnosis._diagnosis import Diagnosis as Diagnosis
    from consilience.diagnosis._diagnosis import diagnose as diagnose
    from consilience.diagnosis._diagnosis import diagnosis_of as diagnosis_of

public_names(__name__)
