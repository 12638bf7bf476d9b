"""Agreement over every moment."""
