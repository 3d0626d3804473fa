"""Captions in rare words: families of the field's nouns, similes, degrees, idioms, and denials by a word's form."""

from aptone.ear.reading.vocabularies import read_mentions
from aptone.lexicon.descriptions import descriptions
from aptone.rooms.caption.decompose.built_in import decompose
from aptone.types import Language
from tests.rooms.caption.decompose.test_built_in import claims
from tests.tables import for_each


@for_each(
    ("caption", "expected"),
    [
        ("Fundamental frequency a notch above average.", "pitch high"),
        ("Tessitura is lowered.", "pitch low"),
        ("Vocal placement: dead centre.", "pitch medium"),
        ("F0 below the mean.", "pitch low"),
        ("A median register.", "pitch medium"),
        ("Glass-breaking.", "pitch very high"),
        ("Contrabass.", "pitch very low"),
        ("Amplitude well above the mean.", "volume loud"),
        ("Loudness: typical.", "volume medium"),
        ("Output level reduced.", "volume soft"),
        ("Hard to hear, near the threshold of hearing.", "volume very soft"),
        ("He goes at an average lick.", "rate moderate"),
        ("Articulation rate is raised.", "rate fast"),
        ("Word rate below the norm.", "rate slow"),
        ("Pitch excursions are unexceptional.", "pitch_variation moderate"),
        ("Zero tune.", "pitch_variation monotone"),
        ("The melodic contour is wide.", "pitch_variation lively"),
        ("基频偏低。", "pitch low"),
        ("腔调属于中等水平。", "pitch medium"),
        ("嗓音顶到天花板。", "pitch very high"),
        ("声压居中。", "volume medium"),
        ("话音太轻。", "volume soft"),
        ("吐字如飞。", "rate very fast"),
        ("说话的速度一般。", "rate moderate"),
        ("音高波动中等。", "pitch_variation moderate"),
        ("语调波动剧烈。", "pitch_variation lively"),
        ("旋律起伏为零。", "pitch_variation monotone"),
    ],
)
def test_nouns_of_the_field_combine_with_positions(caption: str, expected: str) -> None:
    assert expected in claims(caption)


@for_each(
    ("caption", "expected"),
    [
        ("Squeaky as a hinge.", "pitch very high"),
        ("A voice like a bassoon.", "pitch low"),
        ("Quiet as a moth.", "volume very soft"),
        ("Loud as a foghorn.", "volume loud"),
        ("He talks like a runaway train.", "rate very fast"),
        ("Slower than cold syrup.", "rate very slow"),
        ("Flat as a salt flat.", "pitch_variation monotone"),
        ("像敲木鱼。", "pitch_variation monotone"),
        ("像短笛。", "pitch high"),
        ("快如奔马。", "rate very fast"),
        ("像蜗牛爬。", "rate very slow"),
    ],
)
def test_similes_say_what_they_stand_for(caption: str, expected: str) -> None:
    assert expected in claims(caption)


@for_each(
    ("caption", "expected"),
    [
        ("Scared witless.", ["emotion fear", "intensity strong"]),
        ("She blows her top.", ["sex female", "emotion angry", "intensity strong"]),
        ("Grief, laid on with a trowel.", ["emotion sad", "intensity strong"]),
        ("A whisker of scorn.", ["emotion disgust", "intensity slight"]),
        ("Glum, noticeably so.", ["emotion sad", "intensity clear"]),
        ("吓得屁滚尿流。", ["emotion fear", "intensity strong"]),
        ("一丝丝难过。", ["emotion sad", "~intensity slight"]),
        ("惊讶，强度中等。", ["emotion surprise", "intensity clear"]),
    ],
)
def test_degrees_stand_beside_a_feeling(caption: str, expected: list[str]) -> None:
    assert sorted(claims(caption)) == sorted(expected)


@for_each(
    ("caption", "expected"),
    [
        ("Joyless.", ["!emotion happy"]),
        ("Quite fearless.", ["!emotion fear"]),
        ("Not fearless.", ["emotion fear"]),
        ("Dry-eyed.", ["!emotion sad"]),
        ("Shorn of joy.", ["!emotion happy"]),
        ("Untainted by rancour.", ["!emotion angry"]),
        ("The terror never arrives.", ["!emotion fear"]),
        ("Nonplussed? No.", ["!emotion surprise"]),
        ("惊讶度为零。", ["!emotion surprise"]),
        ("面无惧色。", ["!emotion fear"]),
        ("笑不出来。", ["!emotion happy"]),
    ],
)
def test_words_and_phrases_deny_by_their_form(caption: str, expected: list[str]) -> None:
    assert claims(caption) == expected


@for_each(
    ("caption", "expected"),
    [
        ("Bile and spleen.", "emotion angry"),
        ("Her heart is in her mouth.", "emotion fear"),
        ("Tickled pink.", "emotion happy"),
        ("Gobsmacked.", "emotion surprise"),
        ("With his nose wrinkled.", "emotion disgust"),
        ("He phones it in.", "emotion boredom"),
        ("A stone-faced, affectless voice.", "emotion neutral"),
        ("An unruffled voice.", "emotion calm"),
        ("Woebegone.", "emotion sad"),
        ("七窍生烟。", "emotion angry"),
        ("心里直打鼓。", "emotion fear"),
        ("乐颠颠的。", "emotion happy"),
        ("下巴掉地上。", "emotion surprise"),
        ("像吞了苍蝇。", "emotion disgust"),
        ("有一搭没一搭。", "emotion boredom"),
        ("不悲不喜。", "emotion neutral"),
        ("静如深潭。", "emotion calm"),
        ("柔肠寸断。", "emotion sad"),
    ],
)
def test_idioms_name_feelings(caption: str, expected: str) -> None:
    assert expected in claims(caption)


@for_each(
    ("caption", "expected"),
    [("Madam, louder.", "female"), ("Sir, again.", "male"), ("我二舅说得慢。", "male"), ("师妹，再来。", "female")],
)
def test_words_of_address_and_kinship_name_the_speaker(caption: str, expected: str) -> None:
    language: Language = "en" if caption.isascii() else "zh"
    assert [unit.value for unit in decompose(caption, language=language) if unit.attribute == "sex"] == [expected]


@for_each("language", ["en", "zh"])
def test_every_phrase_and_family_can_be_read(language: Language) -> None:
    book, says = descriptions(language)
    for phrases in list(book._heads.values()):  # phrases are parsed only when a text holds their first word
        for key, phrase in phrases:
            assert book._parsed(phrase), f"{says[key]}: {phrase}"


def test_a_word_that_denies_is_one_mention() -> None:
    (mention,) = read_mentions("joyless", language="en")
    assert mention.entry.denied
    assert [str(sense.value) for sense in mention.entry.means] == ["happy"]
