"""Delivery sheets: plans for all lines of a book or script, for actors and for TTS systems."""
