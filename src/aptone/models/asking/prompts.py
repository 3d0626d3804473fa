"""Sets of prompts: one text file for each prompt and language; a user's folder may replace a set.

A prompt is named ``<name>.<language>.txt``. Placeholders are written ``{{name}}``. They are filled in one pass, so that
material which itself holds ``{{line}}`` is not filled; it goes through `aptone.models.asking.guard.guard` first.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from aptone.errors import UsageError
from aptone.types import Language

_PLACE = re.compile(r"\{\{(\w+)\}\}")
LARGEST_PROMPT = 100_000
"""Most characters of a prompt."""


@dataclass(frozen=True, slots=True)
class PromptSet:
    """Prompts by name and language.

    Args:
        texts: texts by ``<name>.<language>``.
        source: folder of the prompts, for messages.
    """

    texts: Mapping[str, str]
    source: str

    @property
    def hash(self) -> str:
        """Short hash of all prompts, for signatures."""
        digest = hashlib.sha256()
        for name, text in sorted(self.texts.items()):
            digest.update(f"{name}\0{len(text)}\0{text}\0".encode())
        return digest.hexdigest()[:16]

    def fill(self, name: str, language: Language, material: Mapping[str, str]) -> str:
        """Return a prompt with its placeholders filled.

        >>> PromptSet({"hello.en": "Say {{word}}!"}, source="here").fill("hello", "en", {"word": "{{word}}"})
        'Say {{word}}!'
        """
        return _PLACE.sub(lambda place: material[place[1]], self.texts[f"{name}.{language}"])


def load_prompts(folder: Path, *, places: Mapping[str, Iterable[str]]) -> PromptSet:
    """Read a set of prompts, in both languages.

    Args:
        folder: folder of the files.
        places: names of the prompts, and the placeholders of each: no fewer, or the model would miss material, and no
            others, or they could not be filled.

    Raises:
        UsageError: if a prompt is missing, unreadable, or has other placeholders.
    """
    texts = {}
    for name, expected in places.items():
        for language in ("en", "zh"):
            path = folder / f"{name}.{language}.txt"
            texts[f"{name}.{language}"] = _checked(path, frozenset(expected))
    return PromptSet(texts, source=str(folder))


def _checked(path: Path, expected: frozenset[str]) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as a prompt ({error}). A set of prompts needs this file.") from error
    if not text or len(text) > LARGEST_PROMPT:
        raise UsageError(f"{path}: expected a prompt of 1 to {LARGEST_PROMPT} characters, got {len(text)}.")
    if (found := frozenset(_PLACE.findall(text))) != expected:
        wanted = " and ".join(f"{{{{{name}}}}}" for name in sorted(expected)) or "none"
        got = " and ".join(f"{{{{{name}}}}}" for name in sorted(found)) or "none"
        raise UsageError(f"{path}: expected the places {wanted}, got {got}.")
    return text
