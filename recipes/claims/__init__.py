"""Fit of the limits of claims."""
