"""Explicit cues of the feeling and the voice of a line."""

from dataclasses import dataclass

from aptone.lexicon.feelings import FeltPhrase, Meaning, felt_phrases
from aptone.lexicon.phrases import Tokens, tokens
from aptone.lexicon.scope import taken_back
from aptone.planner.passage import Passage
from aptone.planner.reading.persons import Persons, persons_of
from aptone.planner.reading.scene import Region, Scene, Sentence, scene_of
from aptone.types import Language

FAINTEST = 0.3
"""Least certainty that a phrase is about the speaker."""


@dataclass(frozen=True, slots=True)
class FeelingCue:
    """Phrase about the delivery of the target.

    Args:
        start, end: span in the passage.
        meaning: emotions and voice that it names.
        region: position relative to the target.
        distance: paragraphs between it and the target.
        sure: certainty that it is about the speaker, up to 1.
        denied: true if the text negates it.
    """

    start: int
    end: int
    meaning: Meaning
    region: Region
    distance: int
    sure: float
    denied: bool


def feeling_cues(passage: Passage, language: Language) -> tuple[FeelingCue, ...]:
    """Return the phrases around a target about its delivery, by their regions.

    >>> from aptone.planner.passage import passage_around
    >>> from aptone.types import Line
    >>> after = Line("she sobbed, her hands shaking.", continues=True)
    >>> cues = feeling_cues(passage_around([], Line("Go!"), [after]), "en")
    >>> [(cue.region, [str(name) for name in cue.meaning.emotions]) for cue in cues if cue.meaning.emotions]
    [('tag', ['sad']), ('tag', ['fear'])]
    """
    scene = scene_of(passage, language)
    persons = persons_of(scene)
    return tuple(cue for sentence in scene.sentences for cue in _cues(scene, sentence, persons))


def _cues(scene: Scene, sentence: Sentence, persons: Persons) -> list[FeelingCue]:
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
            FeelingCue(
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
