"""Names and units that records hold in English (emotions, measures, sounds), said in the language of the page.

Whatever is not known, a stranger's ear included, is shown as it is.
"""

import re

from aptone.messages import LANGUAGES, name_in
from aptone.types import Language

_PROBABILITY = re.compile(r"P\((.+)\)")

NARRATION, UNTITLED, WHOLE_TEXT = "narration", "untitled", "whole"
"""Groups of a book that have no name in it; a run keeps them in the language of the book."""

_GROUPS = {
    name_in(language, group, "names.group"): group
    for group in (NARRATION, UNTITLED, WHOLE_TEXT)
    for language in LANGUAGES
}


def unnamed_group(group: str, language: Language) -> str:
    """Return how a group of a book is called that has no name in it.

    >>> unnamed_group(NARRATION, "en"), unnamed_group(WHOLE_TEXT, "zh")
    ('(narration)', '（全文）')
    """
    return name_in(language, group, "names.group")


def named(name: str, language: Language) -> str:
    """A name in the language of the page, if it is one of ours; underscores are spaces.

    >>> named("crying_baby", "en"), named("crying_baby", "zh"), named("angry", "zh"), named("wistful", "zh")
    ('crying baby', '婴儿哭声', '愤怒', 'wistful')
    """
    spaced = name.replace("_", " ")
    return _mandarin(spaced) or spaced if language == "zh" else spaced


def _mandarin(spaced: str) -> str:
    """The Mandarin name; empty if it is none of ours."""
    if found := _PROBABILITY.fullmatch(spaced):
        inner = _mandarin(found[1])
        return f"P({inner})" if inner else ""
    known = name_in("zh", spaced)
    return known if known != spaced else ""


def score_name(name: str, language: Language) -> str:
    """The name of a score as a heading: in words if it is one of ours, else exactly as the run keeps it.

    >>> score_name("recording_condition", "en"), score_name("recording_condition", "zh"), score_name("my_own", "zh")
    ('recording condition', '录音状态', 'my_own')
    """
    return named(name, language) if _mandarin(name.replace("_", " ")) else name


def key_name(key: str, language: Language) -> str:
    """Return the heading for the key that items are grouped by; a key of the user's stays as it is.

    >>> key_name("role", "en"), key_name("role", "zh"), key_name("my_key", "zh")
    ('role', '角色', 'my_key')
    """
    return name_in(language, key, "names.key")


def group_name(name: str, language: Language) -> str:
    """The name of a group; that of one which has none in its book is ours, and said in the language of the page.

    >>> group_name("(narration)", "zh"), group_name("（旁白）", "en"), group_name("Mara", "zh")
    ('（旁白）', '(narration)', 'Mara')
    """
    group = _GROUPS.get(name)
    return name if group is None else unnamed_group(group, language)


def verb_name(verb: str, language: Language) -> str:
    """Return the name of a verb as the heading of a report.

    >>> verb_name("score", "en"), verb_name("score", "zh"), verb_name("bench ceaeval", "zh")
    ('score', '得当程度评分', 'bench ceaeval')
    """
    return name_in(language, verb, "names.verb")
