"""One aspect of a verdict a module: emotion, sounds besides words, change, and their comparison."""
