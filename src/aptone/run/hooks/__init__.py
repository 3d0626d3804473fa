"""Hooks of a run: objects that are called when it starts, for every item, and when it ends."""

from aptone.run.hooks.protocol import Hook, HookCalls, make_hook

__all__ = ["Hook", "HookCalls", "make_hook"]
