"""How the weights of the speech detector are made from Silero's own file."""
