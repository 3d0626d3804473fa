"""Evidence beside every fit: which properties of a description hold in a clip, which do not, which nobody can judge."""
