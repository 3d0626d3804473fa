"""Construction of synthetic dialogues and estimation of thresholds."""
