"""Perception of a clip as findings, tables and a plot over time."""
