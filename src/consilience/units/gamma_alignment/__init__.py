"""Gamma: the best alignment of units against random continua."""
