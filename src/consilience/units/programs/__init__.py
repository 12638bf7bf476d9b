"""Measures as annotation programs compute them."""
