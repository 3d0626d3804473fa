"""Prices of models behind a server, by option or from a file of the user's own, and estimates of token counts.

The package ships no prices: they change without notice, and a stale one would make every limit on cost a guess. A file
of prices is a JSON object, by the name that the server knows a model by; numbers are for a million tokens::

    {"date": "2026-11-01", "currency": "USD", "models": {"some-model": {"input": 2.5, "output": 10, "audio": 40}}}

``APTONE_PRICES`` names it for all parts, ``--set judge.prices=FILE`` for one.
"""

import datetime
import math
import os
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aptone.errors import UsageError
from aptone.messages import message
from aptone.models.chat import AnyMessage, parts_of
from aptone.types import Audio, is_finite_number, loads

VARIABLE = "APTONE_PRICES"
"""Environment variable that names a file of prices."""

AUDIO_TOKENS = 25.0
"""Tokens of a second of sound where the server does not count them: those of Qwen's Omni models; others have fewer."""

_TEXT_CHARACTERS = 4.0  # of a token, in alphabets; an ideograph is a token of its own
_FIELDS = ("input", "output", "audio")


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of a million tokens; 0 for free ones, ``None`` for unknown ones, which cost nothing that can be counted.

    Args:
        audio: price of input tokens that are sound; ``None`` for that of other input.
        date: date of the file that they are from; empty for prices by option, and for a file without one.

    Raises:
        UsageError: if a price is negative.
    """

    input: float | None = None
    output: float | None = None
    audio: float | None = None
    date: str = ""

    def __post_init__(self) -> None:
        if any(not (one is None or 0 <= one < math.inf) for one in (self.input, self.output, self.audio)):
            raise UsageError(f"prices are not negative, got {self.input}, {self.output} and {self.audio}.")

    @property
    def are_known(self) -> bool:
        """Check that input and output have a price."""
        return self.input is not None and self.output is not None

    def cost(self, *, input_tokens: int, output_tokens: int, audio_tokens: int = 0) -> float:
        """Return the cost of a call; `audio_tokens` are those of the input tokens that are sound.

        >>> Prices(input=2.0, output=8.0).cost(input_tokens=1000, output_tokens=500)
        0.006
        >>> Prices(input=2.0, output=8.0, audio=40.0).cost(input_tokens=1000, output_tokens=500, audio_tokens=250)
        0.0155
        """
        text, out = self.input or 0.0, self.output or 0.0
        sound = min(audio_tokens, input_tokens)
        audio = text if self.audio is None else self.audio
        return (text * (input_tokens - sound) + audio * sound + out * output_tokens) / 1e6


def prices_of(model: str, given: Prices, file: str = "") -> Prices:
    """Return the prices of a model: those given by option, else those of the file, else those of `VARIABLE`'s file.

    Raises:
        UsageError: if the file cannot be read, or is no file of prices.
    """
    path = file or os.environ.get(VARIABLE, "")
    if given.are_known or not path:
        return given
    listed, date = _read(Path(path), model)
    known = {name: listed.get(name) if getattr(given, name) is None else getattr(given, name) for name in _FIELDS}
    return Prices(**known, date=date if listed else "")


def _read(path: Path, model: str) -> tuple[Mapping[str, float], str]:
    """Return the prices of a model, none where the file has none, and the date of the file."""
    try:
        data = loads(path.read_bytes(), what=str(path))
    except OSError as error:
        raise UsageError(message("models.prices-unreadable", path=path, why=error)) from error
    models = data.get("models") if isinstance(data, Mapping) else None
    if not isinstance(models, Mapping):
        raise UsageError(message("models.prices-shape", path=path, why="models"))
    found = models.get(model, {})
    if not isinstance(found, Mapping) or not all(
        name in _FIELDS and is_finite_number(value) and value >= 0 for name, value in found.items()
    ):
        raise UsageError(message("models.prices-shape", path=path, why=model))
    dated = data.get("date", "") if isinstance(data, Mapping) else ""
    try:
        date = str(dated) and datetime.date.fromisoformat(str(dated)).isoformat()
    except ValueError:
        raise UsageError(message("models.prices-shape", path=path, why="date")) from None
    return {name: float(value) for name, value in found.items()}, date  # type: ignore[arg-type]


def text_tokens(text: str) -> int:
    """Return the estimated number of tokens of a text: an ideograph is one, four other characters are one.

    >>> text_tokens("Is anybody there?"), text_tokens("有人吗")
    (5, 3)
    """
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return wide + math.ceil((len(text) - wide) / _TEXT_CHARACTERS)


def audio_tokens(seconds: float) -> int:
    """Return the estimated number of tokens of a recording.

    >>> audio_tokens(2.5)
    63
    """
    return math.ceil(AUDIO_TOKENS * seconds)


def sent_tokens(messages: Sequence[AnyMessage]) -> tuple[int, int]:
    """Return the estimated input tokens of a conversation, and those among them that are sound."""
    sent = [part for one in messages for part in parts_of(one)]
    sound = sum(audio_tokens(part.seconds) for part in sent if isinstance(part, Audio))
    return sound + sum(text_tokens(part) for part in sent if isinstance(part, str)), sound
