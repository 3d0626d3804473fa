"""How the style model of the room answer was fitted."""
