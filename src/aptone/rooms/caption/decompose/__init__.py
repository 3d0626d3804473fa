"""Decomposition of captions into atomic claims."""
