"""What a text says outright about the feeling and the voice of a line: the reader of explicit cues."""

from dataclasses import dataclass

from aptone.lexicon.feelings import FeltPhrase, Meaning, felt_phrases
from aptone.lexicon.phrases import Tokens, tokens
from aptone.lexicon.scope import taken_back
from aptone.planner.passage import Passage
from aptone.planner.reading.persons import Persons, persons_of
from aptone.planner.reading.scene import Region, Scene, Sentence, scene_of
from aptone.types import Language

FAINTEST = 0.3
"""Phrases that tell of the speaker less surely than this are left out."""


@dataclass(frozen=True, slots=True)
class FeltCue:
    """A phrase that tells how the target is spoken.

    Args:
        start, end: in the passage.
        meaning: what it says.
        region: where it stands to the target.
        distance: paragraphs between them.
        sure: how surely it tells of the speaker, up to 1.
        denied: whether the text takes it back.
    """

    start: int
    end: int
    meaning: Meaning
    region: Region
    distance: int
    sure: float
    denied: bool


def felt_cues(passage: Passage, language: Language) -> tuple[FeltCue, ...]:
    """The phrases around a target that tell how it is spoken, by their regions.

    >>> from aptone.planner.passage import laid_out
    >>> from aptone.types import Line
    >>> cues = felt_cues(laid_out([], Line("Go!"), [Line("she sobbed, her hands shaking.", continues=True)]), "en")
    >>> [(cue.region, [str(name) for name in cue.meaning.emotions]) for cue in cues if cue.meaning.emotions]
    [('tag', ['sad']), ('tag', ['fear'])]
    """
    scene = scene_of(passage, language)
    persons = persons_of(scene)
    return tuple(cue for sentence in scene.sentences for cue in _cues(scene, sentence, persons))


def _cues(scene: Scene, sentence: Sentence, persons: Persons) -> list[FeltCue]:
    source = scene.text(sentence)
    text = tokens(source, scene.language)
    phrases = list(felt_phrases(text, scene.language))
    if not phrases:
        return []
    taken = taken_back(text, scene.language)
    found = []
    for phrase in phrases:
        sure = persons.tells_of_speaker(sentence, text, source, phrase)
        if sure < FAINTEST:
            continue
        start, end = _place(text, phrase)
        found.append(
            FeltCue(
                sentence.start + start,
                sentence.start + end,
                phrase.meaning,
                sentence.region,
                sentence.distance,
                sure,
                denied=any(one.start <= phrase.start < one.end for one in taken),
            )
        )
    return found


def _place(text: Tokens, phrase: FeltPhrase) -> tuple[int, int]:
    return text.places[phrase.start][0], text.places[phrase.end - 1][1]
