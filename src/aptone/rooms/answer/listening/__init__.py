"""What an answer sounds like, by the ear or a chat model."""
