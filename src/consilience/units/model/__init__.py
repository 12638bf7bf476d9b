"""Units: what raters marked, checked once, and what results about them share."""
