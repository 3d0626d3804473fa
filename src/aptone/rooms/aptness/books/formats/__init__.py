"""Readers of book files: one module a format, each gives the same blocks of text."""
