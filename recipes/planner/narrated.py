"""Narrated feelings as labels: lines with a neutral tag whose paragraph names the speaker's feeling.

The label is what the explicit reader finds in the narration next to such a line, and only there. These labels are weak
(the reader is wrong in some of them), plentiful, and by other authors than the scenes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from aptone.planner.fusion import cue_weight
from aptone.planner.passage import Passage
from aptone.planner.reading.cues import FeelingCue, feeling_cues
from aptone.types import Emotion
from recipes.planner.examples import Example, visible
from recipes.planner.fiction import Fiction, TaggedLine

SURE = 0.8
"""Least probability that the narration is about the speaker."""
LEAST = 0.9
"""Least total weight of its cues."""
NEAREST = {"en": 250, "zh": 60}
"""Largest number of characters between the narration and the line."""
SHARE = 0.85
"""Share of the emotion in the label; the rest goes to "the text does not say"."""


def narrated_examples(lines: Iterable[TaggedLine], fiction: Fiction) -> Iterator[Example]:
    """Yield the lines with a neutral tag and one feeling in the paragraph."""
    for line in lines:
        if line.said.get("delivery") or line.said.get("emotion"):
            continue
        example = visible(line, fiction)
        passage = Passage(example.text, example.start, example.end, "", ())
        cues = feeling_cues(passage, line.language)
        near = [cue for cue in cues if cue.region in ("tag", "direction", "same") and cue.meaning.emotions]
        near = [cue for cue in near if cue.region != "same" or _gap(cue, example) <= NEAREST[line.language]]
        if not near or any(cue.denied or cue.region != "same" for cue in near):
            continue
        sums = _sums([cue for cue in near if cue.sure >= SURE])
        if len(sums) == 1 and next(iter(sums.values())) >= LEAST:
            emotion = next(iter(sums))
            places = tuple((cue.start, cue.end) for cue in near)
            yield replace(
                example,
                source="narrated",
                target={str(emotion): SHARE, "unsaid": 1.0 - SHARE},
                evidence=places,
                voice=None,
            )


def _gap(cue: FeelingCue, example: Example) -> int:
    """Return the number of characters between a cue and the target."""
    return max(example.start - cue.end, cue.start - example.end, 0)


def _sums(cues: Iterable[FeelingCue]) -> dict[Emotion, float]:
    found: dict[Emotion, float] = {}
    for cue in cues:
        for emotion, share in cue.meaning.emotions.items():
            found[emotion] = found.get(emotion, 0.0) + share * cue_weight(cue)
    return found
