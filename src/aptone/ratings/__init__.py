"""Rating tasks and the ratings of people: one schema for rooms and studio."""
