"""Agreement about where to cut: boundaries and windows."""
