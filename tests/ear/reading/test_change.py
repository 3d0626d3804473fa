"""Changes over time whose end is a word that says that something arises."""

from aptone.ear.reading import read_description
from tests.tables import for_each


@for_each(
    ("text", "before", "after"),
    [
        ("Panicky at first but she gradually settles.", "fear", "calm"),
        ("Furious at first, she calms down.", "angry", "calm"),
        ("He starts out sad and then cheers up.", "sad", "happy"),
        ("起初惊慌，慢慢镇定下来。", "fear", "calm"),
    ],
)
def test_a_word_that_says_that_something_arises_ends_a_change(text: str, before: str, after: str) -> None:
    reading = read_description(text)
    (change,) = [one.change for one in reading.statements if one.change is not None]
    assert (str(change.before), str(change.after)) == (before, after)
    assert not [one for one in reading.judged if one.senses[0].attribute == "emotion"]


def test_what_is_calm_throughout_is_no_change() -> None:
    assert not [one for one in read_description("Not surprised, calm and settled.").statements if one.change]
