"""Files and bytes from strangers: found, guarded, decoded, written."""
