"""Training of the built-in planner's encoders, from data to model card."""
