"""Files and bytes from strangers: found, guarded, decoded, written."""

from __future__ import annotations
