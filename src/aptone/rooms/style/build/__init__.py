"""Construction of the style corpus and of S3Bench."""
