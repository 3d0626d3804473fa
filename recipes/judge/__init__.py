"""How the parameters of the built-in judge were fitted."""
