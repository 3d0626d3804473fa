"""Recipe of the scorer that reads a question and an answer together."""
