"""Speech synthesisers, and the control of their delivery."""
