"""Conversion of the speech detector's weights from Silero's own file."""
