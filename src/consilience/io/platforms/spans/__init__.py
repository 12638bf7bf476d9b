"""Spans and regions in the exports of platforms, as units."""
