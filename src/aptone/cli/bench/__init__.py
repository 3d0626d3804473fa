"""``aptone bench``: one file a benchmark."""
