"""Paths inside the project folder, and no others."""

from pathlib import Path

from aptone.messages import message
from aptone.studio.refusals import NotFoundError


def inside(folder: Path, name: str) -> Path:
    """The file that a name means inside a folder.

    Args:
        folder: absolute, without symbolic links.
        name: relative to it, with ``/`` between its parts.

    Raises:
        NotFoundError: if the name is empty, absolute, climbs with ``..``, holds a NUL, leads out of the folder by a
            symbolic link, or means no file.
    """
    refusal = NotFoundError(
        message("studio.no-file-project-folder", name=repr(name[:200])),
        code="no-such-file",
        next=message("studio.put-file-into-project-folder"),
    )
    given = Path(name) if "\0" not in name else Path()
    if not given.parts or given.is_absolute() or ".." in given.parts:
        raise refusal
    try:
        path = (folder / given).resolve(strict=True)
    except (OSError, RuntimeError, ValueError):  # missing, a circle of links, or a name that no file can have
        raise refusal from None
    if not path.is_relative_to(folder) or not path.is_file():
        raise refusal
    return path
