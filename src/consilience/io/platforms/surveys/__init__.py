"""Exports of forms and surveys."""
