"""Requests to other machines: where they go, what of a reply is read, and keys that are stored nowhere."""
