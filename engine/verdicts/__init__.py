"""Grading, the store, statistics and reports (methods.md 1.4, 1.5)."""
