from collections import Counter

from aptone.planner.reading.characters import Cast, find_cast
from aptone.planner.reading.english_people import EnglishPeople
from aptone.planner.reading.mandarin_people import MandarinPeople, mandarin_names, mandarin_sexes
from tests.tables import for_each

ENGLISH = EnglishPeople(Cast({"Tom": "Tom", "Ann": "Ann"}, {"Ann": "f"}), first_person=True)
MANDARIN = MandarinPeople({"张三": "张三", "宝玉": "贾宝玉", "贾宝玉": "贾宝玉"}, first_person=True)


@for_each(
    ("sentence", "found"),
    [
        ("Tom took Ann's hand.", [("Tom", "subject"), ("Ann", "owner")]),
        ("Then her father laughed.", [("her father", "subject")]),
        ("A tall man bowed to Ann.", [("the tall man", "subject"), ("Ann", "other")]),
        ("The men ran, and she followed.", [("the men", "subject"), ("", "subject")]),
        ("I saw Tom.", [("I", "subject"), ("Tom", "other")]),
        ("His face fell.", [("", "owner")]),
        ("The end of the road was near.", []),
    ],
)
def test_english_sentences_mention_names_descriptions_and_pronouns(sentence: str, found: list[tuple[str, str]]) -> None:
    said = [
        (one.person, "owner" if one.owns else "subject" if one.is_subject else "other")
        for one in ENGLISH.mentions(sentence)
    ]
    assert said == found


@for_each(
    ("sentence", "found"),
    [
        ("张三对宝玉笑了笑。", [("张三", True), ("贾宝玉", False)]),
        ("他父亲站起来。", [("他父亲", True)]),
        ("忽然一个老者走进来。", [("老者", True)]),
        ("王夫人叫众人出去。", [("王夫人", True), ("众人", False)]),
        ("张三的母亲哭了。", [("张三的母亲", True)]),
        ("我摇摇头。", [("我", True)]),
        ("雨停了。", []),
    ],
)
def test_mandarin_sentences_mention_names_titles_and_relations(sentence: str, found: list[tuple[str, bool]]) -> None:
    assert [(one.person, one.is_subject) for one in MANDARIN.mentions(sentence)] == found


def test_groups_and_relations_have_a_sex_where_their_noun_states_it() -> None:
    assert [ENGLISH.sex_of(role) for role in ("the men", "her mother", "my uncle", "the doctor", "Ann", "I")] == [
        *["p", "f", "m", "", "f", "1"]
    ]
    assert [MANDARIN.sex_of(role) for role in ("众人", "他父亲", "王夫人", "张三")] == ["p", "m", "f", ""]


def test_a_call_is_told_from_a_name_in_passing() -> None:
    assert list(ENGLISH.called("“Come here, Ann, and bring Tom along.”")) == [("Ann", True), ("Tom", False)]
    assert list(MANDARIN.called("“张三，宝玉在哪里？”")) == [("张三", True), ("贾宝玉", False)]


def test_a_name_with_a_word_beside_it_is_that_name() -> None:
    tagged = Counter({"贵兴": 9, "贵兴直": 1, "见凤姐": 1, "凤姐": 8})
    assert mandarin_names([], tagged) == {"贵兴": "贵兴", "凤姐": "凤姐", "贵兴直": "贵兴", "见凤姐": "凤姐"}


def test_a_longer_form_of_a_name_is_the_same_person_under_the_commoner_form() -> None:
    assert mandarin_names([], Counter({"城璧": 9, "连城璧": 2})) == {"城璧": "城璧", "连城璧": "城璧"}


def test_clauses_that_keep_beginning_alike_give_a_name_away_without_a_tag() -> None:
    told = ["林晓推开门。", "林晓坐下。", "林晓没有说话，看着窗外。", "走廊里没有人。"]
    assert mandarin_names(told, Counter()) == {"林晓": "林晓"}


def test_pronouns_tell_the_sex_of_names_only_where_a_story_writes_both() -> None:
    people = MandarinPeople({"林晓": "林晓", "周明": "周明"})
    told = ["林晓说她累了。", "周明擦了擦他的眼镜，他笑了。", "林晓把她的包放下。"]
    assert mandarin_sexes(people, told) == {"林晓": "f", "周明": "m"}
    assert mandarin_sexes(people, ["林晓说他累了。"]) == {}


def test_of_two_forms_of_a_name_as_common_as_each_other_the_role_is_always_the_same() -> None:
    names = ("Grey John", "John Grey", "Tom Grey", "Grey Tom", "Moor Ann", "Ann Moor")
    cast = find_cast([], Counter(names))
    assert [cast.name_of(name) for name in names] == ["Grey John"] * 2 + ["Grey Tom"] * 2 + ["Ann Moor"] * 2
