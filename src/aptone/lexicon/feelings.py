"""Words that say what somebody feels and how it sounds: speech tags, manners, feelings, faces and bodies, voices.

``feelings.en.tsv`` and ``feelings.zh.tsv`` hold a group of phrases a row, five fields parted by tabs: emotions (with
shares where there are two), strength from 1 to 3, kind, what the voice is like, and the phrases as
`aptone.lexicon.phrases` reads them. A phrase that is added to a row is known.

``directions.en.tsv`` and ``directions.zh.tsv`` are tables of the same form for stage directions, in which a single word
tells the delivery ("(hollow)") and a deed the mood ("(kicks the bin)"); in narration they would say too much.

`FEELINGS` (``plans/feelings.tsv``) are words that plans use for feelings beyond the ear's ten emotions, each with its
place in valence, arousal, dominance. Written by us: the places are judged against the anchors of `TYPICAL_VAD`, not
measured with raters. NaN where a word says nothing about a dimension: shouting is loud, whether in joy or in rage.
Words that name one of the ten emotions are known already to `aptone.types.Emotion` and to the ear's lexicon; what
stands here goes before both.
"""

import functools
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Literal, NamedTuple, get_args

from aptone.lexicon.phrases import PhraseBook, Tokens
from aptone.types import Emotion, Language, Vad

Kind = Literal["verb", "manner", "feeling", "body", "voice"]
"""A verb of speaking; how something is said; what somebody feels; face and body; what the voice is like."""
_EMOTIONS = {str(emotion): emotion for emotion in Emotion}
VOICES = [
    *("whisper", "quiet", "low", "loud", "shout", "scream", "soft", "sharp", "cold"),
    *("warm", "hoarse", "trembling", "breathless", "slow", "fast", "hesitant", "choked", "sobbing"),
    *("laughing", "smiling", "sighing", "groaning", "gasping", "monotone", "weak", "firm", "sarcastic"),
    *("mumbling", "growling", "shrill"),
]
"""Words for what a voice is like."""
_FADING = (
    "fade~, die~, dying, falter~, slip~, vanish~, drop~, disappear~, slide~, slid, crumple~, crack~, wobble~, waver~, "
    "wither~, collapse~, dissolve~, evaporate~, dim~, dwindle~, fall~, fell, melt~, droop~, drain~, go, goes, going, "
    "gone, went"
)
FAMILIES: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "poss": "his, her, their, my, your, our, its, the",
        "own": "his, her, their, my, your, our",
        "hurl": "hurl~, fling~, flung, throw~, threw, thrown, sling~, slung, chuck~, pitch~, lob~, dash~",
        "hold": "hold~, held, grip~, clutch~, grasp~, grab~, clasp~, cling~ to, clung to, hang~ on to, hung on to",
        "try": "try~, attempt~, struggle~, strain~, fight~, fought, want~, mean~, meant, fail~, manage~",
        "fade": _FADING,
        "go": "go, goes, going, gone, went, turn~, grow~, grew, grown, flush~",
    },
    "zh": {},
}
"""Words that stand for each other in the tables; ``fade`` is what a smile does that ends."""


class Meaning(NamedTuple):
    """Meaning of a group of phrases.

    Args:
        emotions: shares that sum to 1; empty where it says nothing of the feeling.
        strength: 1 faint or held back, 2 clear, 3 strong.
        voice: voice qualities, of `VOICES`.
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


@functools.lru_cache(maxsize=4096)
def felt_phrases(text: Tokens, language: Language, *, direction: bool = False) -> tuple[FeltPhrase, ...]:
    """The phrases of a text that say something of feeling or voice; of those that overlap, the one of most words.

    The last texts are remembered: a sentence of a story is in the context of every line near it.

    Args:
        direction: true for a stage direction, whose own table goes before the other.
    """
    book, meanings = _book(language, direction)
    found = sorted(book.find(text), key=lambda hit: (-hit.fixed, hit.end - hit.start, hit.start, hit.key))
    taken: set[int] = set()
    kept = []
    for hit in found:
        if taken.isdisjoint(range(hit.start, hit.end)):
            taken.update(range(hit.start, hit.end))
            kept.append(FeltPhrase(hit.start, hit.end, meanings[hit.key]))
    return tuple(sorted(kept, key=lambda hit: hit.start))


@functools.cache
def _book(language: Language, direction: bool) -> tuple[PhraseBook, tuple[Meaning, ...]]:
    rows = [*(_rows(language, "directions") if direction else ()), *_rows(language)]
    book = PhraseBook([phrases for _, phrases in rows], families=FAMILIES[language], language=language)
    return book, tuple(meaning for meaning, _ in rows)


def _rows(language: Language, table: str = "feelings") -> Iterator[tuple[Meaning, str]]:
    text = (files("aptone.lexicon") / f"{table}.{language}.tsv").read_text(encoding="utf-8")
    for number, row in enumerate(text.splitlines(), start=1):
        if not row.strip() or row.startswith("#"):
            continue
        fields = row.split("\t")
        if len(fields) != 5 or fields[2] not in get_args(Kind):
            raise ValueError(f"{table}.{language}.tsv, row {number}: expected five fields, the third a kind of phrase.")
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


def _plan_feelings() -> Iterator[tuple[Vad, str, str]]:
    """Rows of the table; it lies in a folder of its own, since the planner's revision covers the tables beside us."""
    text = (files("aptone.lexicon") / "plans" / "feelings.tsv").read_text(encoding="utf-8")
    for row in text.splitlines():
        if not row.startswith("#"):
            *place, english, mandarin = row.split("\t")
            yield Vad(*map(float, place)), english, mandarin


FEELINGS: tuple[tuple[Vad, str, str], ...] = tuple(_plan_feelings())
"""Place, English words, Mandarin words."""


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
