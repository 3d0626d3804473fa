"""Fit of the built-in judge's parameters."""
