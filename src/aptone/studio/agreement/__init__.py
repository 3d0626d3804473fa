"""Agreement between raters, and of the automatic judge with them."""
