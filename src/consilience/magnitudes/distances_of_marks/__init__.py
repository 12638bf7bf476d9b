"""How far marks lie apart: differences, limits, lines, distances."""
