"""Krippendorff's alphas for unitizing."""
