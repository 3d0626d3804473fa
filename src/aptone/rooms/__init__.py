"""The rooms: one for each question that Aptone answers."""

from aptone.rooms.room import Room

__all__ = ["Room"]
