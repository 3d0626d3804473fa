"""All operations: those that rooms register, and hearing."""

from aptone.errors import RegistryError
from aptone.registry import Registry
from aptone.rooms.operation import Operation, operations_of
from aptone.rooms.room import Room
from aptone.view.hear import HEAR


def find_operations() -> dict[str, Operation]:
    """The operations by name, in the order of rooms.

    Raises:
        RegistryError: if two have one name, or a room names something else.
    """
    rooms = Registry("rooms", Room)
    found: dict[str, Operation] = {}
    for one in (HEAR, *(operation for name in rooms for operation in operations_of(rooms.load(name)))):
        if one.name in found:
            raise RegistryError(f"two operations are named {one.name!r}; give each its own name.")
        found[one.name] = one
    return found
