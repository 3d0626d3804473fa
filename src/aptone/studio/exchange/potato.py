"""Potato (the annotation tool): a project as its configuration, data and annotations, in and out.

Out: ``config.yaml``, ``data/items.jsonl``, ``clips/`` and what people answered under ``annotation_output/PSEUDONYM/``,
as both generations of the tool keep it (``user_state.json``, and ``annotated_instances.jsonl``). In: a configuration,
whose schemes of the types ``likert``, ``radio``, ``select``, ``slider``, ``number`` and ``text`` are understood, its
data files, and the same two kinds of annotations.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from aptone.errors import RecordError
from aptone.messages import message
from aptone.ratings.tasks import dump_older_yaml, load_yaml
from aptone.run.sources.manifest import manifest_records
from aptone.studio.exchange.flat_answers import (
    FlatQuestion,
    answers_from_flat,
    flat_questions,
    flat_values,
    label_of,
    number_ends,
    plain_name,
)
from aptone.studio.exchange.shown_things import shown_clips, shown_kinds, shown_texts
from aptone.studio.exchange.tool_files import copied_clip, json_file, text_file, write_file
from aptone.types import (
    AudioRef,
    Choice,
    Control,
    Json,
    Rating,
    RatingItem,
    RatingTask,
    Shown,
    dumps,
    is_finite_number,
    json_or_text,
)

CONFIG, DATA, OUTPUT = "config.yaml", "data/items.jsonl", "annotation_output"
STATE, INSTANCES = "user_state.json", "annotated_instances.jsonl"
ID, TEXT = "id", "text"
TEXT_LABEL = "text_box"
SOUNDS = (".wav", ".flac", ".ogg", ".opus", ".mp3", ".m4a")


def write_potato(task: RatingTask, ratings: Sequence[Rating], path: Path, *, folder: Path) -> None:
    """Write a project folder of Potato; people by pseudonym, hidden fields left out."""
    questions = flat_questions(task)
    write_file(path / CONFIG, dump_older_yaml(_config(task, questions)))
    rows = [dumps(_row(task, item, path, folder)) for item in task.items]
    write_file(path / DATA, "".join(f"{row}\n" for row in rows))
    items = {item.id: item for item in task.items}
    by_rater: dict[str, list[Rating]] = {}
    for rating in ratings:
        by_rater.setdefault(rating.rater, []).append(rating)
    for rater, given in by_rater.items():
        labels = {one.item: _labels(questions, flat_values(questions, items[one.item], one.answers)) for one in given}
        place = path / OUTPUT / rater
        write_file(place / STATE, dumps(_state(rater, labels), indent=1) + "\n")
        lines = [dumps(_instance(one, labels[one.item])) for one in given]
        write_file(place / INSTANCES, "".join(f"{line}\n" for line in lines))


def _config(task: RatingTask, questions: Sequence[FlatQuestion]) -> dict[str, Json]:
    displayed = shown_kinds(task) or {TEXT: "text"}
    shown: list[Json] = [{"key": name, "type": kind, "label": name} for name, kind in displayed.items()]
    return {
        "annotation_task_name": label_of(task.title, task.name),
        "task_dir": ".",
        "output_annotation_dir": f"{OUTPUT}/",
        "output_annotation_format": "json",
        "data_files": [DATA],
        "item_properties": {"id_key": ID, "text_key": TEXT},
        "user_config": {"allow_all_users": True, "users": []},
        "alert_time_each_instance": 10_000_000,
        "instance_display": {"fields": shown},
        "annotation_schemes": [_scheme(one) for one in questions],
    }


def _scheme(question: FlatQuestion) -> dict[str, Json]:
    about: dict[str, Json] = {"name": question.name, "description": question.label}
    if question.control.required:
        about["label_requirement"] = {"required": True}
    if question.kind == "choice":
        labels: list[Json] = [{"name": value, "displayed_label": label} for value, label in question.choices.items()]
        return {**about, "annotation_type": "radio", "labels": labels}
    if question.kind == "number":
        low, high, step = number_ends(question)
        if (low, step) == (1.0, 1.0) and high <= 10:
            ends: dict[str, Json] = {"size": int(high), "min_label": f"{low:g}", "max_label": f"{high:g}"}
            return {**about, "annotation_type": "likert", **ends}
        return {**about, "annotation_type": "number", "min_value": low, "max_value": high, "step": step}
    return {**about, "annotation_type": "text"}


def _row(task: RatingTask, item: RatingItem, path: Path, folder: Path) -> dict[str, Json]:
    sounds = {name: copied_clip(clip, path, folder) for name, clip in shown_clips(task, item).items()}
    texts = shown_texts(task, item)
    return {ID: item.id, TEXT: next(iter(texts.values()), item.id), **sounds, **texts}


def _labels(questions: Sequence[FlatQuestion], values: Mapping[str, Json]) -> dict[str, dict[str, str]]:
    """Map scheme to label and value, as Potato stores answers."""
    found = {}
    for question in questions:
        if (value := values.get(question.name)) is None:
            continue
        if question.kind == "number":
            number = f"{value:g}" if is_finite_number(value) else str(value)
            found[question.name] = {number if _scheme(question)["annotation_type"] == "likert" else "number": number}
        elif question.kind == "choice":
            found[question.name] = {str(value): str(value)}
        else:
            text = " ".join(f"{one:g}" for one in value) if isinstance(value, list) else str(value)
            found[question.name] = {TEXT_LABEL: text}
    return found


def _state(rater: str, labels: Mapping[str, Mapping[str, Mapping[str, str]]]) -> dict[str, Any]:
    values = {
        item: [[{"schema": scheme, "name": name}, value] for scheme, one in by.items() for name, value in one.items()]
        for item, by in labels.items()
    }
    return {
        "user_id": rater,
        "instance_id_ordering": list(labels),
        "current_instance_index": max(0, len(labels) - 1),
        "current_phase_and_page": ["annotation", "annotation"],
        "completed_phase_and_pages": [],
        "max_assignments": -1,
        "instance_id_to_behavioral_data": {},
        "instance_id_to_label_to_value": values,
        "instance_id_to_span_to_value": {},
        "phase_to_page_to_label_to_value": {},
        "phase_to_page_to_span_to_value": {},
    }


def _instance(rating: Rating, labels: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    seconds = {"time": f"{rating.seconds:.1f}"} if is_finite_number(rating.seconds) else {}
    return {
        "id": rating.item,
        "displayed_text": "",
        "label_annotations": {scheme: dict(one) for scheme, one in labels.items()},
        "span_annotations": {},
        "behavioral_data": seconds,
    }


def read_potato(path: Path, *, name: str = "") -> tuple[RatingTask, list[Rating]]:
    """Read a project of Potato, by its folder or configuration, and what people answered in it.

    Raises:
        RecordError: if it cannot be understood, or asks something that the studio cannot; the message names it.
    """
    source = path / CONFIG if path.is_dir() else path
    config = load_yaml(text_file(source), what=str(source))
    if not isinstance(config, Mapping):
        raise RecordError(message("exchange.no-potato", name=source))
    root = source.parent / str(config.get("task_dir", "."))
    schemes = config.get("annotation_schemes")
    controls = tuple(_control(one, source) for one in schemes) if isinstance(schemes, list) else ()
    if not controls:
        raise RecordError(message("exchange.no-questions", name=source))
    shown = tuple(_shown(config))
    items = tuple(_items(config, shown, root, source))
    title = name or plain_name(str(config.get("annotation_task_name") or source.parent.name))
    task = RatingTask(title, {"en": str(config.get("annotation_task_name") or title)}, {}, shown, controls, items)
    return task, list(_ratings(task, root / str(config.get("output_annotation_dir", OUTPUT))))


def _control(scheme: Json, source: Path) -> Control:
    if not isinstance(scheme, Mapping):
        raise RecordError(message("exchange.no-potato", name=source))
    name, kind = str(scheme.get("name", "")), scheme.get("annotation_type")
    label = {"en": str(scheme.get("description") or name)}
    rule = scheme.get("label_requirement")
    required = isinstance(rule, Mapping) and bool(rule.get("required"))
    if kind == "likert":
        size = scheme.get("size")
        return Control(
            name, "scale", label, low=1, high=float(size) if is_finite_number(size) else 5, step=1, required=required
        )
    if kind in ("slider", "number"):
        low, high, step = (scheme.get(key) for key in ("min_value", "max_value", "step"))
        ends = [float(one) if is_finite_number(one) else otherwise for one, otherwise in ((low, 0.0), (high, 100.0))]
        return Control(
            name,
            "scale",
            label,
            low=ends[0],
            high=ends[1],
            step=float(step) if is_finite_number(step) else 1,
            required=required,
        )
    if kind in ("radio", "select"):
        return Control(name, "choice", label, choices=tuple(_choices(scheme.get("labels"))), required=required)
    if kind in ("text", "textbox"):
        return Control(name, "text", label, required=required)
    raise RecordError(message("exchange.scheme-not-known", name=source, scheme=name, kind=str(kind)))


def _choices(labels: Json) -> Iterator[Choice]:
    for one in labels if isinstance(labels, list) else []:
        value = str(one.get("name", "")) if isinstance(one, Mapping) else str(one)
        shown = str(one.get("displayed_label") or value) if isinstance(one, Mapping) else value
        yield Choice(value, {"en": shown})


def _shown(config: Mapping[str, Json]) -> Iterator[Shown]:
    display = config.get("instance_display")
    fields = display.get("fields") if isinstance(display, Mapping) else None
    if isinstance(fields, list) and fields:
        for one in fields:
            if isinstance(one, Mapping):
                kind: Any = "audio" if one.get("type") == "audio" else "text"
                yield Shown(str(one.get("key", "")), kind)
        return
    properties = config.get("item_properties")
    key = str(properties.get("text_key", TEXT)) if isinstance(properties, Mapping) else TEXT
    yield Shown(key, "text")


def _items(config: Mapping[str, Json], shown: Sequence[Shown], root: Path, source: Path) -> Iterator[RatingItem]:
    files, properties = config.get("data_files"), config.get("item_properties")
    id_key = str(properties.get("id_key", ID)) if isinstance(properties, Mapping) else ID
    for file in files if isinstance(files, list) else []:
        data = root / str(file)
        for where, row in manifest_records(data):
            if not isinstance(row, Mapping) or id_key not in row:
                raise RecordError(message("exchange.no-id", name=where, key=id_key))
            audio = {one.name: _clip(row.get(one.name), root, where) for one in shown if one.kind == "audio"}
            fields: dict[str, Json] = {one.name: str(row.get(one.name, "")) for one in shown if one.kind == "text"}
            used = {id_key, *(one.name for one in shown)}
            yield RatingItem(
                str(row[id_key]), audio, fields, {name: value for name, value in row.items() if name not in used}
            )


def _clip(value: Json, root: Path, where: str) -> AudioRef:
    if not isinstance(value, str) or not value or "://" in value:
        raise RecordError(message("exchange.no-local-clip", name=where))
    return AudioRef(str((root / value).absolute()))


def _ratings(task: RatingTask, output: Path) -> Iterator[Rating]:
    if not output.is_dir():
        return
    questions, items = flat_questions(task), {item.id: item for item in task.items}
    for folder in sorted(one for one in output.iterdir() if one.is_dir()):
        for item, labels, seconds in _answered(folder):
            if item not in items:
                raise RecordError(message("exchange.unknown-item", name=folder, item=repr(item)))
            values = {plain_name(scheme): _plain(questions, plain_name(scheme), one) for scheme, one in labels.items()}
            answers = answers_from_flat(questions, items[item], values)
            if answers:
                yield Rating(task.name, item, folder.name, answers, seconds=seconds)


def _answered(folder: Path) -> Iterator[tuple[str, Mapping[str, Mapping[str, Json]], float]]:
    """Yield item, scheme to label to value, and seconds, from what a person's folder has."""
    if (folder / STATE).is_file():
        state = json_file(folder / STATE)
        values = state.get("instance_id_to_label_to_value") if isinstance(state, Mapping) else None
        for item, pairs in values.items() if isinstance(values, Mapping) else ():
            found: dict[str, dict[str, Json]] = {}
            for pair in pairs if isinstance(pairs, list) else []:
                if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], Mapping):
                    found.setdefault(str(pair[0].get("schema")), {})[str(pair[0].get("name"))] = pair[1]
            yield item, found, float("nan")
        return
    if not (folder / INSTANCES).is_file():
        return
    for _, row in manifest_records(folder / INSTANCES):
        labels = row.get("label_annotations") if isinstance(row, Mapping) else None
        if isinstance(row, Mapping) and isinstance(labels, Mapping):
            known = {str(name): one for name, one in labels.items() if isinstance(one, Mapping)}
            yield str(row.get("id", "")), known, float("nan")


def _plain(questions: Sequence[FlatQuestion], scheme: str, labels: Mapping[str, Json]) -> Json:
    question = next((one for one in questions if one.name == scheme), None)
    if question is None or not labels:
        return None
    name, value = next(iter(labels.items()))
    if question.kind == "choice":
        return name
    if question.kind == "number":
        return json_or_text(str(value))
    return str(value)
