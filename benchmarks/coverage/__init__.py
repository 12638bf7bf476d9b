"""How often do the intervals really contain the true value? ``make coverage`` finds out."""
