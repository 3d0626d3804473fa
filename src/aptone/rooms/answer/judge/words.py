"""Why the built-in judge gives an answer its fitness, in a few sentences for people."""

from collections.abc import Mapping, Sequence

from aptone.types import Language

MOST_NAMED = 4

_PARTS: Mapping[Language, Mapping[str, str]] = {
    "en": {"content": "content", "wording": "wording", "sound": "sound"},
    "zh": {"content": "内容", "wording": "措辞", "sound": "声音"},
}
_MISSING: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "sound": "How it sounds is not known, so it was judged by its words.",
        "way of asking": "This way of asking is not known to the table, so only the content was judged.",
    },
    "zh": {
        "sound": "不知道它听起来如何，因此只看文字。",
        "way of asking": "表中没有这种提问方式，因此只评判了内容。",
    },
}


def rationale(
    parts: Mapping[str, float | None],
    *,
    language: Language,
    reason: str,
    signs: Sequence[str],
    wrong: Sequence[str],
    missing: Sequence[str],
) -> str:
    """The parts with their marks, what the way of asking calls for, and the words that were telling.

    Args:
        parts: content, wording and sound, 0 to 1; ``None`` where one was not judged.
        language: of the sentences.
        reason: what the way of asking calls for; empty where it is not known.
        signs: words that spoke for it.
        wrong: words that spoke against it.
        missing: what could not be judged.
    """
    marks = [(name, parts[key]) for key, name in _PARTS[language].items()]
    if language == "zh":
        said = ["，".join(f"{name} {mark:.2f}" for name, mark in marks if mark is not None) + "（0 到 1）。"]
        said += [f"应当：{reason}。"] if reason else []
        said += [f"合适的词：{_named(signs, language)}。"] if signs else []
        said += [f"不合适的词：{_named(wrong, language)}。"] if wrong else []
        return "".join([*said, *(_MISSING["zh"][name] for name in missing)])
    listed = ", ".join(f"{name} {mark:.2f}" for name, mark in marks if mark is not None)
    said = [f"{listed[0].upper()}{listed[1:]} (0 to 1)."]
    said += [f"What fits: {reason}."] if reason else []
    said += [f"Words for it: {_named(signs, language)}."] if signs else []
    said += [f"Words against it: {_named(wrong, language)}."] if wrong else []
    return " ".join([*said, *(_MISSING["en"][name] for name in missing)])


def _named(words: Sequence[str], language: Language) -> str:
    quoted = [f"“{word}”" for word in words[:MOST_NAMED]]
    return {"en": ", ", "zh": "、"}[language].join(quoted)
