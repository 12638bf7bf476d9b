"""Agreement taken apart."""
