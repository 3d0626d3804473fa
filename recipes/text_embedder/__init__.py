"""How the built-in text embedder was made."""
