"""How the weights of the ear were made."""
