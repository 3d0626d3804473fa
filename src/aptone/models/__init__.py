"""What the rooms run on."""

from aptone.models.engine import Engine

__all__ = ["Engine"]
