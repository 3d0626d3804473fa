"""Search for clips by a description of their style."""
