"""Sentences of narration that ask for a rhythm or an intonation, for the contexts of the miniature judge.

TV dialogues rarely describe how a line is spoken; stories do. A line of a dialogue gets one of these sentences before
it, as in `aptone.rooms.aptness.build.proxy_grade` for recording conditions. The built-in planner's lists know the
words of most of them, and miss some. Of each list, every second sentence is for training, and the others for the rest;
the four that ask for a recording condition are for both.
"""

from collections.abc import Mapping

from aptone.rooms.aptness.build.proxy_grade import NARRATION
from aptone.types import Intonation, RecordingCondition, Rhythm

MANNER: Mapping[Rhythm | Intonation, tuple[str, ...]] = {
    Rhythm.BRISK: (
        "The words came quick and light, with a laugh behind them.",
        "There was a laugh in the voice.",
        "It was said brightly, almost skipping from word to word.",
        "The answer came at once, cheerfully, as if it were a game.",
        "Light and quick, that was how it sounded.",
        "The reply bubbled up merrily.",
    ),
    Rhythm.HEAVY: (
        "It was said solemnly, weighing each word.",
        "It was said gravely, and the room grew cold.",
        "The voice was stern, and slow, and left no doubt.",
        "A long silence; then it came, in a grave voice.",
        "The words fell like stones.",
        "It was said sternly, one word at a time.",
    ),
    Rhythm.LOW_PACED: (
        "The voice was so low that one had to lean in.",
        "It was barely above a whisper.",
        "The words came slowly, thick with tears.",
        "It was murmured, in a tired voice.",
        "It came in a low voice, barely audible.",
        "It was whispered, haltingly.",
    ),
    Rhythm.HIGH_ENERGY: (
        "It was shouted for all to hear.",
        "The voice rang out so that the glasses shook.",
        "This time it was a roar.",
        "It burst out at the top of the lungs.",
        "It came in a loud, ringing voice.",
        "It was a bellow, and nothing less.",
    ),
    Rhythm.RELAXED: (
        "It was said with all the time in the world.",
        "The voice was easy and unhurried.",
        "It was said gently, leaning back in the chair.",
        "It was said in an easy voice, without haste.",
        "The voice was calm and warm.",
        "It came lazily, from somewhere deep in the cushions.",
    ),
    Rhythm.TENSE: (
        "The words tumbled over one another.",
        "The voice trembled, and every breath could be heard.",
        "It was said hurriedly, with a look over the shoulder.",
        "It came in gasps, out of breath.",
        "The voice was tight as a wire.",
        "It was stammered more than spoken.",
    ),
    Intonation.FLAT: (
        "It was said without any expression.",
        "There was no inflection in it, not on any word.",
        "It came in a monotone, as if read from a list.",
        "The voice was flat.",
    ),
    Intonation.RISING: (
        "The voice went up at the end.",
        "It was said with a rising inflection.",
        "There was a question in the voice.",
        "The last word climbed and hung in the air.",
    ),
    Intonation.CURVED: (
        "The voice swung up and down, dripping with irony.",
        "It was said in a mocking sing-song.",
        "It had a lilt to it, mocking, up and down.",
        "It was said with heavy sarcasm.",
    ),
    Intonation.FALLING: (
        "The voice fell, and that was the end of the matter.",
        "It was said with finality.",
        "The sentence trailed off.",
        "It was final, like a door closing.",
    ),
}


def sentences(asked: Rhythm | Intonation | RecordingCondition, *, is_training: bool) -> tuple[str, ...]:
    """Return the sentences that ask for something: those for training, or the others.

    >>> len(sentences(Rhythm.BRISK, is_training=True)), len(sentences(RecordingCondition.PHONE, is_training=False))
    (3, 4)
    """
    if isinstance(asked, RecordingCondition):
        return NARRATION[asked.value]["en"]
    return MANNER[asked][0 if is_training else 1 :: 2]
