"""Figures of judges: corrected rates, shared errors, drift, ranks and soft labels."""
