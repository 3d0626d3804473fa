"""How well does a voice fit a description? (Speech-CLAP, S3Bench)."""
