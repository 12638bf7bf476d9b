"""Exports of annotation platforms."""
