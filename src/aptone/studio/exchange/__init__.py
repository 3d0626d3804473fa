"""Import and export of tasks, clips and ratings."""
