"""Models of the truth, of raters' errors, and of chance."""
