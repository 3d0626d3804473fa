"""``aptone train``: one file a stage."""
