"""Planners that ask a chat model, behind a server or on this machine."""
