"""Judges of answers: built in, or a chat model."""
