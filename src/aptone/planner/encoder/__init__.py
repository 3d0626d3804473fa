"""The learned reader: a small transformer for each language that infers delivery from context and line."""
