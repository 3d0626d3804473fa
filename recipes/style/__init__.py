"""Training and export of the built-in style model."""
