"""Group-relative policy optimisation of judges."""
