"""Dual encoders of voices and descriptions (Speech-CLAP)."""
