"""The benchmark S3Bench against people."""
