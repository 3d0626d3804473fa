"""What a passage says of who speaks, beyond the trained scorer: who alone acts before it, and who stays silent.

The scorer holds a woman whose title says so for "she" more readily than the one who has just acted: “Clara knelt by the
bed. Her throat closed. “I brought the plums,” she said.” went to Mrs. Hale. Two rules correct that,
by the sentences directly before a speech whose tag is a pronoun.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from aptone.planner.reading.person_nouns import NO_NAMES
from aptone.planner.reading.speech_units import Events, Told, Unit

ACTS_ALONE, STAYS_SILENT, SAYS_NOTHING, ALTERNATES = 1.5, -4.0, -6.0, 1.5
"""Added to the score of the only person who acts in the paragraph before the speech; of one who stays silent there,
where another one acts; of one who is said to say nothing right behind the speech; of the first of two who speak in
turn."""

_SILENT = re.compile(
    r"\b(?:did|does|do|had|has|could|would)(?: not|n[’']t) (?:\w+ly )?(?:move|stir|speak|answer|reply|respond|moved"
    r"|stirred|spoken|answered|replied|responded|sa(?:y|id) (?:anything|a word))\b"
    r"|\b(?:said|says|answered|replied) nothing\b|\bmade no (?:answer|reply|sound|movement)\b|\bwithout a word\b"
    r"|\b(?:was|were|kept|remained|stayed|sat|stood|lay) (?:silent|still|motionless)\b"
    r"|没有?(?:动|说话|吭声|回答|答话|出声|作声)|不(?:说话|作声|吭声|言语|答话)|沉默|一动不动"
)

_SAYS_NOTHING = re.compile(
    r"\b(?:said|says|answered|replied) nothing\b|\bmade no (?:answer|reply)\b"
    r"|\b(?:did|does)(?: not|n[’']t) (?:answer|reply|respond|say (?:anything|a word))\b"
    r"|没有?(?:说话|吭声|回答|答话|出声|作声|接话)|不(?:说话|作声|吭声|言语|答话)|没接话|一言不发|一声不吭"
)


def told_before(unit: Unit, events: Events) -> list[Told]:
    """Return the narration directly before a speech: of its paragraph, else of the one before."""
    found: list[Told] = []
    at = unit.event - 1
    while (told := events.told(at)) is not None and told.place == (found[0].place if found else told.place):
        if told.place < unit.place - 1:
            break
        found.insert(0, told)
        at -= 1
    return found


def speaker_priors(unit: Unit, names: Sequence[str], may_speak: Sequence[bool], events: Events) -> NDArray[np.float32]:
    """Return what is added to the score of each candidate of a speech; zeros where its tag names its speaker.

    Who acts before it counts where the tag is "he" or "she", who says nothing behind it where there is no tag.

    Args:
        may_speak: whether the pronoun of the tag may mean the candidate.
    """
    found = np.zeros(len(names), np.float32)
    behind = events.told(unit.event + 1)
    if not unit.role and not unit.tag and behind is not None and _SAYS_NOTHING.search(behind.text):
        subject = next((mention for mention in behind.mentions if mention.is_subject and not mention.owns), None)
        if subject is not None and subject.person in names:
            found[names.index(subject.person)] = SAYS_NOTHING
    if unit.role or unit.tag not in ("he", "she"):
        return found
    told = told_before(unit, events)
    silent = _silence(told)
    acting = {name: row for row, name in enumerate(names) if name in silent and may_speak[row]}
    is_alone = len(acting) == 1 and told[-1].place == unit.place and not any(map(_may_name_another, told))
    if is_alone and not any(silent[name] for name in acting):
        found[next(iter(acting.values()))] = ACTS_ALONE
    if len(acting) > 1 and not all(silent[name] for name in acting):
        for name, row in acting.items():
            found[row] = STAYS_SILENT if silent[name] else 0.0
    return found


def turn_priors(number: int, names: Sequence[str], events: Events) -> NDArray[np.float32]:
    """Return what is added to the score of each candidate of a speech that answers the one before it.

    Where two people whom tags name speak in the two paragraphs before, and nothing stands beside the speech, it is the
    turn of the first of them, unless the speech calls that one.
    """
    found = np.zeros(len(names), np.float32)
    if number < 2:
        return found
    first, second, unit = events.units[number - 2 : number + 1]
    if unit.role or unit.tag or not first.role or not second.role or first.role == second.role:
        return found
    in_a_row = (first.place + 1, second.place + 1) == (second.place, unit.place)
    behind = events.told(unit.event + 1)
    has_beat = not unit.begins or (behind is not None and behind.place == unit.place)
    if in_a_row and second.begins and not has_beat and first.role in names and first.role not in unit.called:
        found[names.index(first.role)] = ALTERNATES
    return found


def _silence(told: Sequence[Told]) -> Mapping[str, bool]:
    """Return who acts in some sentences, and whether the last of them that tells of a person says that it is silent."""
    found: dict[str, bool] = {}
    for one in told:
        subject = next((mention for mention in one.mentions if mention.is_subject and not mention.owns), None)
        if subject is not None and subject.person:
            found[subject.person] = _SILENT.search(one.text) is not None
    return found


def _may_name_another(told: Told) -> bool:
    """Return whether a sentence that mentions nobody begins with a word that may be a name nothing else tells of."""
    first = re.match(r"[A-Z][\w’'-]*", told.text)
    return first is not None and not told.mentions and first[0].casefold() not in NO_NAMES
