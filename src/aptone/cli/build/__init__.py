"""``aptone build``: one file a build."""
