"""How the limits of claims were fitted."""
