"""Files of other annotation tools: read with limits, clips copied under names that tell nothing."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from aptone.audio import encode_lossless, read_ref
from aptone.errors import RecordError
from aptone.files import make_folder, whole_file, write_whole
from aptone.messages import message
from aptone.types import AudioRef, Json, loads

LARGEST_FILE = 256 << 20
"""Bytes of a file of tasks or results that are read."""
CLIPS = "clips"


def text_file(path: Path) -> str:
    """Read a text file; raises `RecordError` if it cannot be read, is too large or not UTF-8."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise RecordError(message("exchange.too-large", name=path, most=LARGEST_FILE >> 20))
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise RecordError(message("exchange.unreadable", name=path, why=error.strerror)) from error
    except UnicodeDecodeError as error:
        raise RecordError(message("run.not-utf-8", name=path, why=error.reason)) from error


def json_file(path: Path) -> Json:
    """Read a JSON file, strictly."""
    return loads(text_file(path), what=str(path))


def write_file(path: Path, text: str) -> None:
    """Write a file, its folder with it."""
    make_folder(path.parent)
    write_whole(path, text)


def copied_clip(clip: AudioRef, path: Path, folder: Path) -> str:
    """Copy a clip of the project folder into an export, cut where it is a part, and return its path there."""
    source = folder / clip.path
    whole = clip.start == 0 and clip.end is None
    name = PurePosixPath(clip.path)
    if whole:
        target = f"{CLIPS}/{name.name if name.suffix else f'{name.name}.wav'}"
    else:
        end = "" if clip.end is None else f"-{clip.end:g}"
        target = f"{CLIPS}/{name.stem}-{clip.start:g}{end}.wav"
    if (path / target).is_file():
        return target
    make_folder(path / CLIPS)
    with whole_file(path / target) as partial:
        if whole:
            shutil.copyfile(source, partial)
        else:
            data, _ = encode_lossless(
                read_ref(AudioRef(os.fspath(source), clip.start, clip.end), rate=None, channel="mix")
            )
            partial.write_bytes(data)
    return target


def story_text(value: Json) -> str:
    """Return a text or a story as plain text, the line in question marked."""
    if isinstance(value, Mapping) and isinstance(lines := value.get("lines"), list | tuple):
        said = []
        for place, line in enumerate(lines):
            role = str(line.get("role", "")) if isinstance(line, Mapping) else ""
            text = str(line.get("text", "")) if isinstance(line, Mapping) else str(line)
            mark = "→ " if place == value.get("target") else ""
            said.append(f"{mark}{role}: {text}" if role else f"{mark}{text}")
        return "\n".join(said)
    if isinstance(value, list | tuple):
        return "\n".join(map(str, value))
    return str(value)
