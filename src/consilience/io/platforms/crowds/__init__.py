"""Exports of crowd platforms."""
