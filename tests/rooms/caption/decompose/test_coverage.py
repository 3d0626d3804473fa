"""Coverage: which words were read, and when too few were."""

import math

from aptone.ear.reading import Coverage, coverage
from aptone.rooms.caption.decompose.built_in import take_apart
from aptone.rooms.caption.decompose.readable import LEAST_READ, coverage_of, too_little
from aptone.types import Language, language_of_text
from tests.tables import for_each


def covered(caption: str) -> Coverage:
    language = language_of_text(caption)
    taken = take_apart(caption, language=language)
    return coverage_of(caption, taken, language=language)


def reason(caption: str) -> str:
    language = language_of_text(caption)
    return too_little(covered(caption), take_apart(caption, language=language).units, caption, language=language)


def test_the_share_counts_content_words_only() -> None:
    # "the", "speaks", "in", "a", "voice" count nowhere; "man", "sad" are read, "zorbish" and "quonk" are not: 2 / 4
    found = covered("The man speaks in a sad, zorbish quonk voice.")
    assert found.share == 0.5
    assert found.words("The man speaks in a sad, zorbish quonk voice.") == ["zorbish", "quonk"]


def test_denials_and_people_who_are_not_the_speaker_are_read() -> None:
    assert covered("She does not sound angry, as if to a child.").share == 1.0


def test_in_mandarin_characters_are_counted_and_neighbours_stand_together() -> None:
    caption = "她很悲伤，犇骉羴。"
    assert covered(caption).words(caption) == ["犇骉羴"]


def test_a_text_without_content_words_has_no_share() -> None:
    assert math.isnan(coverage("The voice is what it is.", (), language="en").share)


@for_each(
    ("caption", "language"),
    [
        ("This man frobs a zorbish quonk into the gleeb.", "en"),
        ("A sad frob quonks zorbish gleebs while mumps whiffle the borogove tulgey wabe.", "en"),
        ("这个男人犇骉羴鱻麤龘靐齉。", "zh"),
    ],
)
def test_a_caption_of_which_too_little_was_read_has_a_reason(caption: str, language: Language) -> None:
    assert reason(caption)
    assert language_of_text(caption) == language


def test_where_only_the_speaker_was_read_the_reason_says_so() -> None:
    assert reason("This man frobs.") == (
        "nothing that the caption says about how it sounds was read; not read: frobs. Say it in other words, "
        "or take it "
        "apart with a model (--decomposer api)."
    )
    assert reason("A man.") == ""


def test_a_few_unread_words_do_no_harm() -> None:
    assert reason("A sad man frobs slowly.") == ""
    assert LEAST_READ < 1.0


@for_each(
    ("caption", "expected"),
    [
        ("A sad man.", True),
        ("A sad man in the kitchen on Tuesday.", True),  # known to be harmless
        ("A sad man, zorbish.", False),
        ("她很悲伤，在厨房。", True),
        ("她很悲伤，犇骉羴。", False),
    ],
)
def test_a_caption_is_fully_read_where_what_is_left_over_is_harmless(caption: str, *, expected: bool) -> None:
    assert covered(caption).is_complete is expected


def test_harmless_words_still_count_as_unread() -> None:
    assert covered("A sad man in the kitchen.").words("A sad man in the kitchen.") == ["kitchen"]
