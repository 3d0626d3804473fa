"""Database of a study: people, tasks, assignments, answers."""
