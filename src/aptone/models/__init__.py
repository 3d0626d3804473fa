"""What the rooms run on."""

from aptone.models.about import About
from aptone.models.engine import Engine

__all__ = ["About", "Engine"]
