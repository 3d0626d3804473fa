"""Executors of a run: this process, several processes, or a Ray cluster."""
