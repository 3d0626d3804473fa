"""Built-in text embedder and its tokenisation."""
