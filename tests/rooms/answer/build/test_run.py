"""The whole build with voices and an ear of these tests: stages, checks, resuming, and what is written."""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aptone.ear.claims.feeling import Check, Hearing, Verdict
from aptone.errors import RecordError, UsageError
from aptone.rooms.answer.build import synthesis as build_synthesis
from aptone.rooms.answer.build.candidates import TemplateWriter
from aptone.rooms.answer.build.collect import BuildResult, apply_verification, built_table, count_list
from aptone.rooms.answer.build.disjoint import TrainingSet
from aptone.rooms.answer.build.filters import RuleFilter
from aptone.rooms.answer.build.records import Candidate
from aptone.rooms.answer.build.run import BuildSettings, Parts, build_paras2s
from aptone.rooms.answer.build.synthesis import SpeechSettings, SpeechStep, check_style, check_words, padded
from aptone.rooms.answer.data import TOPICS, Dimension, read_manifest
from aptone.run import AnyStep, Budget, Ended, RetryPolicy, RunConfig, run_items
from aptone.types import Audio, Item, Json, Perception, Sex, Vad
from tests.rooms.answer.casts import ReadingTranscriber, ToneCast, tone

DIMENSIONS = (Dimension.EMOTION, Dimension.GENDER)


def heard(candidate: Candidate, category: str, audio: Audio, plain: Hearing) -> Check:
    """An ear that hears feelings and sexes, but takes a happy line for a sad one at the first attempt."""
    if category == "happy" and audio.source.split("|")[1] == "1":
        return Check(Verdict.CONTRADICTED, "arousal goes down")
    if candidate.dimension is Dimension.GENDER:
        return check_style(candidate, category, perceived(sex=category), plain)
    return Check(Verdict.HEARD)


def perceived(*, sex: str = "male", share: float = 0.95) -> Perception:
    other = Sex.FEMALE if sex == "male" else Sex.MALE
    return Perception(1.0, 1.0, sex={Sex.parse(sex): share, other: 1.0 - share})


@pytest.fixture(autouse=True)
def ear(monkeypatch: pytest.MonkeyPatch) -> None:
    def checked(self: SpeechStep, candidate: Candidate, category: str, audio: Audio, plain: Hearing) -> Check:
        return heard(candidate, category, audio, plain)

    monkeypatch.setattr(build_synthesis.SpeechStep, "_checked", checked)
    monkeypatch.setattr(build_synthesis.SpeechStep, "_hear_plainly", lambda self, audio: Hearing(Vad(0.0, 0.0, 0.0)))


def built(
    folder: Path,
    *,
    cast: ToneCast | None = None,
    budget: Budget | None = None,
    settings: BuildSettings | None = None,
    speech: SpeechSettings | None = None,
    transcriber: ReadingTranscriber | None = None,
    training: TrainingSet | None = None,
) -> BuildResult:
    chosen = settings or BuildSettings(prompts=4, dimensions=DIMENSIONS)

    def carry_out(step: AnyStep, items: Sequence[Item], /, *, stage: str, settings: Mapping[str, Json]) -> Ended:
        config = RunConfig(verb=stage, engine="tones", settings=settings, seed=chosen.seed)
        retry = RetryPolicy(attempts=1)
        return run_items(items, step, folder=folder / stage, config=config, budget=budget, retry=retry)

    step = SpeechStep(speech or SpeechSettings(), cast or ToneCast(), transcriber, folder)
    parts = Parts(TemplateWriter(), RuleFilter(), step, training or TrainingSet())
    return build_paras2s(chosen, parts, folder=folder, carry_out=carry_out)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_pairs_of_each_dimension_are_spoken_in_both_ways(tmp_path: Path) -> None:
    made = built(tmp_path, transcriber=ReadingTranscriber())
    assert made.questions == {"emotion": 4, "gender": 4}
    assert made.lacking == {}
    samples = read_manifest(made.manifest)
    assert len(samples) == 2 * 8
    for first, second in zip(samples[::2], samples[1::2], strict=True):
        assert (first.prompt.pair, first.prompt.content) == (second.prompt.pair, second.prompt.content)
        assert first.prompt.category != second.prompt.category
        assert first.prompt.audio is not None
        assert Path(first.prompt.audio.path).is_file()
    assert len({one.prompt.topic for one in samples}) == 4, "the topics come in turn"
    assert {one.prompt.topic for one in samples} <= set(TOPICS)


def test_neither_ids_nor_paths_nor_the_order_of_a_pair_tell_the_style(tmp_path: Path) -> None:
    made = built(tmp_path, settings=BuildSettings(prompts=24, dimensions=(Dimension.GENDER,)))
    samples = read_manifest(made.manifest)
    for one in samples:
        assert re.fullmatch(r"q-[0-9a-f]{12}", one.id)
        assert one.prompt.audio is not None
        assert Path(one.prompt.audio.path).stem == one.id
    first = [one.prompt.category for one in samples[::2]]
    assert 6 <= first.count("male") <= 18  # 24 coins: fewer or more in 1 of 100 draws


def test_a_way_that_is_heard_the_other_way_round_is_said_again(tmp_path: Path) -> None:
    settings = BuildSettings(prompts=9, dimensions=(Dimension.EMOTION,))
    made = built(tmp_path / "often", settings=settings)
    happy = [one for one in read_manifest(made.manifest) if one.prompt.category == "happy"]
    assert happy
    assert {one.prompt.ids["style"] for one in happy} == {"heard"}
    # every happy line takes two attempts, all others one
    assert made.yields["speech"]["attempts"] == made.yields["speech"]["recordings"] + len(happy)
    once = built(tmp_path / "once", settings=settings, speech=SpeechSettings(tries=1))
    reasons = {one["reason"] for one in lines(tmp_path / "once" / "rejects.jsonl")}
    assert "happy is contradicted: arousal goes down" in reasons
    assert once.yields["speech"]["sentences in"] > once.yields["speech"]["sentences out"]


def test_words_that_are_not_heard_bring_a_pair_down_after_the_last_attempt(tmp_path: Path) -> None:
    clean = built(tmp_path / "clean", transcriber=ReadingTranscriber())
    victim, mended = (one.prompt.content for one in read_manifest(clean.manifest)[8::4][:2])
    cast = ToneCast(garbled=((victim, 3), (mended, 2)))
    made = built(tmp_path / "garbled", cast=cast, transcriber=ReadingTranscriber())
    assert made.questions == {"emotion": 4, "gender": 4}, "another sentence takes its place"
    texts = {one.prompt.content for one in read_manifest(made.manifest)}
    assert victim not in texts
    assert mended in texts
    (reject,) = [one for one in lines(tmp_path / "garbled" / "rejects.jsonl") if one["stage"] == "speech"]
    assert reject["content"] == victim
    assert "heard as 'nothing of the kind', error rate" in reject["reason"]


def test_without_a_transcriber_words_are_unverified_and_never_passed(tmp_path: Path) -> None:
    made = built(tmp_path)
    assert {one.prompt.ids["words"] for one in read_manifest(made.manifest)} == {"unverified"}
    assert made.yields["speech"]["words heard"] == 0


def test_sarcasm_and_age_are_unverified_and_never_passed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def checked(self: SpeechStep, candidate: Candidate, category: str, audio: Audio, plain: Hearing) -> Check:
        return check_style(candidate, category, perceived(), plain)

    monkeypatch.setattr(build_synthesis.SpeechStep, "_checked", checked)
    settings = BuildSettings(prompts=2, dimensions=(Dimension.SARCASM, Dimension.AGE))
    made = built(tmp_path, settings=settings, speech=SpeechSettings(strict=True))
    prompts = [one.prompt for one in read_manifest(made.manifest)]
    assert len(prompts) == 8, "strict does not ask for what no ear can hear"
    assert {one.ids["style"] for one in prompts} == {"unverified"}
    sarcastic = {one.ids["style_reason"] for one in prompts if one.dimension is Dimension.SARCASM}
    assert sarcastic == {"the ear cannot hear sarcasm"}


def test_a_stop_in_the_middle_of_every_stage_changes_nothing(tmp_path: Path) -> None:
    whole = built(tmp_path / "whole", transcriber=ReadingTranscriber())
    stopped = ""
    for _ in range(40):
        made = built(tmp_path / "parts", transcriber=ReadingTranscriber(), budget=Budget(max_items=5))
        stopped = made.stopped
        if not stopped:
            break
        assert "items" in stopped
    assert stopped == ""
    for name in ("manifest.jsonl", "task.json", "rejects.jsonl", "build.json"):
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert whole.questions == made.questions


def test_the_same_seed_gives_the_same_bytes_and_another_one_other_sentences(tmp_path: Path) -> None:
    def manifest(name: str, seed: int) -> bytes:
        return built(tmp_path / name, settings=BuildSettings(2, DIMENSIONS, seed=seed)).manifest.read_bytes()

    assert manifest("one", 0) == manifest("two", 0)
    assert manifest("three", 7) != manifest("one", 0)


def test_training_data_are_kept_away_from(tmp_path: Path) -> None:
    free = built(tmp_path / "free")
    seen = read_manifest(free.manifest)[0].prompt
    training = TrainingSet(texts={seen.content: "train.jsonl, line 1"}, topics={"fashion": "train.jsonl, line 2"})
    made = built(tmp_path / "apart", training=training)
    prompts = [one.prompt for one in read_manifest(made.manifest)]
    assert seen.content not in {one.content for one in prompts}
    assert "fashion" not in {one.topic for one in prompts}
    reasons = [one["reason"] for one in lines(tmp_path / "apart" / "rejects.jsonl") if one["stage"] == "disjointness"]
    assert f"the same words: {seen.content!r} (train.jsonl, line 1)" in reasons
    assert "topic 'fashion' is trained on (train.jsonl, line 2)" in reasons
    voices = TrainingSet(speakers={"tones:male": "train.jsonl, line 5"})
    left = built(tmp_path / "voices", training=voices)
    assert left.questions["gender"] == 0
    assert left.lacking == {"gender": 4}


def test_an_engine_that_is_away_stops_the_build_and_is_tried_again(tmp_path: Path) -> None:
    broken = built(tmp_path, cast=ToneCast(broken=True))
    assert broken.stopped.startswith("nothing could be spoken: the engine is away")
    assert built(tmp_path).questions == {"emotion": 4, "gender": 4}


def test_fewer_sentences_than_wanted_are_said_to_be_lacking(tmp_path: Path) -> None:
    settings = BuildSettings(prompts=9, dimensions=(Dimension.GENDER,), surplus=1.0, near=0.2)
    made = built(tmp_path, settings=settings)
    assert made.lacking["gender"] == 9 - made.questions["gender"] > 0


def test_only_what_three_people_find_right_stays(tmp_path: Path) -> None:
    made = built(tmp_path)
    prompts = [one.prompt for one in read_manifest(made.manifest)]
    task = json.loads((tmp_path / "task.json").read_text(encoding="utf-8"))
    assert [item["id"] for item in task["items"]] == [one.id for one in prompts]
    assert task["items"][0]["audio"]["clip"]["path"].startswith("audio/")
    rows = [
        f"{one.id},{rater},yes,{'no' if (one.id, rater) == (prompts[0].id, 'ben') else 'yes'}"
        for one in prompts
        for rater in ("anna", "ben", "cleo")
    ]
    answers = tmp_path / "answers.csv"
    answers.write_text("\n".join(["item,rater,content_correct,style_correct", *rows]), encoding="utf-8")
    found = apply_verification(tmp_path, answers)
    assert found.questions == {"emotion": 3, "gender": 4}
    assert [one.prompt for one in read_manifest(found.manifest)] == prompts[2:]
    fallen = lines(tmp_path / "verification-rejects.jsonl")
    assert [one["reason"] for one in fallen] == ["the way is not right for ben", f"its twin {prompts[0].id!r} fell"]
    answers.write_text("item,rater,content_correct,style_correct\nx,anna,yes,yes\n", encoding="utf-8")
    with pytest.raises(RecordError, match=r"answers\.csv: there is no question 'x'"):
        apply_verification(tmp_path, answers)


def test_the_table_of_stages_is_said_in_both_languages(tmp_path: Path) -> None:
    made = built(tmp_path)
    english, mandarin = (built_table(made, language=language) for language in ("en", "zh"))
    assert [row[0].text for row in english.rows][:2] == ["1 Candidates", "2 Filters"]
    assert mandarin.rows[0][0].text == "1 候选句"
    assert english.rows[-1][2].text == "8"
    real = replace(made, real={"meld": 3})
    assert built_table(real, language="en").rows[-1][3].text == "MELD 3"
    assert count_list({"age": 2}, "zh") == "年龄 2"


# --- checks ---


def test_an_ear_that_is_not_sure_of_a_sex_leaves_it_unverified() -> None:
    one = Candidate("c", "Which sizes should I look for?", Dimension.GENDER, ("male", "female"), "fashion")

    def verdict(share: float) -> Verdict:
        return check_style(one, "male", perceived(share=share), Hearing()).verdict

    assert [verdict(share) for share in (0.9, 0.5, 0.1)] == [Verdict.HEARD, Verdict.UNVERIFIED, Verdict.CONTRADICTED]
    silent = Perception(1.0, 0.0, unjudged={"sex": "no speech found"})
    assert check_style(one, "male", silent, Hearing()) == Check(Verdict.UNVERIFIED, "no speech found")


def test_the_error_rate_decides_whether_words_are_heard() -> None:
    one = Candidate("c", "They moved our desks again.", Dimension.EMOTION, ("happy", "sad"), "work")

    def checked(said: str, limit: float) -> tuple[Verdict, float | None]:
        found = asyncio.run(check_words(one, tone(f"happy|1|{said}"), ReadingTranscriber(), limit=limit))
        return found.check.verdict, found.error_rate

    assert checked("They moved our desk again!", 0.2) == (Verdict.HEARD, 0.2)  # one of five words
    assert checked("They moved our desk again!", 0.19) == (Verdict.CONTRADICTED, 0.2)
    assert checked("", 0.5) == (Verdict.CONTRADICTED, 1.0)


def test_a_transcriber_hears_silence_before_and_after() -> None:
    audio = tone("x")
    assert padded(audio, 0.5).samples.size == audio.samples.size + audio.rate
    assert not padded(audio, 0.5).samples[: audio.rate // 2].any()


def test_settings_that_build_nothing_are_refused() -> None:
    with pytest.raises(UsageError, match="a question and a dimension or more"):
        BuildSettings(prompts=0)
    with pytest.raises(UsageError, match="spoken at least once"):
        SpeechSettings(tries=0)
