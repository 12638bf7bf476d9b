"""Sheets that go to the adjudicator and come back."""
