"""Speech tags: "said Tom", "张三笑着说：". Only names that a tag states are taken; the rest is unknown.

Each function reads the narration beside a quotation and returns a name, `UNNAMED` for a tag without a name (with its
pronoun behind it, where it has one), or an empty text without a tag.
"""

import re
from collections.abc import Set
from typing import NamedTuple

from aptone.planner.reading import mandarin_tags
from aptone.planner.reading.mandarin_nouns import MANDARIN_NOUNS
from aptone.planner.reading.mandarin_tags import is_mandarin
from aptone.planner.reading.person_nouns import PERSONS, VOICES, described

UNNAMED = "\0"
"""Speaker of a tag that names nobody; no name looks like it."""


def _words(text: str) -> list[str]:
    return text.split()


_PAST = dict.fromkeys(
    _words(
        "said says asked asks replied answered cried shouted whispered murmured muttered exclaimed called yelled "
        "screamed sighed growled snapped hissed laughed sobbed added continued repeated insisted demanded began agreed "
        "admitted announced begged breathed declared explained gasped groaned grumbled inquired interrupted moaned "
        "mumbled observed ordered pleaded promised protested remarked roared stammered suggested thought urged warned "
        "wondered wailed joked chuckled returned rejoined retorted responded resumed pursued queried questioned echoed "
        "faltered ventured boasted scoffed ejaculated grunted snarled barked bellowed shrieked squealed squeaked "
        "whined whimpered wept panted puffed sneered jeered taunted teased mocked soothed assured reassured confessed "
        "conceded acknowledged affirmed asserted proclaimed commanded directed instructed advised counselled cautioned "
        "proposed offered invited implored entreated besought beseeched prayed appealed argued reasoned objected "
        "disagreed contradicted denied corrected commented mused reflected considered concluded finished ended "
        "persisted proceeded broke stopped interposed interjected intervened burst blurted rapped snorted sniffed spat "
        "drawled lisped stuttered croaked crowed cooed purred hummed sang chanted read quoted recited noted mentioned "
        "smiled grinned nodded shrugged frowned giggled tittered commiserated sympathized sympathised apologized "
        "apologised thundered stormed raged fumed swore cursed vowed threatened rumbled hailed greeted saluted accused "
        "complained fretted lamented mourned bawled screeched piped chimed put reminded hinted guessed supposed "
        "speculated calculated estimated reported informed told granted assented consented went hazarded volunteered "
        "quavered gulped yawned spoke wrote"
    )
)


def _present(verb: str) -> set[str]:
    """Return what may be the present of a regular verb: some forms are no words, and do no harm."""
    if verb.endswith("ied"):
        return {f"{verb[:-3]}ies"}
    if not verb.endswith("ed"):
        return set()
    doubled = {f"{verb[:-3]}s"} if len(verb) > 5 and verb[-3] == verb[-4] else set()
    return {f"{verb[:-2]}s", f"{verb[:-2]}es", f"{verb[:-1]}s"} | doubled


_ENGLISH_VERBS = sorted(
    set(_PAST).union(
        *map(_present, _PAST), _words("tells begins sings reads sobs spits goes say ask reply add answer whisper shout")
    )
)
_PRONOUNS = frozenset(
    _words(
        "i he she it they we you who one someone somebody anyone anybody everyone everybody nobody none another others "
        "both all"
    )
)
INDEFINITE = frozenset(_words("someone somebody anyone anybody nobody none another one"))
"""Subjects of tags that say that nobody known speaks."""
_STARTERS = frozenset(
    _words(
        "a after again an and as at because before but by finally for from he her here his how i if in it "
        "later my no nobody now of often on once or our presently she since so sometimes soon still "
        "suddenly that the their then there they this those though to today tomorrow tonight until we what "
        "when where whether which while who why with yes yesterday yet you your"
    )
)
"""Words that begin a sentence; with a capital there, they are no names."""

_DETERMINERS = frozenset(("the", "a", "an", "his", "her", "my", "our", "their", "another"))
_VERB = f"(?:{'|'.join(_ENGLISH_VERBS)})"
_ADVERB = r"(?:(?:\w+ly|then|only|just|at last|finally|again|once more)\s+)?"
_TITLE = (
    r"(?:(?:Mr|Mrs|Ms|Miss|Dr|Sir|Lady|Lord|Captain|Capt|Colonel|Col|Major|Maj|General|Gen|Lieutenant|Lieut|Sergeant"
    r"|Professor|Prof|Aunt|Uncle|Father|Mother|Monsieur|Madame|Mademoiselle|Rev|Judge|M|Mme|Mlle|St)\.?\s+)?"
)
_NAME = rf"{_TITLE}[A-Z][\w’'-]*(?:\s+[A-Z][\w’'-]*){{0,2}}"
_HOW = r"(?!(?!(?:family|bully|ally|lily)\b)\w+ly\b)"
"""Exclusion of adverbs such as "angrily", which tell the manner and not the speaker."""
_CAPITAL = r"(?!(?:Mr|Mrs|Ms|Dr|St|M)\b)[A-ZÀ-Þ][\w’'-]*"
_DESCRIBED = (
    r"(?:[Tt]he|[Aa]n?|[Hh]is|[Hh]er|[Mm]y|[Oo]ur|[Tt]heir|[Aa]nother)\s+"
    rf"(?:[a-z][\w’'-]*(?:\s+{_HOW}[a-z][\w’'-]*){{0,2}}|(?:[a-z][\w’'-]*\s+)?{_CAPITAL}(?:\s+{_CAPITAL})?)"
)
_OWNED = rf"{_NAME}[’']s?\s+(?:{_HOW}[a-z][\w-]*\s+)?{_HOW}[a-z][\w-]*"
"""Somebody of somebody: "Lin's husband"."""
_PRONOUN = rf"(?:{'|'.join([*sorted(_PRONOUNS), *(word.capitalize() for word in sorted(_PRONOUNS))])})"
_SUBJECT = rf"(?P<subject>{_PRONOUN}(?![\w’'])|{_OWNED}|{_NAME}|{_DESCRIBED})"
_BEHIND_A_DESCRIPTION = (
    r"(?=\s*(?:[,.;:!?—–-]|$)|\s+(?:\w+ly|in|to|with|as|and|from|at|on|for|after|before|through|over|again|who|when"
    r"|while|into|back)\b)"
)
_NO_TAG = r"(?!\s+(?:nothing|no\s+more|no\s+word|so\b|that\b|it\b|not\b))"

_AFTER_VERB_FIRST = re.compile(rf"^[\s,—–-]*{_VERB}\s+{_SUBJECT}{_BEHIND_A_DESCRIPTION}")
_AFTER_NAME_FIRST = re.compile(rf"^[\s,—–-]*{_SUBJECT}\s+{_ADVERB}{_VERB}\b{_NO_TAG}")
_WHOLE_TAG = re.compile(rf"^[\s,—–-]*{_SUBJECT}\s+{_ADVERB}{_VERB}(?:\s+\w+ly)?\s*(?:[,.;:]|$)")
_BEFORE = re.compile(
    rf"^\W*(?:(?:And|But|Then|So|Now|Finally|Suddenly|At last),?\s+|.*,\s+(?:and|but|while|then)\s+)?{_SUBJECT}\s+"
    rf"(?:{_ADVERB}|[^,;.!?]{{1,80}}?\s+and\s+{_ADVERB}){_VERB}\b[^.!?]{{0,60}}[,:]\s*$"
)
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!Mr\.)(?<!Mrs\.)(?<!Ms\.)(?<!Dr\.)\s+")

_ENGLISH_SAYS = re.compile(rf"^{_SUBJECT}\s+{_ADVERB}{_VERB}\s*:\s*(?P<said>\S.*)$")
_SCRIPT = re.compile(
    rf"^(?P<subject>{_NAME}|[A-Z][A-Z .'’-]{{1,30}}|[\u4e00-\u9fff·]{{2,8}})\s*"
    r"(?:[(（\[［【〔](?P<direction>[^()（）\[\]［］【】〔〕]{1,180})[)）\]］】〕]\s*)?[:：]\s*"
    r"(?:[(（\[［【〔](?P<behind>[^()（）\[\]［］【】〔〕]{1,180})[)）\]］】〕]\s*)?(?P<said>\S.*)$"
)
_STAMP = (
    r"[\[(（【]?(?:\d{1,4}[-/.年]\d{1,2}[-/.月]\d{1,4}日?[,，T\s]*)?\d{1,2}[:：]\d{2}(?:[:：]\d{2})?(?:\s?[AaPp][Mm])?"
    r"[\])）】]?\s*[-–—]?\s*"
)
_HANDLE = r"[^\s/<>:：\[\]()（）“”\"\d][^\s<>:：\[\]()（）“”\"]{0,23}"
_NICK = rf"(?:{_HANDLE}|[^\W\da-z][\w.'’-]*(?:\s[^\W\da-z][\w.'’-]*){{1,3}})"
_CHAT = re.compile(
    rf"^(?:{_STAMP}(?:<(?P<after>{_NICK})>|(?P<plain>{_NICK})\s*[:：])|<(?!(?:[a-z]|br|em|div|span|strong)>)(?P<alone>{_NICK})>)\s*(?P<said>\S.*)$"
)
"""A message of a chat: ``[21:03] mia: I got in``, ``<kara> no``, ``2024-05-01 22:36 阿哲：走``."""
LOOKED_AT = 240
"""Characters of narration beside a quotation that are searched for a tag."""


def tag_before(narration: str, *, known: Set[str], common: Set[str] = frozenset()) -> str:
    """Return the speaker whom the narration before a quotation announces: ``Tom said, “…”``.

    Args:
        narration: everything between the quotation before, or the beginning of the line, and this quotation.
        known: names that are known to be those of roles.
        common: words that the story also writes without a capital, so that they are no names.
    """
    narration = narration[-LOOKED_AT:].rstrip()
    if is_mandarin(narration):
        return mandarin_tags.tag_before(narration, known)
    return _named(_BEFORE.match(_SENTENCE_END.split(narration)[-1]), common)


def tag_after(narration: str, *, said: str, known: Set[str], common: Set[str] = frozenset()) -> str:
    """Return the speaker whom the narration after a quotation names, as in ``“…,” said Tom``.

    Args:
        narration: everything up to the next quotation or the end of the line.
        said: quotation. One that ends with a full stop ends its sentence, so only a whole tag may follow it.
        known: names that are known to be those of roles.
        common: words that the story also writes without a capital, so that they are no names.
    """
    narration = narration[:LOOKED_AT]
    if is_mandarin(narration):
        return mandarin_tags.tag_after(narration, known)
    if found := _named(_AFTER_VERB_FIRST.match(narration), common):
        return found
    return _named((_WHOLE_TAG if said.endswith(".") else _AFTER_NAME_FIRST).match(narration), common)


def tag_length(narration: str) -> int:
    """Return the characters of a tag with which a text begins, up to its verb and speaker; 0 without one.

    >>> tag_length("said Tom, and left"), tag_length("he asked"), tag_length("he left"), tag_length("张三说。")
    (8, 8, 0, 3)
    """
    head = narration[:LOOKED_AT]
    patterns = (mandarin_tags.AFTER,) if is_mandarin(head[:12]) else (_AFTER_VERB_FIRST, _AFTER_NAME_FIRST)
    return max((match.end() for pattern in patterns if (match := pattern.match(head)) is not None), default=0)


def tag_with_colon(line: str, *, known: Set[str], common: Set[str] = frozenset()) -> tuple[str, str]:
    """Return speaker and speech of a line without quotation marks, as ``张三说：你走吧。``; empty without a tag."""
    head = line[: LOOKED_AT + 1]
    if is_mandarin(head):
        name, start = mandarin_tags.tag_with_colon(head, known)
        return (name, line[start:]) if name else ("", "")
    if match := _ENGLISH_SAYS.match(head):
        return _named(match, common), line[match.start("said") :]
    return "", ""


_LABEL_PRONOUNS = frozenset("我他她")


def _is_role(name: str) -> bool:
    """Return true if a label describes somebody: HER FATHER, the boy.

    >>> _is_role("HER FATHER"), _is_role("The boy"), _is_role("The rules")
    (True, True, False)
    """
    words = name.casefold().split()
    return len(words) > 1 and words[0] in _DETERMINERS and words[-1] in PERSONS


class Label(NamedTuple):
    """Label of a script's line: ``TOM (furious): Get out.``.

    Args:
        name: text before the colon; it may still be any word.
        direction: text in brackets beside it; empty without one.
        is_sure: true if it can only be a name, as behind the time of a message.
    """

    name: str
    direction: str
    said: str
    is_sure: bool = False


def script_label(line: str) -> Label | None:
    """Return the script label of a line; ``None`` where it has none.

    >>> script_label("张三（冷笑）：你走吧。")
    Label(name='张三', direction='冷笑', said='你走吧。', is_sure=False)
    >>> script_label("[21:03] mia: I GOT IN!!!")
    Label(name='mia', direction='', said='I GOT IN!!!', is_sure=True)
    """
    if (chat := _CHAT.match(line[: LOOKED_AT + 1])) is not None:
        name = chat["after"] or chat["plain"] or chat["alone"]
        return Label(name.strip(), "", line[chat.start("said") :], is_sure=True)
    match = _SCRIPT.match(line[: LOOKED_AT + 1])
    if match is None:
        return None
    name = match["subject"].strip()
    if is_mandarin(name):
        usable = mandarin_tags.is_name(name) or name in MANDARIN_NOUNS or name in _LABEL_PRONOUNS
    else:
        usable = not {word.casefold() for word in name.split()} & (_STARTERS | _PRONOUNS) or _is_role(name)
    direction = ", ".join(part.strip() for part in (match["direction"], match["behind"]) if part)
    return Label(name, direction, line[match.start("said") :]) if usable else None


def _named(match: re.Match[str] | None, common: Set[str]) -> str:
    if match is None:
        return ""
    words = match["subject"].split()
    if words[0].casefold() in _PRONOUNS and len(words) == 1:
        return UNNAMED + words[0].casefold()
    if len(words) > 1 and words[0].casefold() in _DETERMINERS:
        # "the keeper" and "her mother" name somebody; "a man" is the man.
        noun = words[-1].casefold()
        if words[0].casefold() != "the" and noun not in PERSONS | VOICES:
            return UNNAMED
        return described(words[0], " ".join(words[1:]))
    if words[-1][0].islower() and any(word.endswith(("’s", "'s", "s’", "s'")) for word in words[:-1]):
        return " ".join(words).replace("’", "'") if words[-1].casefold() in PERSONS else UNNAMED
    while words and words[0].casefold() in _STARTERS:
        words.pop(0)
    if not words or any(word.casefold() in common for word in words):
        return UNNAMED
    return re.sub(r"[’']s$", "", " ".join(words))
