"""Training of dual encoders (Speech-CLAP)."""
