"""Training of the built-in text embedder."""
