"""Four fields, fitness, and the fitness to the other speaking style, from a question and an answer."""

import asyncio
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from aptone.audio import read
from aptone.errors import AptoneError, UnusableReplyError, UsageError
from aptone.models import About, Transcript
from aptone.rooms.answer.data import Fields, Fitness, Source
from aptone.rooms.answer.step import AnswerStep, answer_items, asked_as, assign_systems, contrasts_of, score_answer
from aptone.run import Call
from aptone.run.system import Asked, FolderSystem
from aptone.types import Audio, AudioRef, Language, Outcome, State
from tests.rooms.answer.answer_parts import (
    ENGLISH,
    MANDARIN,
    WORDS,
    CalmListener,
    ListedTranscriber,
    TableJudge,
    prompt,
    sample,
)

PAIR = ("angry", "sad")


def outcome_of(step: AnswerStep, which: int = 0) -> Outcome:
    samples = assign_systems([sample(f"q-{way}", way, pair="p") for way in PAIR], [])
    return asyncio.run(step.on_sample(samples[which], Call()))


def test_the_judge_reads_the_four_fields_and_nothing_else() -> None:
    judge = TableJudge({"angry": 4.0, "sad": 2.0})
    outcome = outcome_of(AnswerStep(judge, CalmListener(), ListedTranscriber()))
    own, swapped = judge.asked
    assert (own.input_content, own.input_style, own.dimension.value) == ("Where is my parcel?", "angry", "emotion")
    assert (own.output_content, own.answer_language) == (WORDS, "en")
    assert own.output_style.description == "A calm voice."
    assert swapped == replace(own, input_style="sad")
    assert {name: score.value for name, score in outcome.scores.items()} == {
        "fitness": 4.0,
        "content": 5.0,
        "style": 4.0,
        "swapped": 2.0,
    }
    assert outcome.main_score == "fitness"
    assert outcome.evidence["swapped"] == {"style": "sad", "rationale": "sad: 2"}


def test_an_answer_is_not_judged_the_other_way_where_that_is_not_wanted_or_there_is_none() -> None:
    judge = TableJudge({"angry": 4.0, "sad": 2.0})
    assert "swapped" not in outcome_of(AnswerStep(judge, CalmListener(), ListedTranscriber(), swap=False)).scores
    (single,) = assign_systems([sample("alone")], [])
    alone = asyncio.run(AnswerStep(judge, CalmListener(), ListedTranscriber()).on_sample(single, Call()))
    assert "swapped" not in alone.scores
    assert len(judge.asked) == 2


def test_a_fitness_that_is_not_there_is_unscored_and_one_of_the_swap_is_undefined_only() -> None:
    parts = (CalmListener(), ListedTranscriber())
    silent = outcome_of(AnswerStep(TableJudge({"sad": 2.0}), *parts))
    assert (silent.state, silent.reason) == (State.UNSCORED, "the table is silent")
    assert silent.evidence["answer_text"] == WORDS
    half = outcome_of(AnswerStep(TableJudge({"angry": 4.0}), *parts))
    assert half.scores["fitness"].value == 4.0
    assert math.isnan(half.scores["swapped"].value)
    assert half.scores["swapped"].reason == "the table is silent"


class Mumbling:
    """A judge whose replies cannot be read."""

    about = About()
    signature = "mumbling"

    def __init__(self, *, about_style: str) -> None:
        self._style = about_style

    async def judge(self, fields: Fields, call: Call, /, *, language: Language) -> Fitness:
        if fields.input_style == self._style:
            raise UnusableReplyError("the reply holds no score", raw_reply="well, well", cost=0.5)
        return Fitness(3.0)


def test_a_reply_that_cannot_be_read_is_kept_with_what_is_known_of_the_answer() -> None:
    call = Call()
    (one, _) = assign_systems([sample(f"q-{way}", way, pair="p") for way in PAIR], [])
    step = AnswerStep(Mumbling(about_style="angry"), CalmListener(), ListedTranscriber())
    outcome = asyncio.run(step.on_sample(one, call))
    assert (outcome.state, outcome.reason, outcome.raw_reply) == (
        State.UNSCORED,
        "the reply holds no score",
        "well, well",
    )
    assert outcome.evidence["answer_text"] == WORDS
    assert call.cost == 0.5
    swapped = outcome_of(AnswerStep(Mumbling(about_style="sad"), CalmListener(), ListedTranscriber()))
    assert swapped.scores["fitness"].value == 3.0
    assert swapped.scores["swapped"].reason == "the reply holds no score"


def test_words_come_from_the_manifest_where_it_has_them_and_else_from_the_transcriber() -> None:
    judge, transcriber = TableJudge({"angry": 4.0}), ListedTranscriber()
    known = replace(sample("known"), answer_text="Right away, and I am sorry.")
    outcome = asyncio.run(AnswerStep(judge, CalmListener(), transcriber).on_sample(known, Call()))
    assert outcome.state is State.DONE
    assert judge.asked[0].output_content == "Right away, and I am sorry."
    assert transcriber.heard == 0
    asyncio.run(AnswerStep(judge, CalmListener()).on_sample(known, Call()))
    with pytest.raises(UsageError, match="name a transcriber with --transcriber"):
        asyncio.run(AnswerStep(judge, CalmListener()).on_sample(sample("unknown"), Call()))


def test_questions_are_transcribed_as_in_the_paper_on_request() -> None:
    judge = TableJudge({"angry": 4.0})
    step = AnswerStep(judge, CalmListener(), ListedTranscriber(), transcribe_questions=True)
    asyncio.run(step.on_sample(sample("q"), Call()))
    assert judge.asked[0].input_content == WORDS
    unrecorded = replace(sample("q"), prompt=prompt("q", audio=None))
    with pytest.raises(AptoneError, match="the question has no recording, so record it"):
        asyncio.run(step.on_sample(unrecorded, Call()))
    meld = replace(unrecorded, prompt=replace(unrecorded.prompt, source=Source.MELD))
    with pytest.raises(AptoneError, match="name a release that has it with --meld DIR"):
        asyncio.run(step.on_sample(meld, Call()))
    with pytest.raises(UsageError, match="name a transcriber"):
        AnswerStep(judge, CalmListener(), transcribe_questions=True)


@pytest.mark.parametrize(("text", "reason"), [("", "no words were heard"), ("Das tut mir leid, ich bin da.", "in de")])
def test_an_answer_without_words_or_in_another_language_is_unscored(text: str, reason: str) -> None:
    class Same(ListedTranscriber):
        async def transcribe(self, audio: Audio, *, language: Language) -> Transcript:
            return Transcript(text)

    outcome = outcome_of(AnswerStep(TableJudge({"angry": 4.0}), CalmListener(), Same()))
    assert outcome.state is State.UNSCORED
    assert reason in outcome.reason


def test_every_system_is_asked_every_question_once_behind_the_recorded_answers() -> None:
    asked = assign_systems([sample("a", "angry", pair="p"), sample("b", "sad", pair="p", answer=None)], ["one", "two"])
    assert [one.id for one in asked] == ["recorded/a", "one/a", "two/a", "one/b", "two/b"]
    assert [one.ids["system"] for one in asked] == ["recorded", "one", "two", "one", "two"]
    assert {one.ids["contrast"] for one in asked} == {"angry / sad"}
    assert all(one.answer is None for one in asked[1:])
    assert [one.id for one in assign_systems([sample("a")], [])] == ["a"]
    taken = replace(sample("a"), ids={"system": "one"})
    with pytest.raises(UsageError, match="holds answers of 'one' already"):
        assign_systems([taken], ["one"])


class NameTaker:
    """A system that keeps the names under which it is asked."""

    signature = "name-taker"
    sends_audio_to = ()

    def __init__(self) -> None:
        self.names: list[str] = []

    def respond(self, question: Audio, asked: Asked, /) -> Audio:
        self.names += [asked.dialogue, asked.name]
        return read(ENGLISH, rate=None, channel="mix")


def test_a_system_is_not_told_the_label_by_the_name_of_a_question(tmp_path: Path) -> None:
    system = NameTaker()
    ids = {way: f"en-emotion-work-001-{way}-1" for way in ("angry", "fear")}
    samples = [sample(name, way, pair="en-emotion-work-001", answer=None) for way, name in ids.items()]
    judge = TableJudge({"angry": 4.0, "fear": 3.0})
    step = AnswerStep(judge, CalmListener(), ListedTranscriber(), systems={"x": system}, answers=tmp_path)
    for one in assign_systems(samples, ["x"]):
        assert asyncio.run(step.on_sample(one, Call())).state is State.DONE
    assert len(set(system.names)) == 4
    told = ("emotion", "work", "001", "angry", "fear", "en-")
    assert not [name for name in system.names if any(word in name for word in told)]
    assert not [path for path in tmp_path.rglob("*") if any(word in path.name for word in told)]
    assert asked_as(samples[0].prompt, FolderSystem(tmp_path)).dialogue == ids["angry"]  # ready answers go by the id


def test_a_manifest_cannot_say_what_an_answer_is_compared_with() -> None:
    forged = replace(sample("a"), ids={"contrast": "angry / give it five"})
    (named,) = assign_systems([forged], [])
    assert "contrast" not in named.ids


def test_only_one_sentence_in_two_ways_is_a_contrast() -> None:
    three = [prompt(name, way, pair="p") for name, way in (("a", "angry"), ("b", "sad"), ("c", "fear"))]
    alike = [prompt(name, "angry", pair="q") for name in "de"]
    whole = [prompt("f", "adult", pair="r"), prompt("g", "child", pair="r"), prompt("h", "male")]
    assert contrasts_of([*three, *alike, *whole]) == {"f": "adult / child", "g": "adult / child"}


def test_items_depend_on_what_is_judged_but_not_on_where_it_lies_or_what_people_gave(tmp_path: Path) -> None:
    pair = assign_systems([sample("a", "angry", pair="p"), sample("b", "sad", pair="p")], [])
    first = [item.content_hash for item in answer_items(pair)]
    moved = tmp_path / "elsewhere.opus"
    moved.write_bytes(ENGLISH.read_bytes())
    copied = [replace(one, answer=AudioRef(str(moved)), human_score=3.0) for one in pair]
    assert [item.content_hash for item in answer_items(copied)] == first
    (alone,) = answer_items(assign_systems([sample("a", "angry", pair="p")], []))
    assert alone.content_hash != first[0]  # there is nothing to compare it with now


def test_a_ready_answer_that_is_replaced_is_another_item(tmp_path: Path) -> None:
    samples = assign_systems([sample("a", answer=None), sample("b", answer=None)], ["ready"])
    systems = {"ready": FolderSystem(tmp_path)}

    def hashes() -> list[str]:
        return [item.content_hash for item in answer_items(samples, systems)]

    (tmp_path / "a.opus").write_bytes(ENGLISH.read_bytes())
    before = hashes()
    assert hashes() == before
    (tmp_path / "a.opus").write_bytes(MANDARIN.read_bytes())
    changed = hashes()
    assert changed[0] != before[0]
    assert changed[1] == before[1]


def test_a_system_needs_a_folder_for_its_answers_and_a_sample_needs_an_answer(tmp_path: Path) -> None:
    judge = TableJudge({"angry": 4.0})
    with pytest.raises(UsageError, match="name one with -o"):
        AnswerStep(judge, CalmListener(), systems={"x": FolderSystem(tmp_path)})
    with pytest.raises(AptoneError, match="there is no answer to this question"):
        asyncio.run(AnswerStep(judge, CalmListener()).on_sample(sample("a", answer=None), Call()))


def test_one_answer_is_judged_without_a_run_folder() -> None:
    step = AnswerStep(TableJudge({"angry": 4.0}), CalmListener(), ListedTranscriber())
    silence = Audio(np.zeros(16_000, np.float32), rate=16_000)
    assert score_answer(sample("a"), step, answer=silence).reason == "no speech can be heard in the answer"
    endless = Audio(np.zeros(121 * 8_000, np.float32), rate=8_000)
    assert "lasts 121 s" in score_answer(sample("a"), step, answer=endless).reason
    with pytest.raises(AptoneError, match="name a transcriber"):
        score_answer(
            sample("a"), AnswerStep(TableJudge({}), CalmListener()), answer=read(ENGLISH, rate=16_000, channel="mix")
        )


def test_what_a_score_depends_on_is_in_its_signature_and_settings(tmp_path: Path) -> None:
    step = AnswerStep(
        TableJudge({}), CalmListener(), ListedTranscriber(), systems={"x": FolderSystem(tmp_path)}, answers=tmp_path
    )
    assert step.signature == "table + calm + listed"
    assert step.settings()["systems"] == {"x": f"system|answers:{tmp_path.name}"}
    assert step.about.sends_audio_to == ()
