"""Picture of a dialogue, from what the journal says of its turns: a row a turn, a column for each of three dimensions.

The journal is read with care: it may come from anywhere.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from aptone.errors import RecordError
from aptone.messages import words
from aptone.report.notation import UNDEFINED, figure, named, score_name
from aptone.report.plots.geometry import Frame, Tick
from aptone.report.plots.timeline import Axis, line_path, time_ticks
from aptone.rooms.dialogue.verdict import TurnVerdict, fit_word
from aptone.stats import dtw_path
from aptone.types import Entry, Json, Language, Score, Trajectory, Vad, from_json

DIMENSIONS = ("valence", "arousal", "dominance")


@dataclass(frozen=True, slots=True)
class HeardSide:
    """Trajectory of one speaker in a turn: times of the points with speech, and their values, [points, 3]."""

    times: npt.NDArray[np.float64]
    points: npt.NDArray[np.float64]
    emotion: str


@dataclass(frozen=True, slots=True)
class HeardExchange:
    """A turn of the user and the answer to it, with `step` seconds between two points."""

    user: HeardSide
    agent: HeardSide
    extreme: tuple[str, ...] = ()
    scores: Mapping[str, Score] = field(default_factory=dict)
    step: float = 1.0
    verdict: TurnVerdict | None = None


def exchanges_of(entry: Entry) -> tuple[HeardExchange, ...]:
    """The turns in the evidence of an entry; empty where it is about no dialogue, or cannot be read."""
    given = entry.outcome.evidence.get("exchanges")
    if not isinstance(given, Sequence) or isinstance(given, str):
        return ()
    try:
        return tuple(_exchange(one) for one in given)
    except (RecordError, ValueError, TypeError):
        return ()


def zone_of(entry: Entry, name: str) -> Vad | None:
    """The thresholds (``extreme``) or the shifts (``shift``) that the scores rest on, if they can be read."""
    try:
        return from_json(Vad, entry.outcome.evidence.get(name))
    except (RecordError, ValueError):
        return None


def _exchange(data: Json) -> HeardExchange:
    if not isinstance(data, Mapping):
        raise RecordError("expected an exchange.")
    user, step = _side(data.get("user"))
    agent, other_step = _side(data.get("agent"))
    extreme, scores = data.get("extreme", ()), data.get("scores", {})
    if not isinstance(extreme, Sequence) or not isinstance(scores, Mapping):
        raise RecordError("expected names and scores.")
    return HeardExchange(
        user,
        agent,
        tuple(name for name in DIMENSIONS if name in extreme),
        {name: from_json(Score, score) for name, score in scores.items()},
        step or other_step or 1.0,
        None if (verdict := data.get("verdict")) is None else from_json(TurnVerdict, verdict),
    )


def _side(data: Json) -> tuple[HeardSide, float]:
    if not isinstance(data, Mapping):
        raise RecordError("expected what was heard of a speaker.")
    emotion = data.get("emotion")
    shown = emotion if isinstance(emotion, str) else ""
    if data.get("trajectory") is None:
        return HeardSide(np.empty(0), np.empty((0, 3)), shown), 0.0
    trajectory = from_json(Trajectory, data.get("trajectory"))
    columns = (trajectory.valence, trajectory.arousal, trajectory.dominance)
    points = np.array(columns, dtype=np.float64).T.reshape(-1, 3)
    spoken = np.flatnonzero(np.isfinite(points).all(axis=1) & (np.abs(points) <= 1).all(axis=1))
    return HeardSide((spoken.astype(np.float64) + 0.5) * trajectory.step, points[spoken], shown), trajectory.step


WIDTH, LEFT, GAP, RIGHT = 960.0, 40.0, 26.0, 18.0
HEAD, ROW, FOOT = 46.0, 132.0, 42.0
"""Above the panels of a row, the panels themselves, and below them."""

MOST_TURNS = 12
"""Turns that are drawn; the others are counted."""

MOST_LINKS = 400
"""Points that are joined in one panel; of longer alignments, every so many."""

WHOLE = Axis(-1.0, 1.0)
"""Axis of a dimension in which there is nothing to draw."""

SMALLEST_SPAN = 0.2
"""Least height of an axis, so that noise does not look like feeling."""

TICKS = (0.05, 0.1, 0.2, 0.5)
"""Distances between marks; the first that leaves at most `MOST_TICKS` spaces is taken."""
MOST_TICKS = 4
_MOST_POINTS_WITH_DOTS = 60


def panel_axis(values: npt.NDArray[np.float64], limit: float | None) -> Axis:
    """Axis of one dimension: as high as its values and the limit of the extreme need, in steps of 0.1, within -1 to 1.

    >>> panel_axis(np.array([0.21, 0.33]), 0.345)
    Axis(low=0.1, high=0.4, logarithmic=False)
    """
    shown = np.append(values, [] if limit is None else [limit])
    if not values.size:
        return WHOLE
    low, high = float(shown.min()), float(shown.max())
    margin = max(0.1 * (high - low), (SMALLEST_SPAN - (high - low)) / 2, 0.02)
    low, high = math.floor((low - margin) * 10) / 10, math.ceil((high + margin) * 10) / 10
    return Axis(max(-1.0, low), min(1.0, high))


def value_marks(axis: Axis) -> tuple[float, ...]:
    """Round numbers along an axis.

    >>> value_marks(Axis(0.1, 0.5)), value_marks(WHOLE)
    ((0.1, 0.2, 0.3, 0.4, 0.5), (-1.0, -0.5, 0.0, 0.5, 1.0))
    """
    span = axis.high - axis.low
    step = next((one for one in TICKS if span / one <= MOST_TICKS + 1e-9), TICKS[-1])
    first = math.ceil(axis.low / step - 1e-9)
    count = math.floor(axis.high / step + 1e-9) - first + 1
    return tuple(round((first + place) * step, 9) for place in range(count))


class Line(NamedTuple):
    """A path, and the class that gives it its colour."""

    kind: str
    path: str


class Dot(NamedTuple):
    """One point of a curve."""

    kind: str
    x: float
    y: float
    title: str


class Zone(NamedTuple):
    """Area in which a user counts as extreme, and whether this one does."""

    x: float
    y: float
    width: float
    height: float
    reached: bool


class Cell(NamedTuple):
    """One dimension of one turn."""

    title: str
    frame: Frame
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    zone: Zone | None
    links: str
    lines: tuple[Line, ...]
    dots: tuple[Dot, ...]


class Row(NamedTuple):
    """One turn of the user and the answer to it."""

    title: str
    y: float
    cells: tuple[Cell, ...]


class DialogueDrawing(NamedTuple):
    """The whole picture."""

    width: float
    height: float
    rows: tuple[Row, ...]
    legend: tuple[tuple[str, str, float], ...]
    left_out: int


def draw_dialogue(
    exchanges: Sequence[HeardExchange], *, extreme: Vad | None, shift: Vad | None, language: Language
) -> DialogueDrawing:
    """Lay out the picture of a dialogue, with zones by `extreme` and the target by `shift`; ``None`` draws none."""
    word = words(language, "report")
    drawn = exchanges[:MOST_TURNS]
    legend = tuple(
        (kind, word(key), WIDTH - RIGHT - 300 + 100 * place)
        for place, (kind, key) in enumerate((("user", "role_user"), ("agent", "role_agent"), ("target", "balanced")))
    )
    axes = tuple(_axis(drawn, column, extreme, shift) for column in range(len(DIMENSIONS)))
    rows = []
    for number, exchange in enumerate(drawn, start=1):
        top = 24 + (number - 1) * (HEAD + ROW + FOOT)
        seconds = max([exchange.step, *(float(side.times[-1]) + exchange.step / 2 for side in _sides(exchange))])
        cells = tuple(
            _cell(exchange, column, axes[column], _frame(column, top), seconds, extreme, shift, language)
            for column in range(3)
        )
        rows.append(Row(_title(exchange, number, language), top + 16, cells))
    height = 24 + len(drawn) * (HEAD + ROW + FOOT)
    return DialogueDrawing(WIDTH, height, tuple(rows), legend, len(exchanges) - len(drawn))


def _axis(exchanges: Sequence[HeardExchange], column: int, extreme: Vad | None, shift: Vad | None) -> Axis:
    """The axis of a dimension, one for all turns of a dialogue, so that they can be compared."""
    name = DIMENSIONS[column]
    curves = [side.points[:, column] for exchange in exchanges for side in _sides(exchange)]
    curves += [target for exchange in exchanges if (target := _target(exchange, column, shift)) is not None]
    limit = None if extreme is None else float(getattr(extreme, name))
    return panel_axis(np.concatenate(curves) if curves else np.empty(0), limit)


def _target(exchange: HeardExchange, column: int, shift: Vad | None) -> npt.NDArray[np.float64] | None:
    """The balanced curve of a dimension; ``None`` where the user is not extreme in it."""
    name = DIMENSIONS[column]
    if name not in exchange.extreme or shift is None:
        return None
    return np.asarray(np.clip(exchange.user.points[:, column] + float(getattr(shift, name)), -1, 1))


def _sides(exchange: HeardExchange) -> list[HeardSide]:
    return [side for side in (exchange.user, exchange.agent) if side.times.size]


def _frame(column: int, top: float) -> Frame:
    width = (WIDTH - RIGHT - 3 * LEFT - 2 * GAP) / 3
    left = LEFT + column * (width + LEFT + GAP)
    return Frame(left + width, top + HEAD + ROW, left, 0.0, top + HEAD, 0.0)


def _title(exchange: HeardExchange, number: int, language: Language) -> str:
    word = words(language, "report")
    given = [(name, exchange.scores[name]) for name in ("ECS", "EBS", "ESS", "ERS") if name in exchange.scores]
    scores = [f"{name} {figure(round(one.value, 2)) if one.needed else word('not_needed')}" for name, one in given]
    emotions = [side.emotion for side in (exchange.user, exchange.agent)]
    heard = [" → ".join(named(emotion, language) or UNDEFINED for emotion in emotions)] if any(emotions) else []
    return " · ".join([word("turn", number=number), *heard, *_verdict_shown(exchange, language), *scores])


def _verdict_shown(exchange: HeardExchange, language: Language) -> list[str]:
    """The verdict on a turn in words; nothing where there is none, as in runs of earlier versions."""
    verdict, word = exchange.verdict, words(language, "dialogue")
    if verdict is None:
        return []
    fit = fit_word(verdict.reaction)
    number = f"{score_name('reaction', language)} {figure(round(verdict.reaction.value, 2))}"
    shown = [f"{number} {word(fit.value)}"] if fit is not None else []
    return [*shown, word("in_kind")] if verdict.lifts else shown


def _cell(
    exchange: HeardExchange,
    column: int,
    axis: Axis,
    frame: Frame,
    seconds: float,
    extreme: Vad | None,
    shift: Vad | None,
    language: Language,
) -> Cell:
    name = DIMENSIONS[column]
    is_extreme = name in exchange.extreme
    user, agent = exchange.user.points[:, column], exchange.agent.points[:, column]
    target = _target(exchange, column, shift)
    at_user, at_agent = exchange.user.times / seconds, exchange.agent.times / seconds
    lines = [Line("user", _path(frame, axis, at_user, user)), Line("agent", _path(frame, axis, at_agent, agent))]
    if target is not None:
        lines.insert(0, Line("target", _path(frame, axis, at_user, target)))
    compared = target if target is not None and column == 2 else user if column < 2 else None
    return Cell(
        named(name, language),
        frame,
        time_ticks(frame, seconds),
        tuple(Tick(frame.up(axis.part(mark)), figure(mark)) for mark in value_marks(axis)),
        _zone(frame, axis, name, extreme, reached=is_extreme),
        "" if compared is None else _links(frame, axis, at_user, compared, at_agent, agent),
        tuple(lines),
        (*_dots("user", frame, axis, at_user, user), *_dots("agent", frame, axis, at_agent, agent)),
    )


def _path(frame: Frame, axis: Axis, at: npt.NDArray[np.float64], values: npt.NDArray[np.float64]) -> str:
    return line_path(frame, at, axis.parts(values)) if values.size else ""


def _zone(frame: Frame, axis: Axis, name: str, extreme: Vad | None, *, reached: bool) -> Zone | None:
    if extreme is None:
        return None
    limit = frame.up(axis.part(getattr(extreme, name)))
    top, bottom = (frame.top, limit) if name == "arousal" else (limit, frame.base)
    return Zone(frame.left, top, round(frame.end - frame.left, 2), round(bottom - top, 2), reached)


def _links(
    frame: Frame,
    axis: Axis,
    at_user: npt.NDArray[np.float64],
    user: npt.NDArray[np.float64],
    at_agent: npt.NDArray[np.float64],
    agent: npt.NDArray[np.float64],
) -> str:
    """Lines between the points that are compared."""
    if not user.size or not agent.size:
        return ""
    pairs = dtw_path(user, agent)
    pairs = pairs[:: -(-len(pairs) // MOST_LINKS)]

    def point(at: npt.NDArray[np.float64], values: npt.NDArray[np.float64], place: int) -> str:
        return f"{frame.across(at[place]):g} {frame.up(axis.part(values[place])):g}"

    return "".join(f"M{point(at_user, user, i)}L{point(at_agent, agent, j)}" for i, j in pairs.tolist())


def _dots(
    kind: str, frame: Frame, axis: Axis, at: npt.NDArray[np.float64], values: npt.NDArray[np.float64]
) -> tuple[Dot, ...]:
    if values.size > _MOST_POINTS_WITH_DOTS:
        return ()
    return tuple(
        Dot(kind, frame.across(place), frame.up(axis.part(value)), figure(value))
        for place, value in zip(at.tolist(), values.tolist(), strict=True)
    )
