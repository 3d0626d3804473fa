import time

import hypothesis.strategies as st
import pytest
from hypothesis import given

from aptone.planner.reading.attribution import attribute, read_story, split_speech
from aptone.types import Line
from tests.tables import for_each


def roles(*texts: str, known: tuple[str, ...] = ()) -> list[str]:
    return [line.role for line in attribute([Line(text) for text in texts], roles=known)]


@for_each(
    ("line", "role"),
    [
        ("“Go,” said Tom.", "Tom"),
        ("“Go,” Tom said quietly. “Now.”", "Tom"),
        ("“Go!” Mara shouted at the sea.", "Mara"),
        ('"Is it you?" asked Mr. Grey.', "Mr. Grey"),
        ("Lin Nianlei said: “Ah, it’s really warm.”", "Lin Nianlei"),
        ("Tom turned to Mary and said, “Hello.”", "Tom"),
        ("Then Tom asked, “Why?”", "Tom"),
        ("Yesterday Tom said, “Fine.”", "Tom"),
        ("“Hm,” said the old keeper quietly.", "the old keeper"),
        ("The keeper replied, “No.”", "the keeper"),
        ("“No,” said the keeper angrily.", "the keeper"),
        ("“No,” said the old keeper slowly.", "the old keeper"),
        ("“No,” said the old bully.", "the old bully"),
        ("‘Go,’ said Tom.", "Tom"),
        ("Qin Yu said: You big dummy.", "Qin Yu"),
        ("张三说：你走吧。", "张三"),
        ("张三说：“你走吧。”", "张三"),
        ("林念蕾笑着说：“啊，真暖和。”", "林念蕾"),
        ("秦禹低声问道：“什么？”", "秦禹"),
        ("“走吧。”张三说。", "张三"),
        ("“走吧。”张三点了点头，说道，“天黑了。”", "张三"),
        ("张三对李四说：“你好。”", "张三"),
        ("「來了。」老李頭道。", "老李頭"),
        ("这时，赵六说：“嗯。”", "赵六"),
        ("约翰·史密斯先生喊道：“站住！”", "约翰·史密斯先生"),
        ("娘说：“睡吧。”", "娘"),
        ("众人齐声道：“好！”", "众人"),
        ("布怒曰：“走！”", ""),  # one character is a name only where a longer one ends with it
        ("“Go,” I said.", "I"),
        ("“Go,” said her father.", "her father"),
        ("“Go,” the men said.", "the men"),
        ("“Go,” said a man in the crowd.", "the man"),
        ("“Go,” said the Princess Clementina.", "the Princess Clementina"),
        ("“Go,” Tom says, turning.", "Tom"),
        ("他父亲道：“走！”", "他父亲"),
        ("那人喝道：“站住！”", "那人"),
        ("一个女孩问：“谁？”", "女孩"),
        ("我说：“走！”", "我"),
    ],
)
def test_a_tag_that_names_its_speaker_is_believed(line: str, role: str) -> None:
    assert roles(line) == [role]


@for_each(
    "line",
    [
        "“Go,” he said.",
        "“Go,” said somebody.",
        "“Go.” Tom said nothing.",
        "“Go.”",
        "“Go,” said Tom, and Ann said, “No.”",  # two who speak in one line
        "The “expert” had left.",
        "Tom said that it was late.",
        "Note: the harbour is closed.",
        "他说：“好。”",
        "她笑着说：“好。”",
        "他就是所谓的“英雄”。",
        "脸色苍白的他停了停，说：“嗯。”",
        "“说道理的人不多。”",
        "",
    ],
)
def test_who_is_not_named_is_unknown_rather_than_guessed(line: str) -> None:
    assert roles(line) == [""]


def test_a_mandarin_tag_before_a_speech_is_not_that_of_the_one_before_it() -> None:
    found = split_speech([Line("一席话说得大家都笑了，又笑道：“好。”孙氏笑道：“走。”")])
    assert [line.role == "孙氏" for line in found if line.is_speech] == [False, True]


def test_a_name_that_a_plain_tag_gave_away_is_known_where_the_tag_is_less_plain() -> None:
    assert roles("王五道：“走！”", "王五停了停，眼眶泛红说：“嗯。”") == ["王五", "王五"]
    assert roles("王五停了停，眼眶泛红说：“嗯。”", known=("王五",)) == ["王五"]
    assert roles("“嗯？”王五披上衣服问。", known=("王五",)) == ["王五"]


def test_a_word_that_the_story_also_writes_small_is_no_name() -> None:
    assert roles("Rain whispered, “Sleep.”", "The rain went on.") == ["", ""]


def test_a_script_names_its_speakers_before_a_colon() -> None:
    assert roles("TOM: Go.", "ANN: No.", "TOM: Go!", "ANN: Never.", "NOTE: exit all.") == [
        *["TOM", "ANN"] * 2,
        "",  # what stands before that colon is nobody
    ]


@for_each(
    "paragraphs, expected",
    [
        (("MIA: Late?", "JON: No.", "LEO: Wait!", "MIA (laughing): Every time."), ["MIA", "JON", "LEO", "MIA"]),
        (("小雅：来了。", "太监：宣！", "小雅：好。", "音效：鼓声"), ["小雅", "太监", "小雅", ""]),
        (("Rule one: knock.", "He read it twice, and then he went in.", "“Sit,” said Ann."), ["", "", "Ann"]),
    ],
)
def test_who_speaks_once_is_somebody_in_a_script_only(paragraphs: tuple[str, ...], expected: list[str]) -> None:
    assert roles(*paragraphs) == expected


def test_how_somebody_speaks_is_no_name() -> None:
    assert "甜甜地" not in roles("“恭喜你们。”甜甜地说。", "“应该的。”她甜甜地笑道。")


def test_two_who_talk_in_turn_go_on_taking_turns() -> None:
    assert roles("“Go,” said Tom.", "“No,” said Ann.", "“Why?”", "“Because.”") == ["Tom", "Ann", "Tom", "Ann"]


def test_turns_between_two_tags_are_filled_where_both_agree() -> None:
    exchange = ("“走。”张三说。", "“不。”", "“走吧。”", "“不走。”李四说。")
    assert roles(*exchange) == ["张三", "李四", "张三", "李四"]


@for_each(
    "exchange",
    [
        ("“Go,” said Tom.", "“Why?”"),  # nobody knows the other one
        ("“Go,” said Tom.", "“No,” said Ann.", "“Come, Tom!”"),  # Tom does not call himself
    ],
)
def test_turns_are_not_guessed_where_something_speaks_against_it(exchange: tuple[str, ...]) -> None:
    assert roles(*exchange)[-1] == ""


@for_each(
    ("exchange", "role"),
    [
        (("“Go,” said Tom.", "“No,” said Ann.", "“Why?” he asked."), "Tom"),  # his turn
        (("“Go,” said Mrs. Grey.", "“No,” said Mr. Grey.", "“Now,” she added."), "Mrs. Grey"),
        (
            ("“No,” said Ann.", "“Go,” said Tom.", "Ann laughed.", "“Never!”"),
            "Ann",
        ),  # whoever does something speaks next
        (("“Go, Ann,” said Tom.", "“No,” said Ann.", "“Then I go,” I said."), "I"),
        (("Ann came in. Ann said, “No.”", "At last Tom said:", "“Go.”"), "Tom"),  # announced by the paragraph before
        (
            ("“Go,” said John Grey.", "“No,” said Ann.", "“Go,” said Grey.", "“Why?”", "“Go!” said Mr. Grey."),
            "John Grey",
        ),
        (("张三说：“走。”李四道：“不。”", "“好。”"), "张三"),
    ],
)
def test_pronouns_deeds_and_aliases_name_the_speaker(exchange: tuple[str, ...], role: str) -> None:
    assert roles(*exchange)[-1] == role


def test_several_speakers_of_one_paragraph_are_kept_apart() -> None:
    found = split_speech([Line("张三说：“走。”李四笑道：“不。”王五大怒道：“走！”")])
    assert [line.role for line in found if line.is_speech] == ["张三", "李四", "王五"]


def test_a_speech_over_several_paragraphs_is_one_turn() -> None:
    lines = ("“Go,” said Tom. “It is late", "“and cold.”", "“No,” said Ann.", "“Well.”")
    assert roles(*lines) == ["Tom", "Tom", "Ann", "Tom"]


MANOR = [
    ("Mrs. Dalton folded the letter twice and put it under the clock.", ""),
    ("“You might have told me,” said Harriet.", "Harriet"),
    ("“I might,” her aunt agreed. “I did not wish to.”", "her aunt"),
    ("Harriet looked at the window. “How long have you known?”", "Harriet"),
    ("“Since Easter,” said Mrs. Dalton.", "Mrs. Dalton"),
    ("“Since Easter!” Harriet cried. “And you let me go on writing to him.”", "Harriet"),
    ("“You were happy.”", "Mrs. Dalton"),
    ("“I was a fool.”", "Harriet"),
    ("“That,” Mrs. Dalton said, “is very often the same thing.”", "Mrs. Dalton"),
    ("The clock struck four. Neither of them moved.", ""),
    ("“Tea?” asked the maid from the doorway.", "the maid"),
    ("“No, thank you, Jane,” said Mrs. Dalton.", "Mrs. Dalton"),
    ("‘It’s only,’ whispered Jane, ‘that the gentleman is here.’", "Jane"),
    ("Harriet stood up so quickly that the chair fell, and she asked, “Which gentleman?”", "Harriet"),
    ("“He didn’t say,” Jane replied.", "Jane"),
    ("“Then say we are out.” Harriet sat down again.", "Harriet"),
    ("They called it “the long summer” ever after.", ""),
    ('"Nonsense," Harriet said. "Let him in."', "Harriet"),
]
FLOOD = [
    ("雨下了一整夜，院子里的水没过了脚踝。", ""),
    ("老周推开门，喊道：“都起来！河堤要垮了！”", "老周"),
    ("“什么时候的事？”陈雨披上衣服问。", "陈雨"),
    ("“刚刚。”老周抹了一把脸，“广播里说的。”", "老周"),
    ("老周说：“快，先把孩子抱上去。”", "老周"),
    ("陈雨咬着牙说：“我去叫奶奶。”", "陈雨"),
    ("“来不及了！”", "老周"),
    ("她回过头，轻声说道：“来得及。”", "陈雨"),
    ("奶奶坐在床沿上，慢慢地说：“你们走吧，我哪儿也不去。”", "奶奶"),
    ("“奶奶，您别说气话。”陈雨哭着说。", "陈雨"),
    ("“我没说气话。”奶奶笑道，“这房子是你爷爷盖的。”", "奶奶"),
    ("村里人管它叫“老虎口”。", ""),
    ("有人在外面喊：“还有没有人？”", ""),
    ("陈雨对老周说：“背上她，走！”", "陈雨"),
    ("「好。」老周应道。", "老周"),
]


@pytest.mark.parametrize("passage", [MANOR, FLOOD], ids=["English", "Mandarin"])
def test_in_a_whole_passage_nobody_is_given_the_words_of_another(passage: list[tuple[str, str]]) -> None:
    assert roles(*(text for text, _ in passage)) == [role for _, role in passage]


def test_a_role_that_is_given_stays_and_counts_as_a_tag() -> None:
    story = [Line("Go.", "Tom"), Line("No.", "Ann"), Line("“Go!”")]
    assert [line.role for line in attribute(story)] == ["Tom", "Ann", "Tom"]


def test_a_paragraph_is_cut_into_speech_and_narration() -> None:
    story = [Line("张三说：“走吧。”他开了门。“快。”"), Line("TOM: Go."), Line("TOM: Now."), Line("It rained.")]
    assert split_speech(story) == (
        Line("张三说："),
        Line("走吧。", "张三", speech=True, continues=True),
        Line("他开了门。", continues=True),
        Line("快。", "张三", speech=True, continues=True),
        Line("Go.", "TOM", speech=True),
        Line("Now.", "TOM", speech=True),
        Line("It rained."),
    )


def test_speech_that_nobody_is_known_to_say_stays_speech() -> None:
    assert split_speech([Line("It rained."), Line("“Is anybody there?”")])[1] == Line("Is anybody there?", speech=True)


def test_the_direction_of_a_script_stands_beside_its_line_and_not_in_it() -> None:
    story = [Line("TOM (furious): Get out."), Line("李雷（苦笑）：走吧。")]
    assert split_speech(story) == (
        Line("Get out.", "TOM", speech=True, direction="furious"),
        Line("走吧。", "李雷", speech=True, direction="苦笑"),
    )


@given(st.lists(st.text(alphabet='“”"「」张三说道：:，。 Tomsaid,.\n', max_size=40), max_size=6))
def test_attribution_keeps_every_line_and_its_words(texts: list[str]) -> None:
    lines = [Line(text) for text in texts]
    assert [line.text for line in attribute(lines)] == texts
    split_speech(lines)


@for_each(
    "text",
    [
        "笑" * 20_000,
        "说：" * 10_000,
        "Aa " * 6_000,
        "“a” said " * 2_000,
        "点了" * 9_000 + "说：“",
        "又听得" * 6_000 + "你",
    ],
)
def test_a_hostile_line_does_not_take_long(text: str) -> None:
    start = time.process_time()
    attribute([Line(text)])
    assert time.process_time() - start < 1.0


BESIDE_SPEECH = {
    "persons without a stop": "他" * 20_000,
    "openings that can be cut in many ways": "又听得" * 6_000 + "你他",
    "many such clauses": ("又听得" * 13 + "你他，") * 300,
    "a run of names": "“" + "Tom " * 10_000 + "”",
}


@for_each("what", list(BESIDE_SPEECH))
def test_a_hostile_line_beside_speech_does_not_take_long(what: str) -> None:
    text = BESIDE_SPEECH[what]
    speech = "“Go,” said Tom." if "Tom" in text else "“走！”"
    start = time.process_time()
    attribute([Line(speech), Line(text), Line(speech)])
    assert time.process_time() - start < 2.0


def test_a_name_that_no_tag_states_keeps_the_points_that_the_text_gives_it() -> None:
    rows = (
        "Clara climbed the stairs with the basket. Mrs. Hale lay in the front room.",
        "“Is that you?” she whispered, and Mrs. Hale raised her head from the pillow.",
    )
    names = read_story([Line(row) for row in rows]).candidates.names[0]
    assert [name for name in names if "Hale" in name] == ["Mrs. Hale"]


ARRIVAL = (
    "Clara climbed the stairs with the basket. Mrs. Hale lay in the front room.",
    "“Is that you?” whispered Mrs. Hale.",
)


def test_who_acts_before_a_speech_says_it_although_another_woman_is_known_as_one() -> None:
    rows = (
        *ARRIVAL,
        "Clara knelt by the bed. Her throat closed. “I brought the plums,” she said.",
        "“You always were a good girl.”",
        "“I should have come before.”",
    )
    assert roles(*rows) == ["", "Mrs. Hale", "Clara", "Mrs. Hale", "Clara"]


@for_each("silence", ["Mrs. Hale did not move. Her throat closed.", "Mrs. Hale said nothing.", "Mrs. Hale lay still."])
def test_who_stays_silent_before_a_speech_does_not_say_it_where_another_one_acts(silence: str) -> None:
    assert roles(*ARRIVAL, f"Clara knelt by the bed. {silence} “I brought the plums,” she said.")[2] == "Clara"


def test_who_does_not_look_up_may_speak() -> None:
    rows = (*ARRIVAL, "Clara knelt by the bed. Mrs. Hale did not look up. “You brought the plums,” she said.")
    assert roles(*rows)[2] == "Mrs. Hale"
