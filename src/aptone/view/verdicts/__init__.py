"""Disagreement with a verdict: plans that are edited and scored again, and marks that calibrate a judge."""
