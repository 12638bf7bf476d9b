"""Spreadsheets: cells, and the table among them."""
