"""Intraclass correlations and the variances that they are made of."""
