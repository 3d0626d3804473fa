"""How the built-in style model was made."""
