"""The demonstration project of ``aptone studio --demo``."""
