"""Acoustic measures: pitch, loudness, tempo, spectrum, intonation and rhythm."""
