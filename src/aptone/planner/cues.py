"""Words that say how a line is spoken or recorded: "over the phone", 心想, shouted, whispered, far away.

The target itself is searched, and the narration next to it: what stands outside quotation marks in the target's own
line, and the lines of narration among the nearest two lines of context. What other roles say is not searched, since "I
will phone you" is no recording. Each cue carries the words that gave it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from aptone.types import Intonation, Language, Line, RecordingCondition, Rhythm

Value = Rhythm | Intonation | RecordingCondition
NARRATION_REACH = 2
"""How many lines before the target may hold narration about it."""


@dataclass(frozen=True, slots=True)
class Cue:
    """One thing that the text says about how a line should sound.

    Args:
        value: a rhythm, an intonation or a recording condition.
        words: what gave it, as it stands in the text.
        place: whether it stands in the target or in the narration around it.
    """

    value: Value
    words: str
    place: Literal["line", "narration"]


_NARRATED: tuple[tuple[Value, dict[Language, str]], ...] = (
    (
        RecordingCondition.PHONE,
        {
            "en": r"(over|on|into|down|through) the (tele)?phone|on the other end of the line|(voice)?mail said"
            r"|through the receiver|picked up the ((tele)?phone|receiver)|called (him|her|them) up"
            r"|over the (radio|intercom)",
            "zh": r"电话(里|中|那头|那边|那端|另一头|另一端)|接(起|通|了)?电话"
            r"|拿起(电话|手机|听筒|话筒)|听筒|话筒里|对讲机|手机里传来",
        },
    ),
    (
        RecordingCondition.INNER_MONOLOGUE,
        {
            "en": r"\b(thought to (him|her|my)self|(he|she|i|they|\w+) (thought|wondered|mused)\b"
            r"|in (his|her|my) (mind|head)|told (him|her|my)self|silently asked)",
            "zh": r"心想|心里(想|暗|默念|嘀咕|说)|暗想|暗自(思忖|想)|暗忖|寻思|自忖|心道|心中(想|暗)|默默地?想",
        },
    ),
    (
        RecordingCondition.FAR_FIELD,
        {
            "en": r"(from|in) (a|the) (great )?distance|from (far )?(away|afar|across the (street|field|room|river)"
            r"|downstairs|upstairs|the next room)|\bfar away\b|(behind|through) the (closed )?door",
            "zh": r"远处|远远地?|(隔着|门外|隔壁|楼下|楼上|对岸|山那边)(的|传来|喊|叫|说|门|墙)"
            r"|从(远方|门外|隔壁|楼下|楼上)",
        },
    ),
    (
        RecordingCondition.INTERMITTENT,
        {
            "en": r"the (line|signal|connection) (was )?(broke|breaking|crackl\w+|cut|cutting)( up| out| in and out)?"
            r"|in fragments|in and out of",
            "zh": r"断断续续|时断时续|信号(不好|很差|中断)",
        },
    ),
    (
        RecordingCondition.NOISY,
        {
            "en": r"(over|above|through) the (noise|din|roar|crowd|music|wind|storm|engines?)|noisy|deafening",
            "zh": r"嘈杂|喧闹|喧哗|人声鼎沸|轰鸣|(风|雨|雷|炮|机器)声(太大|很大|大作)?中|震耳欲聋",
        },
    ),
    (
        Rhythm.HIGH_ENERGY,
        {
            "en": r"\b(shout|yell|scream|roar|bellow|cheer|cr(y|i)e?d? out|exclaim)(s|ed|ing)?\b"
            r"|at the top of (his|her|my|their)",
            "zh": r"大(喊|叫|吼|声)|高(喊|呼|声|叫)|喊(道|着|叫)|吼(道|着)?|怒吼|尖叫|欢呼|嚷",
        },
    ),
    (
        Rhythm.LOW_PACED,
        {
            "en": r"\b(whisper|murmur|mutter|mumble|sob|sigh|breathe)(s|ed|ing)?\b|under (his|her|my) breath"
            r"|in a low voice|\b(softly|quietly|weakly|hoarsely|sadly)\b",
            "zh": r"低声|小声|轻声|悄声|喃喃|嘟囔|耳语|叹(了|着)?(口)?气|哽咽|抽泣|有气无力|沙哑",
        },
    ),
    (
        Rhythm.TENSE,
        {
            "en": r"\b(hurriedly|breathlessly|urgently|nervously|anxiously|frantically|pant(ed|ing)|stammer(s|ed|ing)?"
            r"|trembl(ed|ing)|gasp(s|ed|ing)?)\b",
            "zh": r"急忙|慌忙|连忙|慌张|焦急|急切|紧张地?|气喘|颤抖|颤声|结结巴巴|催促",
        },
    ),
    (
        Rhythm.HEAVY,
        {
            "en": r"\b(solemnly|gravely|sternly|heavily|coldly|grimly)\b",
            "zh": r"严肃|郑重|沉重|凝重|冷冷地?|一字一(顿|句)|沉声|庄重",
        },
    ),
    (
        Rhythm.RELAXED,
        {
            "en": r"\b(calmly|gently|slowly|lazily|unhurriedly|tenderly|soothingly)\b",
            "zh": r"慢悠悠|不紧不慢|缓缓|慢慢地?(说|道)|温柔|柔声|平静地?|懒洋洋|悠闲",
        },
    ),
    (
        Rhythm.BRISK,
        {
            "en": r"\b(cheerfully|brightly|merrily|happily|laugh(s|ed|ing)?|giggl(es|ed|ing)"
            r"|grinn(ed|ing)|chirp(ed|ing)?)\b",
            "zh": r"笑(着|道|嘻嘻|眯眯|说)|兴高采烈|欢快|轻快|高兴地|乐呵呵|嘻嘻",
        },
    ),
)
_CANCELLED: dict[Language, str] = {
    "en": r"(hung up|put down the (phone|receiver)|(call|line) (ended|went dead))",
    "zh": r"挂(了|断|上|掉)了?(电话|手机)|放下(电话|话筒|听筒|手机)",
}
"""After these words nothing is spoken over the phone any more."""
_SPOKEN: tuple[tuple[Value, dict[Language, str]], ...] = (
    (RecordingCondition.PHONE, {"en": r"^hello\?", "zh": r"^喂[,，?？]"}),
    (Intonation.RISING, {"en": r"\?(?!!)[\"”’')\s]*$", "zh": r"[吗么呢吧]?[?？][”’」』\s]*$|吗[。.!！]*$"}),
    (Intonation.CURVED, {"en": r"\?!|!\?", "zh": r"[?？][!！]|[!！][?？]"}),
    (Intonation.FALLING, {"en": r"(?<!\?)![\"”’')\s]*$", "zh": r"(?<![?？])[!！][”’」』\s]*$"}),
    (Rhythm.LOW_PACED, {"en": r"^(\.\.\.|…)|(\.\.\.|…)$", "zh": r"^(…|\.\.\.)|(…|\.\.\.)$"}),
)
_QUOTED = re.compile(r"“[^”]*”|「[^」]*」|『[^』]*』|\"[^\"]*\"")


def cues(context: Sequence[Line], target: Line, *, language: Language) -> tuple[Cue, ...]:
    """What the words around a line, and its marks, say about how it should sound; the most telling first.

    >>> found = cues([Line("She whispered into the phone.")], Line("Where are you?", "Ann"), language="en")
    >>> [cue.words for cue in found]
    ['into the phone', 'whispered', '?']
    """
    found: list[Cue] = []
    for text in _narration(context, target):
        ended = _last(_CANCELLED[language], text)
        for value, patterns in _NARRATED:
            match = re.search(patterns[language], text, re.IGNORECASE)
            if match and not (value is RecordingCondition.PHONE and ended > match.start()):
                found.append(Cue(value, match.group().strip(), "narration"))
    spoken = _spoken(target)
    for value, patterns in _SPOKEN:
        match = re.search(patterns[language], spoken, re.IGNORECASE)
        if match:
            found.append(Cue(value, match.group().strip(), "line"))
    return tuple(found)


def _narration(context: Sequence[Line], target: Line) -> Iterator[str]:
    """The narration around a line, the nearest first."""
    own = _QUOTED.sub(" ", target.text)
    if own != target.text:
        yield own
    for line in reversed(context[-NARRATION_REACH:]):
        if not line.role:
            yield _QUOTED.sub(" ", line.text)


def _spoken(target: Line) -> str:
    """What is said: what stands in quotation marks, or everything."""
    quoted = [quote[1:-1] for quote in _QUOTED.findall(target.text)]
    return (" ".join(quoted) or target.text).strip()


def _last(pattern: str, text: str) -> int:
    return max((match.start() for match in re.finditer(pattern, text, re.IGNORECASE)), default=-1)
