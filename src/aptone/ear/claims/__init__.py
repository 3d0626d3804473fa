"""Verification of claims about a voice against what the ear measured."""
