"""Runs, takes and a service in the browser; this package holds what keeps operations of rooms warm."""
