"""Options that several verbs share."""
