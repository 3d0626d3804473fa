"""Speech synthesisers, and how they are told to deliver a line."""
