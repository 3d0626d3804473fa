"""Speech tags: "said Tom", "张三笑着说：". Only names that a tag states are taken; the rest is unknown.

Each function reads the narration beside a quotation and returns a name, `UNNAMED` for a tag without a name (a pronoun,
or an unnamed person), or an empty text without a tag.
"""

import re
from collections.abc import Sequence, Set
from typing import NamedTuple

UNNAMED = "\0"
"""Speaker of a tag that names nobody; no name looks like it."""


def _words(text: str) -> list[str]:
    return text.split()


_ENGLISH_VERBS = _words(
    "said says asked asks replied answered cried shouted whispered murmured muttered exclaimed called yelled screamed "
    "sighed growled snapped hissed laughed sobbed added continued repeated insisted demanded began agreed admitted "
    "announced begged breathed declared explained gasped groaned grumbled inquired interrupted moaned mumbled observed "
    "ordered pleaded promised protested remarked roared stammered suggested thought urged warned wondered wailed joked "
    "chuckled"
)
_PRONOUNS = frozenset(
    _words(
        "i he she it they we you who one someone somebody anyone anybody everyone everybody nobody none another others "
        "both all"
    )
)
_STARTERS = frozenset(
    _words(
        "a after again an and as at because before but by finally for from he her here his how i if in it "
        "later my no nobody now of often on once or our presently she since so sometimes soon still "
        "suddenly that the their then there they this those though to today tomorrow tonight until we what "
        "when where whether which while who why with yes yesterday yet you your"
    )
)
"""Words that begin a sentence; with a capital there, they are no names."""

_VERB = f"(?:{'|'.join(_ENGLISH_VERBS)})"
_ADVERB = r"(?:(?:\w+ly|then|only|just|at last|finally|again|once more)\s+)?"
_TITLE = r"(?:(?:Mr|Mrs|Ms|Miss|Dr|Sir|Lady|Lord|Captain|Professor|Aunt|Uncle|Father|Mother)\.?\s+)?"
_NAME = rf"{_TITLE}[A-Z][\w’'-]*(?:\s+[A-Z][\w’'-]*){{0,2}}"
_HOW = r"(?!(?!(?:family|bully|ally|lily)\b)\w+ly\b)"
"""Exclusion of adverbs such as "angrily", which tell the manner and not the speaker."""
_DESCRIBED = rf"(?:[Tt]he|[Aa]n?|[Hh]is|[Hh]er|[Mm]y|[Oo]ur|[Tt]heir)\s+[a-z][\w’'-]*(?:\s+{_HOW}[a-z][\w’'-]*)?"
_PRONOUN = rf"(?:{'|'.join([*sorted(_PRONOUNS), *(word.capitalize() for word in sorted(_PRONOUNS))])})"
_SUBJECT = rf"(?P<subject>{_PRONOUN}(?![\w’'])|{_NAME}|{_DESCRIBED})"
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

_MANDARIN_PRONOUNS = frozenset(
    _words(
        "他 她 它 我 你 您 咱 俺 谁 他们 她们 我们 你们 咱们 自己 有人 众人 大家 对方 别人 人家 旁人 来人 "
        "两人 二人 三人 那人 这人 此人 某人 前者 后者 所有人 男人 女人 声音"
    )
)
_ONE_CHARACTER_ROLES = frozenset("娘爹妈爸爷奶")
_NOT_IN_A_NAME = frozenset(
    "的了是在不着这那和就都把被让给个里又也说道问我你他她它们来去走过起到得看听想站坐转回拿指望一两几某每有没"
)
_MANDARIN_MANNERS = _words(
    "笑着 微笑着 苦笑着 冷笑着 大笑着 哭着 流着泪 喘着气 喘息着 红着脸 皱着眉头 皱着眉 皱眉 低着头 "
    "低下头 抬起头 摇着头 摇了摇头 摇摇头 摇头 点了点头 点点头 点头 咬着牙 瞪着眼 想了想 低声地 低声 "
    "轻声地 轻声 大声地 大声 高声 小声地 小声 柔声 厉声 沉声 颤声 朗声 齐声 失声 连声 冷冷地 冷冷 "
    "淡淡地 淡淡 缓缓地 缓缓 慢慢地 轻轻地 静静地 悄悄地 忽然 突然 连忙 急忙 赶紧 赶忙 立刻 马上 "
    "终于 又 也 就 便 还 才 却 再 忍不住 不禁 不由得 接着 继续 忙 笑 苦笑 冷笑 微笑 叹息 叹 "
    "惊讶地 好奇地 生气地 愤怒地 温柔地 着急地 焦急地 认真地 严肃地 平静地 冷静地 高兴地 兴奋地 "
    "疑惑地 不解地 无奈地 得意地 害怕地 惊恐地 小心翼翼地 有气无力地 不耐烦地 没好气地 气呼呼地 "
    "怒气冲冲地 若有所思地"
)
_MANDARIN_VERBS = _words(
    "说道 问道 答道 喊道 叫道 吼道 怒道 骂道 哭道 嚷道 喝道 应道 念道 解释道 回答道 补充道 反问道 "
    "追问道 喃喃道 喃喃自语 自言自语 低语 惊呼 回答 回应 解释 补充 反问 追问 吩咐 命令 嘟囔 嘀咕 "
    "插嘴 开口 催促 提醒 说 问 答 喊 叫 嚷 骂 吼 道 心想"
)
_MANNERS = f"(?:{'|'.join(_MANDARIN_MANNERS)})*"
_VERBS = f"(?:{'|'.join(_MANDARIN_VERBS)})(?:了一句|了一声|着|了|完)?"
_MANDARIN_LEADS = _words("这时 此时 忽然 突然 于是 然后 接着 最后 只见 只听 听到 听见")
_LEAD = f"(?:{'|'.join(_MANDARIN_LEADS)})?[，,]?"
_ADDRESSED = "(?:[对向朝跟][\u4e00-\u9fff]{1,4}?)?"
_MANDARIN_NAME = "(?P<subject>[\u4e00-\u9fffA-Za-z·]{0,8}?)"
_MANDARIN_TAG = f"{_LEAD}{_MANDARIN_NAME}{_ADDRESSED}{_MANNERS}{_VERBS}"
_MANDARIN_BEFORE = re.compile(f"^{_MANDARIN_TAG}[：:，,]?\\s*$")
_MANDARIN_AFTER = re.compile(f"^[，,—]*{_MANDARIN_TAG}(?=[。，,：:；;！!？?…—]|\\s*$)")
_MANDARIN_SAYS = re.compile(f"^{_MANDARIN_TAG}[：:]\\s*(?P<said>\\S.*)$")
_MANDARIN_GESTURE = re.compile(f"^{_LEAD}{_MANDARIN_NAME}(?:{'|'.join(_MANDARIN_MANNERS)})+$")
_MANDARIN_SENTENCE = re.compile(r"[。！？!?；;]")
_MANDARIN_CLAUSE = re.compile(r"[，,]")
_MANDARIN_CLAUSE_END = re.compile(r"[。，,：:；;！!？?…—]")
_ENDS_WITH_A_VERB = re.compile(f"{_VERBS}\\s*$")
_OPEN_MANNER = re.compile(f"(?:地|着){_VERBS}[：:，,]?\\s*$")
_ENGLISH_SAYS = re.compile(rf"^{_SUBJECT}\s+{_ADVERB}{_VERB}\s*:\s*(?P<said>\S.*)$")
_SCRIPT = re.compile(
    rf"^(?P<subject>{_NAME}|[A-Z][A-Z .'’-]{{1,30}}|[\u4e00-\u9fff·]{{2,8}})\s*"
    r"(?:[(（\[［【〔](?P<direction>[^()（）\[\]［］【】〔〕]{1,90})[)）\]］】〕]\s*)?[:：]\s*"
    r"(?:[(（\[［【〔](?P<behind>[^()（）\[\]［］【】〔〕]{1,90})[)）\]］】〕]\s*)?(?P<said>\S.*)$"
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
LONGEST_NAME = 4
"""Most characters of a Chinese name; one that is written with · or in Latin letters may be longer."""

LOOKED_AT = 200
"""Characters of narration beside a quotation that are searched for a tag."""


def tag_before(narration: str, *, known: Set[str], common: Set[str] = frozenset()) -> str:
    """Return the speaker whom the narration before a quotation announces: ``Tom said, “…”``.

    Args:
        narration: everything between the quotation before, or the beginning of the line, and this quotation.
        known: names that are known to be those of roles.
        common: words that the story also writes without a capital, so that they are no names.
    """
    narration = narration[-LOOKED_AT:].rstrip()
    if _is_mandarin(narration):
        return _mandarin_before(narration, known)
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
    if _is_mandarin(narration):
        return _mandarin_after(narration.lstrip(), known)
    if found := _named(_AFTER_VERB_FIRST.match(narration), common):
        return found
    return _named((_WHOLE_TAG if said.endswith(".") else _AFTER_NAME_FIRST).match(narration), common)


def tag_length(narration: str) -> int:
    """Return the characters of a tag with which a text begins, up to its verb and speaker; 0 without one.

    >>> tag_length("said Tom, and left"), tag_length("he asked"), tag_length("he left"), tag_length("张三说。")
    (8, 8, 0, 3)
    """
    head = narration[:LOOKED_AT]
    patterns = (_MANDARIN_AFTER,) if _is_mandarin(head[:12]) else (_AFTER_VERB_FIRST, _AFTER_NAME_FIRST)
    return max((match.end() for pattern in patterns if (match := pattern.match(head)) is not None), default=0)


def tag_with_colon(line: str, *, known: Set[str], common: Set[str] = frozenset()) -> tuple[str, str]:
    """Return speaker and speech of a line without quotation marks, as ``张三说：你走吧。``; empty without a tag."""
    head = line[: LOOKED_AT + 1]
    if match := _MANDARIN_SAYS.match(head):
        return _mandarin_named(match, known), line[match.start("said") :]
    if match := _ENGLISH_SAYS.match(head):
        return _named(match, common), line[match.start("said") :]
    return "", ""


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
    if _is_mandarin(name):
        usable = _is_mandarin_name(name)
    else:
        usable = not {word.casefold() for word in name.split()} & (_STARTERS | _PRONOUNS)
    direction = ", ".join(part.strip() for part in (match["direction"], match["behind"]) if part)
    return Label(name, direction, line[match.start("said") :]) if usable else None


def _is_mandarin(text: str) -> bool:
    return any("\u4e00" <= character <= "\u9fff" for character in text)


def _named(match: re.Match[str] | None, common: Set[str]) -> str:
    if match is None:
        return ""
    words = match["subject"].split()
    if words[0].casefold() in _PRONOUNS and len(words) == 1:
        return UNNAMED
    if words[0][0].islower() or words[0] in {"The", "A", "An", "His", "Her", "My", "Our", "Their"}:
        # "the keeper" names somebody; "a man" and "his wife" only say that somebody is there.
        return f"the {' '.join(words[1:])}" if words[0].casefold() == "the" else UNNAMED
    while words and words[0].casefold() in _STARTERS:
        words.pop(0)
    if not words or any(word.casefold() in common for word in words):
        return UNNAMED
    return " ".join(words)


def _mandarin_after(narration: str, known: Set[str]) -> str:
    match = _MANDARIN_AFTER.match(narration)
    found = _mandarin_named(match, known) if match else ""
    if found and found != UNNAMED:
        return found
    clause = _MANDARIN_CLAUSE_END.split(narration.lstrip("，,—"), maxsplit=1)[0]
    named = [name for name in known if name in clause]
    if len(named) == 1 and clause.startswith(named[0]) and _ENDS_WITH_A_VERB.search(clause):
        return named[0]
    return found


def _mandarin_before(narration: str, known: Set[str]) -> str:
    sentence = _MANDARIN_SENTENCE.split(narration)[-1].strip()
    clauses = _MANDARIN_CLAUSE.split(sentence.rstrip("：:，, "))
    match = _MANDARIN_BEFORE.match(clauses[-1].strip())
    if match is None and not _OPEN_MANNER.search(clauses[-1]):
        return ""
    found = _mandarin_named(match, known) if match else UNNAMED
    if found in known or (found != UNNAMED and _is_only_a_lead(clauses[:-1])):
        return found
    found = _known_at_start(clauses[0].strip(), known)
    if found == UNNAMED and len(clauses) == 2 and match is not None and not match["subject"]:
        gesture = _MANDARIN_GESTURE.match(clauses[0].strip())
        return _mandarin_named(gesture, known) if gesture else UNNAMED
    return found


def _is_only_a_lead(clauses: Sequence[str]) -> bool:
    """Return true if the clauses before a tag have no subject, so that the tag names its own."""
    return all(clause.strip() in _MANDARIN_LEADS for clause in clauses)


def _known_at_start(clause: str, known: Set[str]) -> str:
    starting = [name for name in known if clause.startswith(name)]
    return max(starting, key=len) if starting else UNNAMED


def _mandarin_named(match: re.Match[str], known: Set[str]) -> str:
    name = match["subject"]
    return name if name in known or _is_mandarin_name(name) else UNNAMED


def _is_mandarin_name(name: str) -> bool:
    if not name or name in _MANDARIN_PRONOUNS or set(name) & _NOT_IN_A_NAME:
        return False
    if len(name) == 1:
        return name in _ONE_CHARACTER_ROLES
    return len(name) <= LONGEST_NAME or not all("\u4e00" <= character <= "\u9fff" for character in name)
