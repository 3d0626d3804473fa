"""Construction of SURABench."""
