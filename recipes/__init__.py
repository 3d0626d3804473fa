"""Recipes: the training of every shipped weight; not part of the wheel."""
