"""Contested items, and the labels that were settled."""
