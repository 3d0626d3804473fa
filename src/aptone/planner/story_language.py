"""Which language a story is written in, so that text in a third one is never read as if it were English."""

import functools
import re
from typing import Any

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from aptone.errors import UsageError
from aptone.types import Language, Sample

LANGUAGES: tuple[Language, ...] = ("en", "zh")
"""Languages that the built-in planner reads."""
LOOKED_AT = 1500
"""Characters around the target that are looked at."""
NEAR = 6
"""Lines before and after the target that are looked at."""
FEWEST_WORDS = 5
"""Words below which a text in Latin letters may be anything."""
UNLIKELY = 0.02
"""Probability of English below which a text in Latin letters is taken for another language."""
_SCRIPTS = (
    ("Japanese", re.compile(r"[\u3040-\u30ff]")),
    ("Korean", re.compile(r"[\uac00-\ud7af\u1100-\u11ff]")),
    ("a language in Cyrillic letters", re.compile(r"[\u0400-\u04ff]")),
    ("a language in Arabic letters", re.compile(r"[\u0600-\u06ff]")),
    ("Hebrew", re.compile(r"[\u0590-\u05ff]")),
    ("Greek", re.compile(r"[\u0370-\u03ff]")),
    ("Thai", re.compile(r"[\u0e00-\u0e7f]")),
    ("a language in an Indic script", re.compile(r"[\u0900-\u0dff]")),
)
_NAMES = {
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "pt": "Portuguese",
    "nl": "Dutch",
    "pl": "Polish",
    "cs": "Czech",
    "sv": "Swedish",
    "da": "Danish",
    "no": "Norwegian",
    "fi": "Finnish",
    "tr": "Turkish",
    "ro": "Romanian",
    "hu": "Hungarian",
    "id": "Indonesian",
    "vi": "Vietnamese",
}
_LATIN_WORD = re.compile(r"[^\W\d_]+")
_CHINESE = re.compile(r"[\u3400-\u9fff]")


def foreign_language(text: str) -> str:
    """The name of the language of a text that is neither English nor Mandarin; empty for those two, or if unsure.

    >>> foreign_language("Er zitterte vor Angst und sagte: „Geh weg!“"), foreign_language("Go away!")
    ('German', '')
    """
    near = text[-LOOKED_AT:]
    letters = sum(character.isalpha() for character in near)
    for name, script in _SCRIPTS:
        if letters and 4 * len(script.findall(near)) > letters:
            return name
    if letters and 3 * len(_CHINESE.findall(near)) >= letters:
        return ""
    if len(_LATIN_WORD.findall(near)) < FEWEST_WORDS:
        return ""
    ranked = _identifier().rank(near)
    if dict(ranked)["en"] >= UNLIKELY:
        return ""
    return _NAMES[ranked[0][0]]


def require_readable(sample: Sample) -> None:
    """Refuse what the built-in planner cannot read.

    Raises:
        UsageError: if the story is in another language than English or Mandarin.
    """
    if sample.language not in LANGUAGES:
        raise _refused(f"the language {sample.language!r} was named")
    near = [line.text[-LOOKED_AT:] for line in sample.context[-NEAR:]]
    after = [line.text[:LOOKED_AT] for line in sample.following[:NEAR]]
    if name := foreign_language("\n".join([*near, sample.target.text, *after])[-2 * LOOKED_AT :]):
        raise _refused(f"the story is written in {name}")


def _refused(why: str) -> UsageError:
    return UsageError(
        f"{why}, and the built-in planner reads English (en) and Mandarin (zh). Say how the line should sound when you "
        'score it (--plan \'{"emotion": "…"}\'), or let a chat model read it: --planner api --set planner.model=NAME '
        "--set planner.base_url=URL."
    )


@functools.cache
def _identifier() -> Any:
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(["en", *_NAMES])
    return identifier
