"""Does a diagnosis name the cause? Studies with planted faults, each drawn with and without it."""
