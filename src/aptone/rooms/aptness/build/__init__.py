"""Builders of CEAEval-D and of the proxy benchmark."""
