"""Verdicts of judges, as evaluation tools write them."""
