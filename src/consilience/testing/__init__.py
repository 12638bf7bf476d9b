"""Agreement as a test: assertions for pytest and other runners."""

from __future__ import annotations

from consilience.core.answers import answering
from consilience.testing.assertions import assert_agreement

__all__ = ["assert_agreement"]

answering(globals(), __all__)
