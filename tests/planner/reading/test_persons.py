"""Whose feeling a phrase tells of: the speaker's, or another person's."""

from aptone.planner.passage import passage_of
from aptone.planner.reading.cues import FeelingCue, feeling_cues
from aptone.rooms.aptness.api import line_to_plan
from aptone.rooms.aptness.story import make_story


def felt(story: str, line: str) -> dict[str, FeelingCue]:
    """Phrases that tell of the speaker of a line, by their words."""
    passage = passage_of(line_to_plan(make_story([story], language="en"), line=line))
    return {passage.text[cue.start : cue.end]: cue for cue in feeling_cues(passage, "en") if cue.meaning.emotions}


def test_a_tag_between_two_parts_of_a_speech_tells_of_the_second_too() -> None:
    found = felt("“To the old devil,” she said, smiling. “May he stay buried.”", "May he stay buried.")
    assert (found["smiling"].region, found["smiling"].sure) == ("tag", 1.0)


def test_a_tag_is_not_that_of_a_speech_with_a_tag_of_its_own() -> None:
    found = felt("“Forty-one cats,” said the landlord, smiling. “Take it away,” Bea said.", "Take it away,")
    assert "smiling" not in found


def test_what_a_crowd_feels_is_not_what_the_speaker_feels() -> None:
    story = "The crowd around her screamed with joy. Dana looked at her shoes. “Congratulations,” she said."
    assert felt(story, "Congratulations") == {}


def test_her_before_a_noun_is_an_owner_behind_a_preposition_too() -> None:
    assert "sobbing voice" in felt("There was a choke in her sobbing voice. “I am fine,” she said.", "I am fine")


def test_what_a_thing_does_is_nobody_s_voice() -> None:
    assert (
        felt("The old house sobbed in the wind. “Best night of the year,” she said.", "Best night of the year,") == {}
    )


def test_what_a_person_does_is_theirs_though_an_article_stands_before_it() -> None:
    assert "sobbed" in felt("The young nurse sobbed. “I am fine,” she said.", "I am fine")
