"""Where items are worked on: this process, several processes, or a Ray cluster."""
