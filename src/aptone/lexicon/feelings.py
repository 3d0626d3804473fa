"""Words that say what somebody feels and how it sounds: speech tags, manners, feelings, faces and bodies, voices.

``feelings.en.tsv`` and ``feelings.zh.tsv`` hold a group of phrases a row, five fields parted by tabs: emotions (with
shares where there are two), strength from 1 to 3, kind, what the voice is like, and the phrases as
`aptone.lexicon.phrases` reads them. A phrase that is added to a row is known.

`FEELINGS` are words that plans use for feelings beyond the ear's ten emotions, each with its place in valence, arousal,
dominance. Written by us: the places are judged against the anchors of `TYPICAL_VAD`, not measured with raters. NaN
where a word says nothing about a dimension: shouting is loud, whether in joy or in rage. Words that name one of the ten
emotions are known already to `aptone.types.Emotion` and to the ear's lexicon; what stands here goes before both.
"""

import functools
import math
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Literal, NamedTuple, get_args

from aptone.lexicon.phrases import PhraseBook, Tokens
from aptone.types import Emotion, Language, Vad

Kind = Literal["verb", "manner", "feeling", "body", "voice"]
"""A verb of speaking; how something is said; what somebody feels; face and body; what the voice is like."""
_EMOTIONS = {str(emotion): emotion for emotion in Emotion}
VOICES = [
    "whisper",
    "quiet",
    "low",
    "loud",
    "shout",
    "scream",
    "soft",
    "sharp",
    "cold",
    "warm",
    "hoarse",
    "trembling",
    "breathless",
    "slow",
    "fast",
    "hesitant",
    "choked",
    "sobbing",
    "laughing",
    "smiling",
    "sighing",
    "groaning",
    "gasping",
    "monotone",
    "weak",
    "firm",
    "sarcastic",
    "mumbling",
    "growling",
    "shrill",
]
"""Words for what a voice is like."""
FAMILIES: Mapping[Language, Mapping[str, str]] = {"en": {"poss": "his, her, their, my, your, our, its, the"}, "zh": {}}


class Meaning(NamedTuple):
    """What a group of phrases says.

    Args:
        emotions: shares that sum to 1; empty where it says nothing of the feeling.
        strength: 1 faint or held back, 2 clear, 3 strong.
        kind: what sort of phrase it is.
        voice: what the voice is like, of `VOICES`.
    """

    emotions: Mapping[Emotion, float]
    strength: int
    kind: Kind
    voice: tuple[str, ...]


class FeltPhrase(NamedTuple):
    """A phrase of a text: its tokens, and what it means."""

    start: int
    end: int
    meaning: Meaning


def felt_phrases(text: Tokens, language: Language) -> Iterator[FeltPhrase]:
    """The phrases of a text that say something of feeling or voice; of those that overlap, the longest."""
    book, meanings = _book(language)
    found = [FeltPhrase(hit.start, hit.end, meanings[hit.key]) for hit in book.find(text)]
    found.sort(key=lambda hit: (hit.start - hit.end, hit.start))
    taken: set[int] = set()
    kept = []
    for hit in found:
        if taken.isdisjoint(range(hit.start, hit.end)):
            taken.update(range(hit.start, hit.end))
            kept.append(hit)
    yield from sorted(kept)


@functools.cache
def _book(language: Language) -> tuple[PhraseBook, tuple[Meaning, ...]]:
    rows = list(_rows(language))
    book = PhraseBook([phrases for _, phrases in rows], families=FAMILIES[language], language=language)
    return book, tuple(meaning for meaning, _ in rows)


def _rows(language: Language) -> Iterator[tuple[Meaning, str]]:
    text = (files("aptone.lexicon") / f"feelings.{language}.tsv").read_text(encoding="utf-8")
    for number, row in enumerate(text.splitlines(), start=1):
        if not row.strip() or row.startswith("#"):
            continue
        fields = row.split("\t")
        if len(fields) != 5 or fields[2] not in get_args(Kind):
            raise ValueError(
                f"feelings.{language}.tsv, row {number}: expected five fields, the third a kind of phrase."
            )
        emotions, strength, kind, voice, phrases = fields
        voices = tuple(voice.split(",")) if voice != "-" else ()
        yield Meaning(_shares(emotions), int(strength), kind, voices), phrases  # type: ignore[arg-type]


def _shares(emotions: str) -> dict[Emotion, float]:
    """The shares of a field such as ``sad:6 angry:4``.

    >>> _shares("sad:6 angry:2")
    {<Emotion.SAD: 'sad'>: 0.75, <Emotion.ANGRY: 'angry'>: 0.25}
    """
    if emotions == "-":
        return {}
    weights = {}
    for part in emotions.split():
        name, _, weight = part.partition(":")
        weights[_EMOTIONS[name]] = float(weight or 1)
    total = sum(weights.values())
    return {emotion: weight / total for emotion, weight in weights.items()}


_OPEN = math.nan

# Each line: place, English words, Mandarin words.
FEELINGS: tuple[tuple[Vad, str, str], ...] = (
    # warm and quiet
    (
        Vad(0.55, -0.35, 0.00),
        "tender, gentle, soft-hearted, mild, soothing, kindly, kind, lullaby",
        "温柔，温和，柔和，轻柔，和蔼，慈祥",
    ),
    (
        Vad(0.65, -0.05, 0.15),
        "warm, affectionate, loving, caring, fond, friendly, sincere, heartfelt",
        "温暖，亲切，关切，关爱，深情，友好，真诚，诚恳，体贴",
    ),
    (
        Vad(0.45, -0.20, 0.20),
        "comforting, consoling, reassuring, encouraging, supportive",
        "安慰，抚慰，鼓励，劝慰，宽慰",
    ),
    (Vad(0.45, -0.45, 0.10), "relaxed, at ease, serene, content, contented, satisfied", "放松，惬意，安心，满足，悠闲"),
    (Vad(0.55, -0.15, 0.05), "relief, relieved", "松了口气，如释重负，释然，庆幸"),
    (Vad(0.60, 0.05, 0.00), "grateful, thankful, gratitude, touched, moved", "感激，感动，感恩"),
    (
        Vad(0.30, -0.30, -0.10),
        "nostalgic, wistful, reminiscent, yearning, longing",
        "怀念，怀旧，思念，惆怅，向往，憧憬",
    ),
    # warm and awake
    (
        Vad(0.45, 0.25, 0.10),
        "hope, hopeful, hoping, expectant, anticipation, anticipating, optimistic, looking forward",
        "盼望，期盼，希望，期待，充满希望，乐观",
    ),
    (Vad(0.70, 0.65, 0.40), "excited, excitement, eager, thrilled, elated, exuberant", "兴奋，激动，雀跃，迫不及待"),
    (Vad(0.55, 0.45, 0.60), "proud, pride, triumphant, victorious", "自豪，骄傲，得意，胜利"),
    (
        Vad(0.40, 0.25, 0.60),
        "confident, self-assured, determined, resolute, firm, steadfast, decisive",
        "自信，坚定，坚决，果断，毅然，笃定",
    ),
    (Vad(0.55, 0.55, 0.45), "passionate, inspiring, inspired, rousing, heroic", "激昂，热烈，豪迈，慷慨，振奋，鼓舞"),
    (
        Vad(0.45, 0.35, 0.05),
        "curious, curiosity, interested, fascinated, wonder, in awe, awe",
        "好奇，感兴趣，敬畏，赞叹",
    ),
    (Vad(0.40, 0.35, 0.25), "amused, humorous, joking, witty, ironic amusement", "幽默，诙谐，好笑，调侃"),
    (Vad(0.35, 0.10, -0.35), "shy, bashful, coy", "害羞，羞涩，腼腆，娇羞"),
    (Vad(0.45, 0.20, 0.15), "flirtatious, seductive, charming", "暧昧，撩人，妩媚，撒娇"),
    # dark and quiet
    (
        Vad(-0.30, -0.10, 0.20),
        "grave, serious, solemn, stern, earnest, heavy-hearted, grim",
        "严肃，凝重，庄重，沉重，郑重，严峻，肃穆",
    ),
    (
        Vad(-0.30, -0.65, -0.35),
        "tired, exhausted, weary, fatigued, sleepy, drowsy, worn out",
        "疲惫，疲倦，困倦，劳累，疲劳",
    ),
    (Vad(-0.55, -0.35, -0.45), "lonely, lonesome, abandoned, forlorn", "孤独，寂寞，孤单，凄凉"),
    (
        Vad(-0.55, -0.25, -0.30),
        "disappointed, disappointment, let down, discouraged, resigned",
        "失望，失落，灰心，气馁，无奈",
    ),
    (Vad(-0.75, -0.10, -0.60), "hopeless, despair, despairing, desperate grief, broken", "绝望，心碎，崩溃"),
    (
        Vad(-0.70, 0.20, -0.50),
        "sobbing, weeping, in tears, tearful, crying, grieving, grief",
        "哭泣，哭腔，抽泣，哽咽，悲痛，哀恸，流泪",
    ),
    (
        Vad(-0.55, 0.05, -0.45),
        "guilty, guilt, remorseful, regretful, regret, apologetic, sorry",
        "内疚，愧疚，后悔，懊悔，歉意，自责",
    ),
    (Vad(-0.50, 0.15, -0.55), "ashamed, shame, embarrassed, embarrassment, humiliated", "羞愧，尴尬，难堪，羞耻"),
    (Vad(-0.35, -0.05, -0.30), "pity, sympathetic, compassionate, sorrow for", "同情，怜悯，心疼，可怜"),
    (Vad(-0.25, -0.20, -0.30), "hesitant, hesitation, uncertain, unsure, doubtful", "犹豫，迟疑，踌躇，不确定"),
    (Vad(-0.15, -0.05, 0.15), "thoughtful, pensive, contemplative, reflective", "沉思，深思，若有所思，思索"),
    (
        Vad(-0.30, -0.20, 0.20),
        "cold, aloof, detached, distant manner, indifferent, cool",
        "冷漠，冷淡，淡漠，疏离，冰冷",
    ),
    # dark and awake
    (
        Vad(-0.50, 0.45, -0.40),
        "anxious, anxiety, worried, worry, nervous, uneasy, tense, apprehensive, concerned, restless",
        "焦虑，担心，担忧，紧张，不安，忐忑，忧虑，着急",
    ),
    (Vad(-0.45, 0.65, -0.10), "urgent, urgency, hurried, pressing, frantic", "急切，焦急，急迫，紧急，急促，慌忙"),
    (
        Vad(-0.65, 0.75, -0.50),
        "terrified, terror, horrified, panic, panicked, panicking",
        "惊恐，恐慌，惊慌，惊骇，惊惧，慌张",
    ),
    (Vad(-0.55, 0.60, -0.35), "desperate, desperation, pleading, begging, imploring", "哀求，恳求，乞求，拼命"),
    (
        Vad(-0.10, 0.70, -0.20),
        "shocked, shock, stunned, startled, disbelief, incredulous",
        "震惊，惊愕，错愕，难以置信",
    ),
    (Vad(-0.15, 0.15, -0.25), "confused, puzzled, bewildered, perplexed", "困惑，疑惑，迷茫，不解，疑问"),
    (
        Vad(-0.45, 0.40, 0.20),
        "annoyed, irritated, irritable, impatient, frustrated",
        "烦躁，不耐烦，恼火，气恼，不满，懊恼",
    ),
    (Vad(-0.65, 0.85, 0.45), "furious, enraged, rage, outraged", "暴怒，狂怒，怒吼，怒不可遏，气愤"),
    (
        Vad(-0.55, 0.50, 0.45),
        "threatening, menacing, hostile, vicious, ruthless, sinister",
        "威胁，凶狠，恶狠狠，阴险，狠毒",
    ),
    (
        Vad(-0.40, 0.35, 0.45),
        "accusing, reproachful, scolding, blaming, critical",
        "责备，指责，质问，斥责，埋怨，训斥",
    ),
    (
        Vad(-0.55, 0.30, 0.30),
        "contempt, contemptuous, scornful, disdainful, mocking, sarcastic",
        "轻蔑，蔑视，鄙视，不屑，嘲讽，讽刺，嘲笑",
    ),
    (Vad(-0.50, 0.40, 0.05), "jealous, jealousy, envious, envy, bitter, resentful", "嫉妒，妒忌，羡慕嫉妒，怨恨，愤恨"),
    (Vad(-0.50, 0.25, -0.35), "hurt, aggrieved, wronged, in pain, suffering, painful", "委屈，痛苦，受伤，难受"),
    (Vad(-0.35, 0.20, -0.10), "suspicious, wary, cautious, distrustful, vigilant", "怀疑，警惕，戒备，谨慎"),
    # what is about the voice more than about the heart
    (
        Vad(_OPEN, 0.80, 0.35),
        "shout, shouting, shouted, yelling, screaming, loud",
        "大喊，喊叫，呼喊，大吼，尖叫，高声",
    ),
    (
        Vad(_OPEN, -0.45, -0.25),
        "whisper, whispering, whispered, hushed, quiet, quietly, soft",
        "低语，耳语，轻声，小声，悄声",
    ),
    (Vad(_OPEN, 0.45, 0.50), "commanding, authoritative, ordering, forceful, assertive", "命令，威严，强硬，霸气"),
    (Vad(_OPEN, 0.60, 0.20), "energetic, lively, animated, spirited, vigorous", "有活力，充满活力，生动，活跃"),
    (Vad(_OPEN, -0.40, _OPEN), "subdued, muted, restrained, low-key", "低沉，克制，压抑，内敛"),
)


def feeling_words(language: Language) -> Mapping[str, Vad]:
    """Every word of one language with its place.

    >>> feeling_words("en")["tender"] == feeling_words("zh")["温柔"]
    True
    """
    mark, column = (", ", 1) if language == "en" else ("，", 2)
    return {word: line[0] for line in FEELINGS for word in str(line[column]).split(mark)}


STRENGTHS: Mapping[float, tuple[str, str]] = {
    0.2: (
        "slightly, slight, a little, a bit, somewhat, faintly, mildly, a touch of, a trace of, a hint of, subtly",
        "略带，略微，稍微，有点，一点，些许，微微，淡淡，轻微",
    ),
    0.9: (
        "very, extremely, intensely, intense, deeply, strongly, utterly, overwhelming, full of, terribly, profoundly",
        "非常，极度，极其，十分，强烈，深深，极为，无比，充满，特别",
    ),
}
"""Intensity from 0 to 1 to the words that say so; a plan without one leaves the intensity open."""

NEGATIONS = (
    "not, no, without, never, neither, nor, rather than, instead of, free of, isn't, shouldn't, don't",
    "不要，不能，并不，没有，毫无，而非，而不是，不是，不再，不带，不",
)
"""Words after which a feeling is one that the line should not show: in English up to a comma or a "but"."""

TURNS = (
    "turning into, turning to, turns into, turns to, giving way to, gives way to, becoming, becomes, shifting to, "
    "shifts to, changing to, changes to, changing into, fading into, fades into, melting into, building to, rising to, "
    "growing into, breaking into, breaks into, collapsing into, followed by, then",
    "转为，转成，转向，变为，变成，变得，化为，化作，转而，继而，随后，接着，然后",
)
"""Words between two feelings of which the second takes the place of the first."""
