"""How what Aptone ships is made: one stage a file."""
