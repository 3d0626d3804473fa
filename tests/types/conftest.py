"""A Hypothesis strategy for every record, hostile text included."""

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from aptone.types import (
    AgeBand,
    Annotation,
    Audio,
    AudioRef,
    Band,
    Breaks,
    Choice,
    Control,
    Dimension,
    EmotionEstimate,
    Entry,
    Estimate,
    Evidence,
    HeadphoneCheck,
    Intonation,
    Item,
    Json,
    Line,
    NoVote,
    Outcome,
    Perception,
    Plan,
    Probe,
    ProbeState,
    Qualification,
    Rating,
    RatingItem,
    RatingTask,
    Rhythm,
    Sample,
    Score,
    Segment,
    Sex,
    Shown,
    SoundEvent,
    State,
    Tracks,
    Trajectory,
    TrustCard,
    Vad,
    Vote,
    WeakAnnotation,
)

Strategy = st.SearchStrategy[Any]

# A high surrogate followed by a low one is the JSON spelling of a single character, so only lone ones can survive.
texts = st.text(st.characters(exclude_categories=()), max_size=12).filter(
    lambda text: not re.search("[\ud800-\udbff][\udc00-\udfff]", text)
)
names = texts.filter(bool)
finite = st.floats(allow_nan=False, allow_infinity=False)
numbers = st.just(math.nan) | finite | st.integers(-9, 9)
times = st.floats(0, 1e6)
counts = st.integers(-(2**63) + 1, 2**63 - 1)
json_values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | finite | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
json_objects = st.dictionaries(texts, json_values, max_size=3)
words = st.dictionaries(st.sampled_from(["en", "zh"]), texts)


def tuples(inner: Strategy, *, max_size: int = 3) -> Strategy:
    return st.lists(inner, max_size=max_size).map(tuple)


def maps(inner: Strategy, keys: Strategy = texts) -> Strategy:
    return st.dictionaries(keys, inner, max_size=3)


@st.composite
def scores(draw: st.DrawFn) -> Score:
    low, value, high = sorted(draw(st.tuples(finite, finite, finite)))
    common: dict[str, Any] = {
        "range": draw(st.sampled_from([None, (low, high)])),
        "unit": draw(texts),
        "signature": draw(texts),
        "higher_is_better": draw(st.sampled_from([True, False, None])),
    }
    if draw(st.booleans()):
        return Score(value, **common)
    return Score(math.nan, reason=draw(names), needed=draw(st.booleans()), **common)


@st.composite
def segments(draw: st.DrawFn) -> Segment:
    start, end = sorted(draw(st.tuples(times, times)))
    return Segment(start, end)


@st.composite
def audio_refs(draw: st.DrawFn) -> AudioRef:
    start = draw(times)
    return AudioRef(draw(names), start, draw(st.none() | st.floats(0.001, 1e6).map(lambda s: start + s)), draw(texts))


@st.composite
def outcomes(draw: st.DrawFn) -> Outcome:
    state = draw(st.sampled_from(State))
    return Outcome(
        state=state,
        scores=draw(st.dictionaries(names, scores(), min_size=1, max_size=2)) if state is State.DONE else {},
        rationale=draw(texts),
        evidence=draw(json_objects),
        raw_reply=draw(texts),
        reason="" if state is State.DONE else draw(names),
        signature=draw(texts),
    )


@st.composite
def trajectories(draw: st.DrawFn) -> Trajectory:
    points = draw(st.lists(st.tuples(unit, unit, unit), max_size=3))
    columns = zip(*points, strict=True) if points else ((), (), ())
    return Trajectory(draw(st.floats(0.001, 60.0)), *columns)


bands = st.builds(Band, low=numbers, high=numbers, meaning=words)
choices = st.builds(Choice, value=texts, label=words)


@st.composite
def controls(draw: st.DrawFn, fields: tuple[str, ...] = ("line",)) -> Control:
    kinds = ["scale", "choice", "text", "boundaries", "preference"] + ["edit"] * bool(fields)
    kind: Any = draw(st.sampled_from(kinds))
    ends: dict[str, Any] = {}
    if kind == "scale":
        low = draw(st.integers(-5, 5) | st.floats(-5, 5))
        ends = {"low": low, "high": low + draw(st.integers(1, 5)), "step": draw(st.floats(0.01, 1))}
    return Control(
        name=draw(texts),
        kind=kind,
        label=draw(words),
        choices=draw(st.lists(choices, min_size=2 if kind == "choice" else 0, max_size=3).map(tuple)),
        bands=draw(tuples(bands)),
        prefill=draw(st.sampled_from(fields)) if kind == "edit" else "",
        required=draw(st.booleans()),
        **ends,
    )


@st.composite
def rating_tasks(draw: st.DrawFn) -> RatingTask:
    fields = tuple(draw(st.lists(names, max_size=2, unique=True)))
    clips = tuple(draw(st.lists(names, max_size=2, unique=True)))
    ids = draw(st.lists(texts, min_size=1, max_size=3, unique=True))
    asked = tuple(draw(st.lists(controls(fields), max_size=3, unique_by=lambda control: control.name)))
    some_asked = tuples(st.sampled_from([control.name for control in asked])) if asked else st.just(())
    distance = draw(numbers)
    items = tuple(
        RatingItem(
            id=item_id,
            audio={clip: draw(audio_refs()) for clip in clips},
            fields={name: draw(json_values) for name in fields},
            hidden=draw(json_objects),
            gold={name: draw(json_values) for name in draw(some_asked)},
        )
        for item_id in ids
    )
    shown = [Shown(name, draw(st.sampled_from(["text", "story"])), draw(words)) for name in fields]
    shown += [Shown(name, "audio", draw(words)) for name in clips]
    some_ids = tuples(st.sampled_from(ids))
    return RatingTask(
        name=draw(texts),
        title=draw(words),
        guide=draw(words),
        shown=tuple(draw(st.permutations(shown))),
        controls=asked,
        items=items,
        raters_per_item=draw(st.integers(1, 20)),
        accept={name: draw(json_values) for name in draw(some_asked)},
        quota_per_rater=draw(st.integers(0, 1000)),
        outlier_distance=distance,
        outlier_share=math.nan if math.isnan(distance) else draw(numbers),
        calibration=draw(some_ids),
        qualification=draw(st.none() | st.builds(Qualification, some_ids, tolerance=numbers, pass_share=numbers)),
        must_listen=draw(st.booleans()),
        shuffled=draw(st.booleans()),
    )


unit = st.floats(-1, 1) | st.just(math.nan)
rhythms, intonations = st.sampled_from(Rhythm), st.sampled_from(Intonation)
ages, sexes = st.sampled_from(AgeBand), st.sampled_from(Sex)
samples_arrays = st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=8).map(lambda x: np.array(x, np.float32))
audios = st.builds(Audio, samples_arrays, st.integers(1, 192_000), source=texts)
vads = st.builds(Vad, unit, unit, unit)
lines = st.builds(Line, text=texts, role=texts, speech=st.booleans(), continues=st.booleans(), direction=texts)
shares = st.just(math.nan) | st.floats(0, 1)
evidence = st.builds(Evidence, texts, texts, st.integers(-50, 50), counts, counts, texts)
no_votes = st.builds(NoVote, st.integers(0, 15), texts)
votes = st.builds(Vote, st.integers(1, 15), texts, rhythms, intonations, recording_condition=texts)
plans = st.builds(
    Plan,
    texts,
    rhythm=st.none() | rhythms,
    intonation=st.none() | intonations,
    recording_condition=texts,
    vad=st.none() | vads,
    votes=tuples(votes),
    no_votes=tuples(no_votes),
    windows=st.integers(0, 15),
    source=texts,
    signature=texts,
    emotions=st.just({}) | st.fixed_dictionaries({"sad": st.just(0.25), "calm": st.just(0.75)}),
    unsaid=shares,
    intensity=shares,
    voice=tuples(texts),
    sounds=tuples(texts),
    evidence=tuples(evidence),
)
estimates = st.builds(Estimate, numbers, numbers, numbers, counts, numbers, method=texts, reason=names)
probes = st.builds(Probe, st.sampled_from(ProbeState), numbers, counts, texts)
items = st.builds(Item, names, json_objects, texts, counts)
events = st.builds(SoundEvent, texts, numbers, numbers, numbers)
tracks = st.builds(Tracks, numbers, tuples(numbers), tuples(numbers))
grades = st.just(math.nan) | st.floats(0, 5) | st.integers(0, 5)
annotations = st.builds(
    Annotation,
    overall_score=grades,
    tts_difficulty=grades,
    intonation=st.none() | intonations,
    rhythm=st.none() | rhythms,
    emotion=texts,
    vocalisations=texts,
    refined_context=tuples(lines),
    refined_content=texts,
    boundaries=st.none() | segments(),
    role=texts,
    age=st.none() | ages,
    gender=st.none() | sexes,
    recording_condition=texts,
    background_music=st.none() | st.booleans(),
    sound_events=texts,
)
weak_annotations = st.builds(
    WeakAnnotation,
    heard=annotations,
    caption=texts,
    transcript=texts,
    confidence=st.just(math.nan) | st.floats(0, 1),
    heard_by=texts,
    captioned_by=texts,
    transcribed_by=texts,
)

RECORDS: Mapping[type[Any], Strategy] = {
    Annotation: annotations,
    Audio: audios,
    AudioRef: audio_refs(),
    Band: bands,
    Choice: choices,
    Control: controls(),
    Dimension: st.builds(Dimension, counts, texts, texts, texts, choices=maps(texts)),
    Entry: st.builds(Entry, items, outcomes(), counts, counts, counts, numbers, numbers, texts),
    Estimate: estimates,
    Evidence: evidence,
    Item: items,
    EmotionEstimate: st.builds(
        EmotionEstimate,
        maps(st.floats(0, 1)),
        vad=st.none() | vads,
        intensity=st.just(math.nan) | st.floats(0, 1),
    ),
    Line: lines,
    Outcome: outcomes(),
    Perception: st.builds(
        Perception,
        numbers,
        speech_seconds=numbers,
        emotion=maps(numbers),
        phrase=words,
        vad=st.none() | vads,
        intensity=numbers,
        rhythm=maps(numbers, rhythms),
        intonation=maps(numbers, intonations),
        recording_condition=maps(numbers),
        measures=maps(scores()),
        music=numbers,
        naturalness=numbers,
        events=tuples(events),
        sex=maps(numbers, sexes),
        age=maps(numbers, ages),
        trajectory=st.none() | trajectories(),
        tracks=st.none() | tracks,
        unjudged=maps(texts),
        signature=texts,
        licence=texts,
    ),
    NoVote: no_votes,
    Plan: plans,
    Probe: probes,
    Qualification: st.builds(Qualification, tuples(texts), numbers, numbers),
    HeadphoneCheck: st.builds(
        HeadphoneCheck, st.sampled_from(["huggins", "antiphase"]), st.integers(3, 12), st.integers(1, 3)
    ),
    Breaks: st.builds(Breaks, items=st.integers(1, 100), seconds=st.floats(1, 3600), forced=st.booleans()),
    Rating: st.builds(Rating, texts, texts, texts, json_objects, numbers, texts, tuples(texts)),
    RatingItem: st.builds(RatingItem, texts, maps(audio_refs()), json_objects, json_objects, json_objects),
    RatingTask: rating_tasks(),
    Sample: st.builds(
        Sample,
        texts,
        audios | audio_refs(),
        lines,
        context=tuples(lines),
        following=tuples(lines),
        language=st.sampled_from(["en", "zh"]),
        plan=st.none() | plans,
        human_score=numbers,
        ratings=maps(numbers),
        ids=maps(texts),
        weak=st.none() | weak_annotations,
    ),
    Score: scores(),
    Segment: segments(),
    Shown: st.builds(Shown, texts, st.sampled_from(["audio", "text", "story", "pair"]), words),
    SoundEvent: events,
    Tracks: tracks,
    Trajectory: trajectories(),
    TrustCard: st.builds(
        TrustCard,
        texts,
        counts,
        counts,
        unscored=maps(counts),
        failed=maps(counts),
        parse_failures=counts,
        repeat=probes,
        batch=probes,
        order=probes,
        signatures=maps(counts),
        prompt_hashes=maps(texts),
        cost=numbers,
        seconds=numbers,
        agreement=maps(estimates),
        ceiling=maps(estimates),
        notes=tuples(texts),
        licence=texts,
        version=texts,
        stopped=texts,
    ),
    Vad: vads,
    Vote: votes,
    WeakAnnotation: weak_annotations,
}


@pytest.fixture(scope="session")
def strategies() -> Mapping[type[Any], Strategy]:
    """Record to the strategy that makes any of its kind."""
    return RECORDS
