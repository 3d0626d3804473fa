"""What the ear heard, as findings, tables and a picture over time."""
