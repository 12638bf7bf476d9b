"""Agreement as a test: assertions for pytest and other runners."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.testing.assertions import assert_agreement as assert_agreement

public_names(__name__)
