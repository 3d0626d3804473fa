"""Captions in people's own words: inflections, idioms, polarity, comparisons, people who are not the speaker."""

from aptone.rooms.caption.decompose.built_in import decompose
from aptone.types import language_of_text
from tests.rooms.caption.decompose.test_built_in import claims
from tests.tables import for_each


@for_each(
    ("caption", "expected"),
    [
        ("She is laughing.", ["sex female", "events laughter"]),
        ("She bursts into tears.", ["sex female", "emotion sad", "events sob"]),
        ("He lost his temper.", ["sex male", "emotion angry"]),
        ("He is about to blow a fuse.", ["sex male", "emotion angry"]),
        ("A confident, sarcastic voice.", ["emotion confident", "emotion sarcastic"]),
        ("Relieved.", ["emotion relieved"]),
        ("Confused and impatient.", ["emotion surprise", "emotion angry"]),
        ("Creaky, with long pauses.", ["texture rough", "rhythm pauses"]),
        ("He keeps his voice down.", ["sex male", "volume soft"]),
        ("Over the moon.", ["emotion happy"]),
        ("她哭了。", ["sex female", "emotion sad", "events sob"]),
        ("他在笑。", ["sex male", "events laughter"]),
        ("自信。", ["emotion confident"]),
        ("嗓门很大。", ["volume loud"]),
        ("他火冒三丈。", ["sex male", "emotion angry", "intensity strong"]),
        ("语调起伏适中，调子却低。", ["pitch_variation moderate", "pitch low"]),
    ],
)
def test_inflections_and_idioms_are_read(caption: str, expected: list[str]) -> None:
    assert sorted(claims(caption)) == sorted(expected)


@for_each(
    ("caption", "expected"),
    [
        ("Nobody would call this joyful.", ["!emotion happy"]),
        ("More excited than calm.", ["emotion happy", "!emotion calm"]),
        ("Less angry than tired.", ["!emotion angry", "emotion sad"]),
        ("She doesn't sound the least bit angry.", ["sex female", "!emotion angry"]),
        ("You wouldn't guess at any worry.", ["!emotion fear"]),
        ("He couldn't be happier.", ["sex male", "emotion happy"]),
        ("Confident he is not.", ["!emotion confident", "sex male"]),
        ("谁听了都不会说她心情好。", ["sex female", "!emotion happy"]),
        ("一点火气也没有。", ["!~emotion angry"]),
        ("与其说是无聊，不如说是伤心。", ["!emotion boredom", "emotion sad"]),
        ("哪里谈得上冷静。", ["!emotion calm"]),
        ("悲伤多于恐惧。", ["emotion sad", "!emotion fear"]),
        ("化不开的愁。", ["emotion sad", "intensity strong"]),
        ("She speaks without a trace of joy.", ["sex female", "!~emotion happy"]),
        ("Without so much as a hint of a smile.", ["!~emotion happy"]),
        ("There is little joy in it.", ["!emotion happy"]),
        ("A little sad.", ["~emotion sad"]),  # "a little" denies nothing
        ("I would never describe this as cheerful.", ["!emotion happy"]),
        ("All joy has gone out of it.", ["!emotion happy"]),
        ("Angry? Sure. Loud? Not really.", ["emotion angry", "!volume loud"]),
        ("It's not a woman speaking.", ["!sex female"]),
        ("Not low at all.", ["!pitch low"]),
        ("She is trying to sound cheerful but she is sad.", ["sex female", "emotion sad"]),
        ("毫无喜悦之意。", ["!emotion happy"]),
        ("不带一丝温柔。", ["!~emotion calm"]),
        ("一点不怕。", ["!emotion fear"]),
        ("音调并不高。", ["!pitch high"]),
        ("要说他高兴，我第一个不信。", ["sex male", "!emotion happy"]),
    ],
)
def test_denials_and_comparisons_take_back_what_they_deny(caption: str, expected: list[str]) -> None:
    assert sorted(claims(caption)) == sorted(expected)


@for_each(
    ("caption", "expected"),
    [
        ("A woman sings a lullaby to a child.", ["sex female", "events singing", "emotion calm"]),
        ("As if soothing a child, he speaks quietly.", ["~emotion calm", "sex male", "volume soft"]),
        ("She talks to her husband, and he does not answer.", ["sex female"]),
        ("The voice belongs to a man.", ["sex male"]),
        ("Spoken by an old friend, sadly.", ["emotion sad"]),
        ("An old man speaks.", ["age elderly", "sex male"]),
        ("Sad, as if talking to a disobedient child.", ["emotion sad"]),
        ("女声很轻，像在哄孩子。", ["sex female", "volume very soft", "emotion calm"]),
        ("姑娘在说话。", ["sex female", "age young adult"]),
    ],
)
def test_people_who_are_not_the_speaker_are_no_claims(caption: str, expected: list[str]) -> None:
    assert sorted(claims(caption)) == sorted(expected)


@for_each(
    ("caption", "expected"),
    [
        ("Clearly upset.", ["intensity clear", "emotion sad"]),
        ("A clear voice.", ["texture clear"]),
        ("Utterly heartbroken, at a moderate pace.", ["intensity strong", "emotion sad", "rate moderate"]),
        ("High, and sad.", ["pitch high", "emotion sad"]),
        ("The stakes are high.", []),
    ],
)
def test_degrees_grade_the_emotion_beside_them_and_levels_stand_for_the_pitch(
    caption: str, expected: list[str]
) -> None:
    assert sorted(set(claims(caption))) == sorted(set(expected))


@for_each(
    ("caption", "expected"),
    [
        ("Starts calm and ends furious.", "emotion calm > angry"),
        ("By the end the voice is livid, though it had started out perfectly serene.", "emotion calm > angry"),
        ("She goes from fright to outright cheer.", "emotion fear > happy"),
        ("He speeds up.", "rate moderate > fast"),
        ("The voice gets louder.", "volume medium > loud"),
        ("情绪由震惊转为平静。", "emotion surprise > calm"),
        ("声音越来越小。", "volume medium > soft"),
        ("先是惊讶，随后又沮丧起来。", "emotion surprise > sad"),
        ("He grows angrier with every word.", "emotion neutral > angry"),
        ("His anger dissolves.", "emotion angry > neutral"),
        ("She starts out cheerful and ends up in tears.", "emotion happy > sad"),
        ("怒气渐渐消散。", "emotion angry > neutral"),
    ],
)
def test_a_change_over_time_is_one_claim_of_its_own(caption: str, expected: str) -> None:
    units = decompose(caption, language=language_of_text(caption))
    changes = [f"{unit.attribute} {unit.value} > {unit.becomes}" for unit in units if unit.becomes]
    assert changes == [expected]


def test_what_a_change_leads_from_and_to_is_no_claim_about_the_whole_clip() -> None:
    assert claims("Starts calm and ends furious.") == ["emotion calm"]  # the change itself, by its first value
    assert claims("It never turns angry.") == ["!emotion angry"]
