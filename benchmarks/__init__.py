"""Consilience side by side with its peers: ``python -m benchmarks``."""
