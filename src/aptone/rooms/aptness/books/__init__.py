"""Audiobooks and films: text and recording aligned line by line."""
