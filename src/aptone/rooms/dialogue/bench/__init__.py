"""Validation of the dialogue scores against people's ratings."""
