"""Ranking of several takes of one line."""
