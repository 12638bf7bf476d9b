"""Do marks go together? Correlations and measures of order."""
