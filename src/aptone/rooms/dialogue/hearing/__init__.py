"""Emotion of dialogue turns: trajectories and labels."""
