"""Marked spans of text: F1, tokens, chains."""
