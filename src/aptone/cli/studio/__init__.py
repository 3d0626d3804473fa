"""``aptone studio``: serving and managing a study."""
