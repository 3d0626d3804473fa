"""People of short stories: names that stand once, trades, somebody of somebody, scripts, and who keeps silent."""

from collections import Counter

from aptone.planner.reading.attribution import attribute, read_story
from aptone.planner.reading.characters import find_cast, names_called
from aptone.planner.reading.english_people import EnglishPeople
from aptone.planner.reading.mandarin_people import MandarinPeople, mandarin_names
from aptone.planner.reading.mandarin_short import names_of_short_story
from aptone.types import Line
from tests.tables import for_each


def roles(*rows: str) -> list[str]:
    return [line.role for line in attribute([Line(row) for row in rows])]


def candidates(*rows: str) -> list[str]:
    """Names of the candidates for the first speech."""
    return read_story([Line(row) for row in rows]).candidates.names[0]


def test_a_name_that_stands_once_at_the_beginning_of_a_sentence_is_known() -> None:
    assert roles("Peter looked up. “Is it late?”", "“Very,” said Mia.") == ["Peter", "Mia"]


def test_a_name_that_stands_once_within_a_sentence_is_known() -> None:
    assert "Vera" in candidates("By winter she had a lodger, a girl named Vera.", "“Who is it?”")


@for_each("sentence", ["Rain fell on the roof.", "Slowly it opened.", "In Paris it rained.", "Nobody's coat was dry."])
def test_a_word_that_only_begins_a_sentence_or_names_a_place_is_nobody(sentence: str) -> None:
    assert candidates(sentence, "“Who is it?”") == [""]


def test_a_long_story_still_needs_a_name_more_than_once() -> None:
    rows = ["It was cold by then."] * 70
    assert candidates("Peter looked up.", "“Is it late?”", *rows) == [""]


def test_whom_a_speech_calls_by_name_may_say_another() -> None:
    found = read_story([Line("“Two for you, Eric, and a parcel.”"), Line("“Socks!”")])
    assert "Eric" in found.candidates.names[1]
    assert "Eric" in found.events.units[0].called
    assert sorted(names_called(["“Well, look at that.”", "“Yes, Doctor.”"])) == []


@for_each("tag", ["said Lin's husband", "Lin’s husband said"])
def test_somebody_of_somebody_is_a_person_of_his_own(tag: str) -> None:
    assert roles(f"“Sit down,” {tag}.", "“No,” said Lin.") == ["Lin's husband", "Lin"]


def test_the_owner_of_a_person_does_not_act() -> None:
    people = EnglishPeople(find_cast(["Lin laughed."], Counter({"Lin": 1})))
    assert [(one.person, one.is_subject) for one in people.mentions("Lin's husband came in.")] == [
        ("Lin's husband", True)
    ]


def test_a_description_with_a_name_means_the_one_who_has_it() -> None:
    people = find_cast(["Christina sat down."], Counter({"Christina": 2, "the trembling Christina": 1}))
    assert people.name_of("the trembling Christina") == "Christina"


def test_a_name_with_and_without_its_article_is_one_person() -> None:
    people = find_cast(["Scarecrow nodded. Scarecrow sat."], Counter({"the Scarecrow": 3}))
    assert people.name_of("Scarecrow") == people.name_of("the Scarecrow") == "the Scarecrow"


def test_who_acts_beside_a_speech_without_a_tag_says_it() -> None:
    assert roles("“Go.” Tom shut the door.") == ["Tom"]


@for_each("row", ["“Go.” Tom said nothing.", "“Go.” Tom did not answer."])
def test_who_says_nothing_behind_a_speech_does_not_say_it(row: str) -> None:
    assert roles(row) == [""]


def test_mandarin_names_of_a_short_story_may_stand_once() -> None:
    told = ["周小满把网页刷新了两遍。", "老宋看了看表，小魏没抬头。", "阿鲛数了数炮口。"]
    assert set(names_of_short_story(told, ["“徐珊，你来。”"])) >= {"周小满", "老宋", "小魏", "阿鲛"}


@for_each(
    "sentence", ["周围的人都看着他。", "小时候他住在这里。", "老板在小区门口站着。", "慢慢把门关上。", "高兴得很。"]
)
def test_an_ordinary_mandarin_word_that_begins_like_a_name_is_none(sentence: str) -> None:
    assert not names_of_short_story([sentence], [])


def test_a_mandarin_noun_keeps_the_word_that_tells_which_one() -> None:
    people = MandarinPeople(mandarin_names(["雨停了。"], Counter()))
    assert [one.person for one in people.mentions("胖主管看着年轻警员。")] == ["胖主管", "年轻警员"]


def test_mother_and_mama_are_one_mandarin_mother() -> None:
    names = mandarin_names(["妈妈切西瓜。"], Counter(), ["“妈，查到了。”"])
    assert names["妈"] == "妈妈"


def test_narration_within_a_mandarin_speech_is_told_of_its_speaker() -> None:
    rows = (
        "林晓推开门的时候，屋里黑着灯。周明坐在沙发上。",
        "“你去哪儿了？”周明问。",
        "“加班。”林晓把包扔在地上，“你怎么不开灯？”",
    )
    assert roles(*rows)[-1] == "林晓"


@for_each(
    "rows",
    [
        ("(An office.)", "DIRECTOR: Sit down.", "ACTRESS (she isn't upset): I see."),
        ("将军背对镜头。", "将军：桥断了没有？", "副将（单膝砸地）：断了。"),
        ("KOFI (past them both): It's all right.", "THE BOY (wringing his cap): You won't tell?"),
    ],
)
def test_everybody_of_a_short_script_is_known(rows: tuple[str, ...]) -> None:
    found = roles(*rows)[-2:]
    assert found == [
        row.partition("：")[0].partition(":")[0].partition("（")[0].partition(" (")[0] for row in rows[-2:]
    ]


def test_it_is_the_turn_of_the_first_of_two_where_nothing_stands_beside_a_speech() -> None:
    rows = (
        "“You are late,” said Tom.",
        "“I am never late,” Ann answered.",
        "“It is the same boat as every day.”",
        "Behind them the keeper came down the steps. “Is anybody going out?” asked the keeper.",
    )
    assert roles(*rows)[2] == "Tom"


def test_a_subtitle_without_a_name_is_nobody_s() -> None:
    lines = [Line("Where are you?", speech=True), Line("Here.", "TOM", speech=True), Line("We go now.", speech=True)]
    assert [line.role for line in attribute(lines)] == ["", "TOM", ""]
