"""Words with which people describe a voice, beyond those that the ear says itself: idioms, inflections, comparisons.

``voices/descriptions.en.tsv`` and ``voices/descriptions.zh.tsv`` (apart from the planner's tables, which its revision
covers) hold a group of phrases a row: what they say, a tab, and phrases as `aptone.lexicon.phrases` reads them. What
a row says is text here; `aptone.ear.describe.vocabularies` knows the attributes and their values. A phrase that is
added to a row is known.
"""

import functools
from collections.abc import Mapping
from importlib.resources import files
from typing import NamedTuple

from aptone.lexicon.phrases import PhraseBook
from aptone.types import Language

FAMILIES: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "his": "his, her, their, the, your, my, its",
        "he": "he, she, they, it, you, somebody, someone",
        "him": "him, her, them, himself, herself, themselves, themself, itself",
        "male": "male, man, men, female, woman, women",
        "female": "female, woman",
        "person": "man, woman, male, female, guy, girl, boy, lady, person, speaker",
        "tone": "voice, tone, tones, voiced",
        "mid": "moderate, medium, average, fair, ordinary, normal, middling, modest, reasonable, usual, regular, "
        "typical, "
        "standard, gentle, mild, decent, natural, everyday, moderately",
        "wide": "wide, wild, extensive, great, big, large, huge, rich, considerable, lots of, plenty of, "
        "a lot of, marked, "
        "dramatic, busy, mobile, lively, broad, generous, pronounced, exaggerated, expansive, much, extreme, "
        "highly varied, "
        "sharp, strong, frequent, sweeping, surprising, varied, variable, vivid, bold, enormous, abundant, "
        "strongly varied",
        "small": "little, minimal, hardly any, barely any, scarcely any, scant, narrow, no, tiny, zero, without, "
        "without any, "
        "almost no, very little, next to no, limited, restricted, virtually no, practically no, reduced, low",
        "var": "variation, melody, movement, inflection, ups and downs, rise and fall, modulation, contour, range, "
        "intonation, variety, rises and falls, variations, inflections, lilt, tonal movement, tonal variation, "
        "melodic range",
        "roam": "jumps, bounces, bobs, wanders, ranges, skips, swings, roams, leaps, dances, darts, swoops, "
        "hops, zigzags, "
        "careens, lurches, swerves, see saws, rollercoasters, jumping, bouncing, bobbing, wandering, ranging, "
        "skipping, "
        "swinging, roaming, leaping, dancing, darting, swooping, hopping, careening, lurching, wander, roam, leap, "
        "dance",
    },
    "zh": {
        "他": "他，她，自己，说话人，说话者",
        "男": "男，女",
        "调": "音调，调子，调门，声调，音高，嗓音，嗓子，声线，音区",
        "量": "声音，音量，嗓门，响度",
        "速": "语速，说得，说话，讲得，讲话，速度，话说得，念得，讲话速度，说话速度",
        "伏": "起伏，变化，起落，抑扬，高低变化，音高变化，音调变化，语调变化，语调起伏，音调起伏，音高起伏，"
        "声调变化，声调起伏，"
        "语调的高低变化，音调的起伏，语调的起伏，音高的变化，调子起伏，旋律",
        "却": "却，也，又，很，倒，真，挺，还挺，有点，有些，比较，更，较，略，稍，相当，都，还，还是，是，那么，"
        "这么，够，倒还，算是，还算，都算，"
        "也算，倒是，仍，仍然，依然，依旧，始终，一直，偏，并，竟，居然，反而，大致，大体，基本，基本上，算，也还，则",
        "极": "极，极其，极为，非常，特别，异常，超，奇，巨，十分，格外，出奇地，极度，太",
    },
}
"""Words that stand for each other in phrases."""


class Descriptions(NamedTuple):
    """Phrases of one language, ready to be looked up, and what each list of them says."""

    book: PhraseBook
    says: tuple[str, ...]


@functools.cache
def descriptions(language: Language) -> Descriptions:
    """Return the phrases of a language.

    >>> descriptions("en").says[0]
    'sex: male'
    """
    text = (files("aptone.lexicon") / "voices" / f"descriptions.{language}.tsv").read_text(encoding="utf-8")
    rows = [row.split("\t") for row in text.splitlines() if row.strip() and not row.startswith("#")]
    for row in rows:
        if len(row) != 2:
            raise ValueError(f"descriptions.{language}.tsv: expected two fields, got {len(row)}: {row[0]!r}.")
    book = PhraseBook([phrases for _, phrases in rows], families=FAMILIES[language], language=language)
    return Descriptions(book, tuple(says for says, _ in rows))
