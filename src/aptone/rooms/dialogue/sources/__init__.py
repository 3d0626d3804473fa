"""Dialogues read from folders, manifests, stereo calls and trajectory files."""
