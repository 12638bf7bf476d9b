"""Which columns are items, raters and labels."""
