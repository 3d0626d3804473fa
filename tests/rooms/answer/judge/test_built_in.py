"""The built-in judge of answers: what it prefers, what it cannot judge, and that nothing else changes its mind."""

import asyncio
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.rooms.answer.data import CATEGORIES, AnswerStyle, Dimension, Fields, Fitness
from aptone.rooms.answer.judge import built_in
from aptone.rooms.answer.judge.built_in import (
    NO_WORDS,
    REPEATED,
    BuiltInAnswerJudge,
    Parts,
    content_fit,
    judge_fields,
    judge_parts,
)
from aptone.rooms.answer.judge.content_model import WordScores
from aptone.rooms.answer.judge.terms import load_complements
from aptone.rooms.answer.judge.wording import wording_fit
from aptone.rooms.answer.score import pair_margin
from aptone.run import Call
from aptone.types import Emotion, Language
from tests.tables import for_each

CALM = AnswerStyle({"calm": 1.0}, "slow", "quiet", "low")
BRIGHT = AnswerStyle({"happy": 1.0}, "fast", "loud", "high")
ANGRY = AnswerStyle({"angry": 1.0}, "fast", "loud", "high")
PLAIN = AnswerStyle({"neutral": 1.0}, "normal", "normal", "normal")

QUESTION = "The landlord is coming tomorrow."
WORDS = "Let us think about the landlord and tomorrow."


def judged(
    answer: str,
    way: str,
    *,
    dimension: Dimension = Dimension.EMOTION,
    sound: AnswerStyle | None = None,
    question: str = QUESTION,
    spoken: Language = "en",
    language: Language = "en",
    answer_language: str = "",
) -> Fitness:
    given = Fields(question, dimension, way, answer, sound or AnswerStyle(), spoken, answer_language)
    return judge_fields(given, language=language)


PAIRS = [
    (
        *(Dimension.EMOTION, "happy", "sad", "Wonderful, is he bringing the keys? Bake him a cake and enjoy it!"),
        "I'm sorry, that's hard. Does he want you out? You needn't face the landlord alone tomorrow, I'll come along.",
    ),
    (
        *(
            Dimension.EMOTION,
            "angry",
            "happy",
            "He can't just turn up like that. Tell the landlord that you need notice.",
        ),
        "How nice, finally! Show the landlord what you did with the kitchen, he will be thrilled!",
    ),
    (
        *(
            Dimension.EMOTION,
            "fear",
            "surprised",
            "He can't throw you out tomorrow. Take a breath, let's read the lease.",
        ),
        "Really, out of the blue? Did the landlord say what he wants tomorrow?",
    ),
    (Dimension.SARCASM, "sincere", "sarcastic", "I am glad to hear it, enjoy!", "Ha, I can tell you are not thrilled."),
    (Dimension.AGE, "adult", "child", "Consider reviewing your contract.", "Ask mom or dad, kiddo. It is fun!"),
    (Dimension.GENDER, "male", "female", "Certainly, sir.", "Certainly, ma'am."),
]
MANDARIN_PAIRS = [
    (
        *(Dimension.EMOTION, "happy", "sad", "太好了，房东总算来了！是来修水管的吧，正好让他看看新厨房！"),
        "是要你搬走吗？心里肯定不好受，明天房东来的时候我陪着你。",
    ),
    (
        *(Dimension.EMOTION, "angry", "fear", "说来就来确实气人，你可以跟房东说要提前打招呼，这事你占理。"),
        "别怕，房东明天来也不能赶你走，我们先把合同看一遍，我陪你。",
    ),
    (Dimension.SARCASM, "sincere", "sarcastic", "真好，祝你玩得开心。", "听得出你不太高兴，真够烦人的。"),
    (Dimension.AGE, "adult", "child", "建议你考虑预算，咨询专业人士。", "小朋友，让爸爸妈妈帮你哦。"),
    (Dimension.GENDER, "male", "female", "好的，先生，看看男装。", "好的，女士，看看女装。"),
]


@for_each(("dimension", "one", "other", "to_one", "to_other"), PAIRS)
def test_words_that_mind_the_way_of_asking_win_their_pair(
    dimension: Dimension, one: str, other: str, to_one: str, to_other: str
) -> None:
    own = tuple(judged(words, way, dimension=dimension).value for words, way in ((to_one, one), (to_other, other)))
    swapped = tuple(judged(words, way, dimension=dimension).value for words, way in ((to_one, other), (to_other, one)))
    assert pair_margin((own[0], own[1]), (swapped[0], swapped[1])) > 0.05


@for_each(("dimension", "one", "other", "to_one", "to_other"), MANDARIN_PAIRS)
def test_so_do_words_in_mandarin(dimension: Dimension, one: str, other: str, to_one: str, to_other: str) -> None:
    def fit(words: str, way: str) -> float:
        return judged(words, way, dimension=dimension, question="房东明天要来。", spoken="zh").value

    assert pair_margin((fit(to_one, one), fit(to_other, other)), (fit(to_one, other), fit(to_other, one))) > 0.0


@for_each("way", ["angry", "fear", "sad"])
def test_anger_fear_and_sadness_are_met_with_calm_rather_than_mirrored(way: str) -> None:
    mirrored = AnswerStyle({way: 1.0}, "fast", "loud", "high")
    assert judged(WORDS, way, sound=CALM).value > judged(WORDS, way, sound=mirrored).value


def test_joy_is_shared_rather_than_calmed() -> None:
    assert judged(WORDS, "happy", sound=BRIGHT).value > judged(WORDS, "happy", sound=CALM).value


def test_nobody_is_to_be_answered_in_anger() -> None:
    for dimension, ways in CATEGORIES.items():
        for way in ways:
            angry, plain = (judged(WORDS, way, dimension=dimension, sound=sound).value for sound in (ANGRY, PLAIN))
            assert angry < plain


def test_an_answer_beside_the_point_is_worse_whatever_its_sound() -> None:
    beside, honest = "Potatoes grow in sandy soil.", "Oh no. Do you know already what the landlord wants?"
    assert judged(beside, "sad", sound=CALM).value < judged(honest, "sad", sound=CALM).value


def test_a_question_that_comes_back_with_a_word_misheard_is_repeated_too() -> None:
    question = "My sister just called from the airport."
    good = WordScores(content=0.9, fit=0.9, harm=0.0)
    assert content_fit(question, "my sister just called from the air port", good) == REPEATED  # 2 of 7 differ: 0.29
    assert content_fit(question, "Your sister called? Is she at the airport already?", good) == 0.9
    assert content_fit("我妹妹刚从机场打来电话。", "我妹妹刚从机场打来电脑", good) == REPEATED
    assert content_fit("Are you coming tonight?", "I am coming tonight.", good) == 0.9  # half of the words are others


def test_repeating_the_question_is_no_answer() -> None:
    assert content_fit(QUESTION, QUESTION.upper(), WordScores(1.0, 1.0, 0.0)) == REPEATED
    assert judged(QUESTION, "sad", sound=CALM).value < 2.5


def test_what_counts_how_much(monkeypatch: pytest.MonkeyPatch) -> None:
    # The figures that stand in the documentation; whoever changes one changes the judge and its revision.
    assert (built_in.REVISION, built_in.CONTENT_SHARE, built_in.LEARNED_WORDING, REPEATED) == (3, 0.5, 0.75, 0.1)
    found = WordScores(content=0.8, fit=0.6, harm=0.5)
    monkeypatch.setattr(built_in, "word_scores", lambda fields: found)
    rows = load_complements().categories[Dimension.EMOTION]
    wording = 0.75 * 0.6 + 0.25 * wording_fit("sad", rows, QUESTION, WORDS, language="en").fit
    parts = judge_parts(Fields(QUESTION, Dimension.EMOTION, "sad", WORDS, AnswerStyle()))
    assert parts.content == pytest.approx(0.6)  # 0.8 * (1 - 0.5 * 0.5)
    assert parts.wording == pytest.approx(wording)
    assert parts.fitness == pytest.approx(1.0 + 4.0 * 0.6**0.5 * wording**0.5)
    assert parts.harm == 0.5


def test_words_that_acknowledge_the_style_do_not_raise_the_content(monkeypatch: pytest.MonkeyPatch) -> None:
    # Revision 2 gave such words a content of 0.7 whatever they said.
    monkeypatch.setattr(built_in, "word_scores", lambda fields: WordScores(0.1, 0.2, 0.0))
    assert judge_parts(Fields(QUESTION, Dimension.EMOTION, "sad", "I am so sorry.", AnswerStyle())).content == 0.1


def test_a_style_that_the_scorer_does_not_know_is_worded_by_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = load_complements().categories[Dimension.GENDER]
    table = wording_fit("male", rows, QUESTION, "Certainly, sir.", language="en").fit
    for fit in (0.0, 1.0):
        monkeypatch.setattr(built_in, "word_scores", lambda fields, fit=fit: WordScores(0.5, fit, 0.0))
        fields = Fields(QUESTION, Dimension.GENDER, "male", "Certainly, sir.", AnswerStyle())
        assert judge_parts(fields).wording == table


def test_words_of_the_question_are_no_sign_of_understanding() -> None:
    question = "Can I enjoy it, sir?"
    assert (
        "Words for it" not in judged("Enjoy it.", "sincere", dimension=Dimension.SARCASM, question=question).rationale
    )
    assert "“enjoy”" in judged("Enjoy it.", "sincere", dimension=Dimension.SARCASM).rationale


def test_content_and_style_both_count() -> None:
    assert Parts(content=1.0, wording=0.0, sound=0.0).fitness == 1.0
    assert Parts(content=0.0, wording=1.0, sound=1.0).fitness == 1.0
    assert Parts(content=1.0, wording=1.0, sound=1.0).fitness == 5.0
    # style (0.25 + 0.75) / 2; 1 + 4 * 0.125^0.5 * 0.5^0.5 = 2
    assert Parts(content=0.125, wording=0.25, sound=0.75).fitness == pytest.approx(2.0)


def test_an_unknown_way_of_asking_is_judged_by_content_alone_and_says_so() -> None:
    found = judged(WORDS, "drunk", sound=CALM)
    assert set(found.parts) == {"content"}
    assert found.value == found.parts["content"]
    assert "only the content was judged" in found.rationale
    assert "只评判了内容" in judged(WORDS, "drunk", language="zh").rationale


def test_a_manner_of_emotion_is_unknown_to_other_dimensions() -> None:
    assert set(judged(WORDS, "friendly", dimension=Dimension.AGE, sound=CALM).parts) == {"content"}
    assert "sound" in judged(WORDS, "friendly", sound=CALM).parts


def test_a_sound_that_is_not_known_is_left_out_and_said() -> None:
    found = judged(WORDS, "sad")
    assert "sound" not in found.parts
    assert "not known" in found.rationale


@for_each("answer", ["", " ", "...", "\u200b", "?!"])
def test_an_answer_without_words_has_no_fitness(answer: str) -> None:
    found = judged(answer, "sad", sound=CALM)
    assert math.isnan(found.value)
    assert found.reason == NO_WORDS


def test_an_answer_in_another_language_has_no_fitness() -> None:
    assert "another language (zh)" in judged("没事的。", "sad").reason
    assert "another language (fr)" in judged("Tout va bien.", "sad", answer_language="fr").reason
    assert not judged("It is all right.", "sad", answer_language="en-GB").reason


def test_a_question_without_words_cannot_be_answered() -> None:
    assert math.isnan(judged("Well, yes.", "sad", question="…").value)


def test_the_rationale_names_the_parts_in_both_languages() -> None:
    found = judged("I am so sorry about the landlord. How wonderful!", "sad", sound=CALM)
    assert found.rationale.startswith("Content ")
    assert "sadness is met with warmth" in found.rationale
    table = judged("How annoying, sir.", "female", dimension=Dimension.GENDER, sound=CALM).rationale
    assert "Words against it: “sir”" in table  # styles that only the table knows
    assert set(found.parts) == {"content", "wording", "sound", "style"}
    mandarin = judged("I am so sorry.", "sad", sound=CALM, language="zh").rationale
    assert mandarin.startswith("内容 ")
    assert "应当：" in mandarin


emotions = st.dictionaries(
    st.sampled_from([emotion.value for emotion in Emotion] + ["friendly", "purple", ""]),
    st.floats(0.0, 1.0),
    max_size=4,
)
styles = st.builds(
    AnswerStyle,
    emotion=emotions,
    rate=st.sampled_from(["", "slow", "normal", "very fast", "nonsense"]),
    volume=st.sampled_from(["", "quiet", "normal", "loud"]),
    pitch=st.sampled_from(["", "low", "high"]),
)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(
        [(dimension, way) for dimension, ways in CATEGORIES.items() for way in (*ways, "cheerful, fast", "x")]
    ),
    st.text(max_size=60),
    styles,
    st.sampled_from(["en", "zh"]),
)
def test_any_four_fields_have_a_fitness_on_the_scale_or_a_reason(
    asked: tuple[Dimension, str], answer: str, sound: AnswerStyle, spoken: Language
) -> None:
    found = judge_fields(Fields(QUESTION, *asked, answer, sound, spoken), language="en")
    assert math.isnan(found.value) == bool(found.reason)
    if not found.reason:
        assert 1.0 <= found.value <= 5.0
        assert all(1.0 <= part <= 5.0 for part in found.parts.values())


def test_a_fitness_depends_on_its_own_fields_alone() -> None:
    judge = BuiltInAnswerJudge()
    many = [
        Fields(QUESTION, dimension, way, WORDS, sound)
        for dimension, ways in CATEGORIES.items()
        for way in ways
        for sound in (CALM, BRIGHT, PLAIN)
    ]

    async def all_of(given: list[Fields]) -> list[Fitness]:
        return [await judge.judge(one, Call(), language="en") for one in given]

    forwards = asyncio.run(all_of(many))
    assert forwards == list(reversed(asyncio.run(all_of(many[::-1]))))
    assert forwards == [asyncio.run(judge.judge(one, Call(seed=7), language="en")) for one in many]
    assert judge.signature == BuiltInAnswerJudge().signature
