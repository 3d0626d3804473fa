"""Fit of the answer room's style model."""
