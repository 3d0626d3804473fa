"""Training of judges and encoders on a user's own data; one folder per kind of model."""
