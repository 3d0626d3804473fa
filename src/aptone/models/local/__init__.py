"""Models of transformers on this machine."""
