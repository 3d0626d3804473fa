"""Label Studio: a project as a labelling configuration (XML) and tasks with annotations (JSON), in and out.

Out: ``config.xml``, ``tasks.json`` and ``clips/``. In: the two files, whose sounds are local files. ``Audio``,
``Text``, ``HyperText``, ``Header``, ``Choices`` (one answer), ``Rating``, ``Number`` and ``TextArea`` are understood,
and ``Labels`` on a sound as its start and end. What else a configuration asks is named and refused: no answer is
lost in silence. XML with a document type or entities is refused.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.etree import ElementTree  # nosec B405  (documents with a doctype are refused before they are parsed)

from aptone.errors import RecordError
from aptone.messages import message
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
)

CONFIG, TASKS = "config.xml", "tasks.json"
LOCAL = "/data/local-files/?d="
"""Beginning of the address of a local file, as Label Studio serves it."""
ITEM = "item"
"""Key of a task's data with the id of the item."""
LABEL = "speech"


def write_label_studio(task: RatingTask, ratings: Sequence[Rating], path: Path, *, folder: Path) -> None:
    """Write a folder for Label Studio; people by pseudonym, hidden fields left out.

    Args:
        folder: project folder, where the clips lie.
    """
    questions = flat_questions(task)
    raters = list(dict.fromkeys(rating.rater for rating in ratings))
    by_item: dict[str, list[Rating]] = {}
    for rating in ratings:
        by_item.setdefault(rating.item, []).append(rating)
    tasks: list[Json] = []
    target = next(iter(_objects(task)), ITEM)
    for number, item in enumerate(task.items, start=1):
        annotations: list[Json] = [
            _annotation(questions, item, rating, raters.index(rating.rater) + 1, target)
            for rating in by_item.get(item.id, [])
        ]
        tasks.append({"id": number, "data": _data(task, item, path, folder), "annotations": annotations})
    write_file(path / CONFIG, _config(task, questions))
    write_file(path / TASKS, dumps(tasks, indent=1) + "\n")


def _config(task: RatingTask, questions: Sequence[FlatQuestion]) -> str:
    view = ElementTree.Element("View")
    ElementTree.SubElement(view, "Header", value=label_of(task.title, task.name))
    names = _objects(task) or {ITEM: "Text"}
    for name, tag in names.items():
        ElementTree.SubElement(view, "Header", value=name)
        ElementTree.SubElement(view, tag, name=name, value=f"${name}")
    target = next(iter(names))
    for question in questions:
        ElementTree.SubElement(view, "Header", value=question.label)
        _question(view, question, target)
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode") + "\n"


_TAGS = {"audio": "Audio", "text": "Text"}


def _objects(task: RatingTask) -> dict[str, str]:
    """Map the name of every thing that is shown to its tag."""
    return {name: _TAGS[kind] for name, kind in shown_kinds(task).items()}


def _question(view: ElementTree.Element, question: FlatQuestion, target: str) -> None:
    required = "true" if question.control.required else "false"
    about: dict[str, str] = {"name": question.name, "toName": target, "required": required}
    if question.kind == "number":
        low, high, step = number_ends(question)
        ElementTree.SubElement(view, "Number", about | {"min": f"{low:g}", "max": f"{high:g}", "step": f"{step:g}"})
    elif question.kind == "choice":
        choices = ElementTree.SubElement(view, "Choices", about | {"choice": "single-radio"})
        for value, label in question.choices.items():
            ElementTree.SubElement(choices, "Choice", value=label, alias=value)
    elif question.kind == "times":
        labels = ElementTree.SubElement(view, "Labels", name=question.name, toName=target)
        ElementTree.SubElement(labels, "Label", value=LABEL)
    else:
        ElementTree.SubElement(view, "TextArea", about | {"rows": "3", "maxSubmissions": "1"})


def _data(task: RatingTask, item: RatingItem, path: Path, folder: Path) -> dict[str, Json]:
    clips = shown_clips(task, item)
    sounds = {name: f"{LOCAL}{copied_clip(clip, path, folder)}" for name, clip in clips.items()}
    return {ITEM: item.id, **sounds, **shown_texts(task, item)}


def _annotation(
    questions: Sequence[FlatQuestion], item: RatingItem, rating: Rating, number: int, target: str
) -> dict[str, Json]:
    values = flat_values(questions, item, rating.answers)
    results: list[Json] = [_result(one, values[one.name], target) for one in questions if one.name in values]
    who: dict[str, Json] = {"id": number, "email": f"{rating.rater.lower()}@raters.invalid", "first_name": rating.rater}
    made: dict[str, Json] = {"completed_by": who, "result": results, "was_cancelled": False}
    if is_finite_number(rating.seconds):
        made["lead_time"] = rating.seconds
    if rating.finished:
        made["created_at"] = rating.finished
    return made


def _result(question: FlatQuestion, value: Json, target: str) -> dict[str, Json]:
    kinds = {"number": "number", "choice": "choices", "text": "textarea", "times": "labels"}
    values: dict[str, Json] = {"number": value} if question.kind == "number" else {}
    if question.kind == "choice":
        values = {"choices": [value]}
    elif question.kind == "text":
        values = {"text": [value]}
    elif question.kind == "times" and isinstance(value, list):
        values = {"start": value[0], "end": value[1], "labels": [LABEL]}
    named: dict[str, Json] = {"from_name": question.name, "type": kinds[question.kind], "value": values}
    return {"id": question.name[:20], "to_name": target, **named}


def read_label_studio(path: Path, *, config: Path | None = None, name: str = "") -> tuple[RatingTask, list[Rating]]:
    """Read a folder or a file of tasks of Label Studio, and the annotations in it.

    Args:
        path: folder with ``config.xml`` and ``tasks.json``, or a file of tasks (JSON).
        config: labelling configuration; by default ``config.xml`` beside the tasks.

    Raises:
        RecordError: if it cannot be understood, or asks something that the studio cannot; the message names it.
    """
    tasks = path / TASKS if path.is_dir() else path
    source = config or tasks.parent / CONFIG
    shown, controls, keys = _parse_config(text_file(source), str(source))
    given = json_file(tasks)
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        raise RecordError(message("exchange.no-tasks", name=tasks))
    items, ratings = [], []
    title = name or plain_name(tasks.parent.name)
    for number, one in enumerate(given, start=1):
        if not isinstance(one, Mapping) or not isinstance(one.get("data"), Mapping):
            raise RecordError(message("exchange.no-data", name=tasks, number=number))
        items.append(_item(one, number, shown, keys, tasks.parent))
    task = RatingTask(title, {"en": title}, {}, tuple(shown), tuple(controls), tuple(items))
    questions = flat_questions(task)
    for one, item in zip(given, items, strict=True):
        ratings += list(_ratings(one, item, title, questions)) if isinstance(one, Mapping) else []
    return task, ratings


def _parse_config(text: str, where: str) -> tuple[list[Shown], list[Control], dict[str, str]]:
    """Return what is shown, what is asked, and the key of the data that fills each thing shown."""
    if re.search(r"<!(DOCTYPE|ENTITY)", text, re.IGNORECASE):
        raise RecordError(message("exchange.xml-doctype", name=where))
    try:
        root = ElementTree.fromstring(text)  # noqa: S314  # nosec B314
    except ElementTree.ParseError as error:
        raise RecordError(message("exchange.no-xml", name=where, why=error)) from None
    shown: list[Shown] = []
    controls: list[Control] = []
    keys: dict[str, str] = {}
    for element in root.iter():
        name, value = element.get("name", ""), element.get("value", "")
        if element.tag in ("Audio", "AudioPlus", "Text", "HyperText") and value.startswith("$"):
            kind: Any = "audio" if element.tag.startswith("Audio") else "text"
            shown.append(Shown(name or value[1:], kind))
            keys[name or value[1:]] = value[1:]
        elif element.tag in ("Choices", "Rating", "Number", "TextArea", "Labels"):
            controls.append(_control(element, name, where))
        elif element.tag not in _PLAIN_TAGS:
            raise RecordError(message("exchange.tag-not-known", name=where, tag=element.tag))
    if not controls:
        raise RecordError(message("exchange.no-questions", name=where))
    return shown, controls, keys


_PLAIN_TAGS = ("View", "Header", "Choice", "Label", "Style", "Collapse", "Panel", "Paragraphs", "Shortcut")


def _control(element: ElementTree.Element, name: str, where: str) -> Control:
    required = element.get("required", "false").lower() == "true"
    label = {"en": element.get("title") or name}
    if element.tag == "Choices":
        if element.get("choice", "single").startswith("multiple"):
            raise RecordError(message("exchange.many-choices", name=where, question=name))
        found = [
            (one.get("alias") or one.get("value", "") or "", one.get("value", "")) for one in element.iter("Choice")
        ]
        return Control(
            name,
            "choice",
            label,
            choices=tuple(Choice(value, {"en": said}) for value, said in found),
            required=required,
        )
    if element.tag == "Rating":
        return Control(name, "scale", label, low=1, high=_float(element, "maxRating", 5), step=1, required=required)
    if element.tag == "Number":
        low, high = _float(element, "min", 0), _float(element, "max", 100)
        return Control(name, "scale", label, low=low, high=high, step=_float(element, "step", 1), required=required)
    if element.tag == "Labels":
        return Control(name, "boundaries", label, required=required)
    return Control(name, "text", label, required=required)


def _float(element: ElementTree.Element, name: str, otherwise: float) -> float:
    try:
        return float(element.get(name, otherwise))
    except ValueError:
        return otherwise


def _item(
    one: Mapping[str, Json], number: int, shown: Sequence[Shown], keys: Mapping[str, str], folder: Path
) -> RatingItem:
    data = one["data"]
    assert isinstance(data, Mapping)
    audio, fields = {}, {}
    for thing in shown:
        value = data.get(keys[thing.name])
        if thing.kind == "audio":
            audio[thing.name] = AudioRef(str((folder / _local_path(str(value or ""), number)).absolute()))
        else:
            fields[thing.name] = str(value or "")
    used = {*keys.values(), ITEM}
    hidden = {name: value for name, value in data.items() if name not in used}
    return RatingItem(str(data.get(ITEM) or one.get("id") or number), audio, fields, hidden)


def _local_path(address: str, number: int) -> str:
    """Return the path of a local file; sounds of other machines are not fetched."""
    if address.startswith(LOCAL.partition("?")[0]):
        found = parse_qs(urlsplit(address).query).get("d", [""])[0]
    elif address.startswith("/data/upload/"):
        found = PurePosixPath(unquote(urlsplit(address).path)).name
    else:
        found = address
    if not found or "://" in found:
        raise RecordError(message("exchange.not-local", number=number, name=address[:100]))
    return found


def _ratings(
    one: Mapping[str, Json], item: RatingItem, task: str, questions: Sequence[FlatQuestion]
) -> Iterator[Rating]:
    annotations = one.get("annotations", one.get("completions", []))
    for place, annotation in enumerate(annotations if isinstance(annotations, Sequence) else []):
        if not isinstance(annotation, Mapping) or annotation.get("was_cancelled"):
            continue
        values: dict[str, Json] = {}
        results = annotation.get("result")
        for result in results if isinstance(results, Sequence) else []:
            if isinstance(result, Mapping):
                values[plain_name(str(result.get("from_name", "")))] = _plain_value(result.get("value"))
        answers = answers_from_flat(questions, item, values)
        if answers:
            seconds = annotation.get("lead_time")
            yield Rating(
                task,
                item.id,
                _rater(annotation.get("completed_by"), place),
                answers,
                seconds=float(seconds) if is_finite_number(seconds) else float("nan"),
                finished=str(annotation.get("created_at") or ""),
            )


def _plain_value(value: Json) -> Json:
    if not isinstance(value, Mapping):
        return None
    if "start" in value and "end" in value:
        return [value["start"], value["end"]]
    for name in ("number", "rating"):
        if name in value:
            return value[name]
    for name in ("choices", "text"):
        found = value.get(name)
        if isinstance(found, str):
            return found
        if isinstance(found, Sequence) and found:
            return "\n".join(map(str, found)) if name == "text" else found[0]
    return None


def _rater(who: Json, place: int) -> str:
    if isinstance(who, Mapping):
        return str(who.get("first_name") or who.get("email") or who.get("id") or f"annotator {place + 1}")
    return f"annotator {place + 1}" if who is None else f"annotator {who}"
