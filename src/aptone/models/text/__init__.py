"""The built-in text embedder and its tokenisation."""
