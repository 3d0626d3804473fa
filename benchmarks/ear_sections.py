"""The sections of the ear's benchmark: each takes the setting and gives rows and remarks."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from aptone.types import Perception, Sex
from benchmarks import ear_rival, ear_rows, ear_speed
from benchmarks.ear_awkward import awkward_inputs
from benchmarks.ear_awkward import heard as heard_awkward
from benchmarks.ear_conditions import CONDITIONS, base_clips
from benchmarks.ear_data import SHARED, SPEECH_SETS, Answers, Clip, labels_of, load_set
from benchmarks.ear_data import listeners as recognised_by_listeners
from benchmarks.ear_listening import hear, unjudged_counts
from benchmarks.ear_report import Row, Section
from benchmarks.ear_rows import Seeds, decisions, probabilities
from benchmarks.ear_scores import (
    NO_ANSWER,
    Floats,
    Integers,
    Measured,
    expected_calibration_error,
    measured,
    reliability,
    unweighted_recall,
)
from benchmarks.ear_setting import Setting
from benchmarks.ear_sounds import EVENTS, FOREIGN, event_scores, false_alarms, music_scores, tracks_for_test
from recipes.ear.data import FOLDS

EMOTION_GOALS = {"ravdess": 0.75, "emodb": 0.85, "csemotions": 0.82, "nemo": 0.60}
CORPUS_GOALS = {"ravdess": 0.45, "emodb": 0.70, "csemotions": 0.52, "nemo": 0.48}
SEX_GOAL = 0.985
AROUSAL_GOAL = 0.98
INTENSITY_GOAL = 0.90
CONDITION_GOAL = 0.92
LISTENERS_GOAL = 0.35
REAL_TIME_GOAL = 60.0
FASTER_GOAL = 2.0
COLD_START_GOAL = 2.0
MEMORY_GOAL = 400.0
MUSIC_CLIPS_PER_SET = 40
LISTENERS = 20
"""Listeners who rated each clip of EmoDB."""


def emotion(setting: Setting) -> Section:
    """Emotions of each set's test part, and of CSEMOTIONS with two speakers left out at a time."""
    rows, by_emotion, by_sex, recipes = [], {}, {}, {}
    runs = setting.runs(setting.recipe)
    for name in SPEECH_SETS:
        clips = setting.test(name)
        labels = labels_of(setting.clips[name])
        row = Row(
            f"emotion, {name}, {len(labels)} classes",
            runs=ear_rows.emotion(runs, clips, labels=labels) if runs else None,
            goal=EMOTION_GOALS[name],
        )
        if setting.ear is not None:
            ours = ear_rows.emotion([setting.answers], clips, labels=labels)
            row = replace(row, ours=ours.mean)
            by_emotion[name] = recall_by_emotion(setting.answers, clips, labels)
            by_sex[name] = recall_by_sex(setting.answers, clips, labels)
        if setting.rival:
            plain, _ = ear_rival.own_set(setting.materials[name], tuned=False)
            tuned, recipes[name] = ear_rival.own_set(setting.materials[name], tuned=True)
            row = replace(
                row,
                plain=ear_rows.emotion([plain], clips, labels=labels).mean,
                tuned=ear_rows.emotion([tuned], clips, labels=labels).mean,
            )
        rows.append(row)
    rows.append(_speakers_left_out(setting, "csemotions", goal=EMOTION_GOALS["csemotions"]))
    rows.append(_speakers_left_out(setting, "emodb"))
    details: dict[str, object] = {"tuned recipes": recipes}
    if setting.ear is not None:
        details |= {"recall by emotion": by_emotion, "recall by sex": by_sex}
        details["clips in which a part was not judged"] = unjudged_counts(setting.perceptions)
    return Section(rows, details)


def _speakers_left_out(setting: Setting, name: str, *, goal: float | None = None) -> Row:
    clips, runs = setting.clips[name], setting.fold_runs(name)
    row = Row(
        f"emotion, {name}, speakers left out in folds",
        runs=ear_rows.emotion(runs, clips) if runs else None,
        goal=goal,
    )
    if not setting.rival:
        return row
    plain = ear_rival.leave_speakers_out(setting.materials[name], FOLDS[name])
    return replace(row, plain=ear_rows.emotion([plain], clips).mean)


def recall_by_emotion(answers: Answers, clips: Sequence[Clip], labels: Sequence[str]) -> dict[str, dict[str, float]]:
    """Of each acted emotion, the share of clips that each label was decided for."""
    decided = decisions(answers.of(clips), labels)
    shares = {}
    for acted in labels:
        given = decided[[clip.emotion == acted for clip in clips]]
        shares[acted] = {label: float(np.mean(given == place)) for place, label in enumerate(labels)}
    return shares


def recall_by_sex(answers: Answers, clips: Sequence[Clip], labels: Sequence[str]) -> dict[str, float]:
    """Unweighted recall of the emotions of each sex; empty where a set does not say."""
    return {
        sex: ear_rows.emotion([answers], [clip for clip in clips if clip.sex == sex], labels=labels).mean.value
        for sex in sorted({clip.sex for clip in clips} - {""})
    }


def corpora(setting: Setting) -> Section:
    """Emotions of a set that was not trained on at all."""
    rows, recipes = [], {}
    for name in SPEECH_SETS:
        runs, plain, tuned = setting.runs(f"without-{name}"), [], []
        if setting.rival:
            materials = list(setting.materials.values())
            plain = [ear_rival.left_out(materials, name, tuned=False)[0]]
            answers, recipes[name] = ear_rival.left_out(materials, name, tuned=True)
            tuned = [answers]
        for own in (False, True) if name == "emodb" else (False,):
            of = partial(ear_rows.left_out, clips=setting.clips[name], own=own)
            rows.append(
                Row(
                    f"shared emotions, {name} left out" + (", among its own five" if own else ""),
                    runs=of(runs) if runs else None,
                    plain=of(plain).mean if plain else None,
                    tuned=of(tuned).mean if tuned else None,
                    goal=None if own else CORPUS_GOALS[name],
                )
            )
        if runs:
            of = partial(ear_rows.left_out, clips=setting.clips[name])
            known = [ear_rows.shares_known(run, setting.clips[name]) for run in runs]
            rows.append(Row(f"the same, {name}, if the shares of its emotions were known", runs=of(known)))
    return Section(rows, {"tuned recipes": recipes})


def voice(setting: Setting) -> Section:
    """Sex, arousal and intensity on RAVDESS's test part."""
    clips = setting.test("ravdess")
    runs = setting.runs(setting.recipe)
    ours = [setting.answers] if setting.ear is not None else []
    plain = [ear_rival.other_heads(setting.materials["ravdess"])] if setting.rival else []
    rows = []
    for task, goal, figure in (
        ("sex, ravdess", SEX_GOAL, ear_rows.sex),
        ("high against low arousal, ravdess, area under the curve", AROUSAL_GOAL, ear_rows.arousal),
        ("strong over normal intensity, ravdess, pairs", INTENSITY_GOAL, ear_rows.intensity),
    ):
        rows.append(
            Row(
                task,
                ours=figure(ours, clips).mean if ours else None,
                runs=figure(runs, clips) if runs else None,
                plain=figure(plain, clips).mean if plain else None,
                goal=goal,
            )
        )
    with_sex = [clip for clip in setting.test_clips if clip.sex]
    everywhere = Row(
        "sex, all test parts that say it",
        ours=ear_rows.sex(ours, with_sex).mean if ours else None,
        runs=ear_rows.sex(runs, with_sex) if runs else None,
    )
    return Section([*rows, everywhere])


def listeners(setting: Setting) -> Section:
    """Confidence in the acted emotion against what EmoDB's listeners recognised."""
    clips = setting.clips["emodb"]
    shares = recognised_by_listeners(setting.data)
    recognised = {name: share for name, (share, _) in shares.items()}
    runs = setting.fold_runs("emodb")
    plain = [ear_rival.leave_speakers_out(setting.materials["emodb"], FOLDS["emodb"])] if setting.rival else []

    def figure(answers: Sequence[Answers], *, by_rank: bool) -> Seeds | None:
        return ear_rows.listeners(answers, clips, recognised, by_rank=by_rank) if answers else None

    rows = []
    for task, by_rank, goal in (
        ("confidence and listeners, emodb, Pearson", False, LISTENERS_GOAL),
        ("confidence and listeners, emodb, Spearman", True, None),
    ):
        rival = figure(plain, by_rank=by_rank)
        rows.append(
            Row(task, runs=figure(runs, by_rank=by_rank), plain=rival.mean if rival is not None else None, goal=goal)
        )
    details: dict[str, object] = {
        "Pearson, at best": _best_correlation(np.array([recognised[clip.name] for clip in clips]))
    }
    if not runs:
        details["runs"] = "none: there is no style-fold*-seed*.npz for all folds"
    return Section(rows, details)


def _best_correlation(shares: Floats) -> float:
    """Return the correlation of a perfect judge: the square root of the part of the variance that is not chance.

    Twenty listeners are a draw; their share varies by p (1 - p) / 19 around what all people would say.
    """
    chance = float(np.mean(shares * (1 - shares))) / (LISTENERS - 1)
    return math.sqrt(max(0.0, 1 - chance / float(np.var(shares, ddof=1))))


def conditions(setting: Setting) -> Section:
    """Recording conditions that were not trained on."""
    if setting.ear is None:
        return Section(skipped="our ear was left out")
    names = [condition.value for condition in CONDITIONS]
    test = [one for one in setting.under_conditions if one.how != "decaying noise"]
    truth = np.array([names.index(one.condition.value) for one in test], dtype=np.int64)
    decided = np.array([decided_condition(one.perception) for one in test], dtype=np.int64)
    # one clip stands under five conditions, so that clips are what is drawn for the first interval
    clips = [f"{one.clip.set}/{one.clip.name}" for one in test]
    recall = measured(unweighted_recall, truth, decided, speakers=clips)
    speakers = measured(unweighted_recall, truth, decided, speakers=[one.clip.speaker for one in test])
    ways: dict[str, list[bool]] = defaultdict(list)
    for one in setting.under_conditions:
        right = decided_condition(one.perception) == names.index(one.condition.value)
        ways[f"{one.condition.value}, {one.how}"].append(right)
    by_set = {
        name: unweighted_recall(*_rows_of(truth, decided, [one.clip.set == name for one in test]))
        for name in SPEECH_SETS
    }
    return Section(
        [
            Row(
                "recording condition, 5 classes",
                ours=Measured(recall.over_speakers, speakers.over_speakers),
                goal=CONDITION_GOAL,
            )
        ],
        {
            "decided, of each condition": {
                name: {
                    (names[place] if place != NO_ANSWER else "not judged"): int(count)
                    for place, count in zip(*np.unique(decided[truth == index], return_counts=True), strict=True)
                }
                for index, name in enumerate(names)
            },
            "share right, by how it was made": {way: float(np.mean(right)) for way, right in sorted(ways.items())},
            "unweighted recall, by set": by_set,
        },
    )


def _rows_of(truth: Integers, decided: Integers, wanted: Sequence[bool]) -> tuple[Integers, Integers]:
    chosen = np.array(wanted)
    return truth[chosen], decided[chosen]


def decided_condition(perception: Perception) -> int:
    """The likeliest of the five conditions, as its place among them; `NO_ANSWER` where none was judged."""
    shares = [float(perception.recording_condition.get(condition.value, -1.0)) for condition in CONDITIONS]
    return int(np.argmax(shares)) if max(shares) >= 0 else NO_ANSWER


def events(setting: Setting) -> Section:
    """Vocal events of ESC-50's fifth fold and of Deeply, and false alarms on speech."""
    if setting.ear is None:
        return Section(skipped="our ear was left out")
    rows, details = [], {}
    for name, scored in (("esc50", EVENTS), ("deeply", FOREIGN)):
        clips = load_set(setting.data, name, part="test")
        scores = event_scores(clips, hear(setting.listener, clips), scored=scored)
        rows += [Row(f"{event}, {name}, recall", ours=recall) for event, recall in scores.recall.items()]
        details[f"reported in {name}, clips"] = {
            f"{sound} ({scores.clips[sound]})": counts for sound, counts in scores.reported.items()
        }
    alarms = false_alarms(setting.perceptions)
    rows.append(Row("false alarms a minute of clean speech", ours=alarms["all"]))
    return Section(rows, details | {"false alarms a minute": alarms})


def music(setting: Setting) -> Section:
    """Music under speech, and alone."""
    if setting.ear is None:
        return Section(skipped="our ear was left out")
    if setting.music is None:
        return Section(skipped="no --music; it names the folder core/music of Debian's package wesnoth-1.16-music")
    bases = [clip for name in SPEECH_SETS for clip in base_clips(setting.test(name), count=MUSIC_CLIPS_PER_SET)]
    sounds = load_set(setting.data, "esc50", part="test")
    scores = music_scores(setting.listener, bases, sounds, tracks_for_test(setting.music))
    rows = [
        Row("music under speech, against speech, area under the curve", ours=scores.against_speech),
        Row("music under speech, against speech over sounds", ours=scores.against_sounds),
        Row("music at most 10 dB under speech, against speech", ours=scores.loud),
        Row("music alone, share heard as music", ours=scores.alone),
    ]
    remarks = {"excerpts of music alone": scores.excerpts, "of them not judged": scores.alone_unjudged}
    return Section(rows, remarks)


def calibration(setting: Setting) -> Section:
    """Measure the calibration of probabilities: expected calibration error and reliability of each head."""
    if setting.ear is None:
        return Section(skipped="our ear was left out")
    heads: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for clip, perception in zip(setting.test_clips, setting.perceptions, strict=True):
        if perception.emotion:
            best = max(perception.emotion, key=lambda name: perception.emotion[name])
            heads["emotion, among all ten"].append((perception.emotion[best], str(best) == clip.emotion))
        if perception.sex and clip.sex:
            likelier = max((Sex.FEMALE, Sex.MALE), key=lambda sex: perception.sex.get(sex, 0.0))
            heads["sex"].append((perception.sex.get(likelier, 0.0), likelier.value == clip.sex))
    for name in SPEECH_SETS:
        heads[f"emotion, among the labels of {name}"] = _among_labels(setting, name)
        heads["emotion, unseen speakers"] += heads[f"emotion, among the labels of {name}"]
        heads[f"emotion, {name} left out"] = _left_out(setting, name)
        heads["emotion, unseen corpora"] += heads[f"emotion, {name} left out"]
    for one in setting.under_conditions:
        spread = one.perception.recording_condition
        if spread and one.how != "decaying noise":
            best = max(spread, key=lambda name: spread[name])
            heads["recording condition"].append((spread[best], str(best) == one.condition.value))
    rows, tables = [], {}
    for head, pairs in heads.items():
        if not pairs:
            continue
        confidence, right = np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])
        rows.append(Row(f"calibration error, {head}", ours=expected_calibration_error(confidence, right), at_most=True))
        tables[head] = reliability(confidence, right)
    return Section(rows, {"reliability": tables})


def _among_labels(setting: Setting, name: str) -> list[tuple[float, bool]]:
    return _sure_and_right(setting.answers, setting.test(name), labels_of(setting.clips[name]))


def _left_out(setting: Setting, name: str) -> list[tuple[float, bool]]:
    """Measure the confidence of runs trained without a set on its test part, with the temperature of our ear."""
    temperature = setting.listener.meaning.temperatures["emotion"]
    labels = [label for label in labels_of(setting.clips[name]) if label in SHARED]
    clips = [clip for clip in setting.test(name) if clip.emotion in labels]
    cooled = [replace(run, emotion=run.emotion / temperature) for run in setting.runs(f"without-{name}")]
    return [pair for run in cooled for pair in _sure_and_right(run, clips, labels)]


def _sure_and_right(answers: Answers, clips: Sequence[Clip], labels: Sequence[str]) -> list[tuple[float, bool]]:
    shares = probabilities(answers.of(clips), labels)
    return [
        (float(row.max()), labels[int(row.argmax())] == clip.emotion)
        for row, clip in zip(shares, clips, strict=True)
        if not np.isnan(row).any()
    ]


def speed(setting: Setting) -> Section:
    """Processor time and memory."""
    if setting.ear is None:
        return Section(skipped="our ear was left out")
    clips = ear_speed.mixed_clips(setting.data)
    compared = ear_speed.in_one_core(setting.data, ear=setting.ear, rival=setting.rival)
    cold = ear_speed.cold_start(clips[0], ear=setting.ear)
    long = ear_speed.ten_minutes(clips, ear=setting.ear)
    rows = [Row("times real time, one core, file to Perception", ours=compared["times_real_time"], goal=REAL_TIME_GOAL)]
    if setting.rival:
        faster = compared["times_faster_than_features"]
        rows.append(Row("times as fast as eGeMAPS features alone", ours=faster, goal=FASTER_GOAL))
    rows += [
        Row("cold start, processor seconds", ours=cold["processor_seconds"], goal=COLD_START_GOAL, at_most=True),
        Row("cold start, megabytes", ours=cold["megabytes"], goal=MEMORY_GOAL, at_most=True),
        Row("ten minutes in one file, times real time with the start", ours=long["times_real_time"]),
        Row("ten minutes in one file, megabytes", ours=long["megabytes"]),
    ]
    return Section(rows, {"compared": compared, "cold start": cold, "ten minutes": long})


def awkward(setting: Setting) -> Section:
    """Input that cannot be judged, or not fully."""
    if setting.ear is None:
        return Section(skipped="our ear was left out")
    cases = {}
    for name, audio in awkward_inputs(setting.test("ravdess"), music=setting.music):
        case = heard_awkward(setting.listener, name, audio)
        cases[name] = {"error": case.error} if case.error else {"judged": case.judged, "not judged": case.unjudged}
    return Section(details=cases)
