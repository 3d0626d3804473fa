"""How the built-in planner's encoders were made, from data to card."""
