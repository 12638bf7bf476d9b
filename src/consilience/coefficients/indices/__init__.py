"""Numbers that take a coefficient apart: prevalence, bias, the largest value, raters' habits."""
