"""Each rater beside the others, and beside herself."""
