"""Runs in the browser, and a service that scores."""
