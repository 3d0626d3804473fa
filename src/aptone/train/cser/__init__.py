"""Training of CSER, emotion recognition over time."""
