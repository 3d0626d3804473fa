"""webMUSHRA: configurations (YAML) and results (CSV), in and out.

Pages of the type ``mushra`` become items of a MUSHRA test: the reference, its hidden copy, the anchors that webMUSHRA
would make (low-pass at 3.5 and 7 kHz, ``createAnchor35``, ``createAnchor70``) and the stimuli, rated from 0 to 100.
Pages of the type ``paired_comparison`` become choices between two. One configuration makes one task; pages that only
show something are left out. Results are rows of ``session_test_id, trial_id, rating_stimulus, rating_score``.
"""

import csv
import html
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from aptone.audio import read, write
from aptone.audio.degrade import low_pass
from aptone.errors import RecordError
from aptone.files import make_folder
from aptone.messages import message
from aptone.ratings.listening_tests import HIDDEN_REFERENCE, LOW_ANCHOR, MID_ANCHOR, REFERENCE
from aptone.ratings.tasks import dump_older_yaml, load_yaml
from aptone.run.tables import csv_cell
from aptone.studio.exchange.flat_answers import label_of, plain_name
from aptone.studio.exchange.tool_files import copied_clip, text_file, write_file
from aptone.types import AudioRef, Control, Json, Rating, RatingItem, RatingTask, Shown, is_finite_number

ANCHORS = {"createAnchor35": ("anchor35", 3500.0), "createAnchor70": ("anchor70", 7000.0)}
CONDITIONS, QUALITY = "conditions", "quality"
PAIR, BETTER = "stimuli", "better"
SILENT_PAGES = ("generic", "volume", "finish", "consent")
RESULTS = "mushra.csv"
COLUMNS = (
    "session_test_id",
    "session_uuid",
    "trial_id",
    "rating_stimulus",
    "rating_score",
    "rating_time",
    "rating_comment",
)


def read_webmushra(path: Path, *, name: str = "", folder: Path) -> tuple[RatingTask, list[Rating]]:
    """Read a configuration of webMUSHRA, and the results beside it where there are any.

    Args:
        path: configuration (YAML); the sounds lie relative to it, or to the folder above it.
        folder: where anchors are written.

    Raises:
        RecordError: if it cannot be understood, has pages of both kinds, or asks something that the studio cannot.
    """
    config = load_yaml(text_file(path), what=str(path))
    pages = list(_pages(config.get("pages"))) if isinstance(config, Mapping) else []
    kinds = {str(page.get("type")) for page in pages} - set(SILENT_PAGES)
    if not isinstance(config, Mapping) or len(kinds) != 1 or not kinds <= {"mushra", "paired_comparison"}:
        raise RecordError(message("exchange.no-webmushra", name=path, kinds=", ".join(sorted(kinds)) or "–"))
    title = name or plain_name(str(config.get("testId") or path.stem))
    rated = [page for page in pages if page.get("type") in kinds]
    words = {"en": str(config.get("testname") or title)}
    guide = {"en": "\n\n".join(_plain_text(page) for page in pages if page.get("type") == "generic")}
    if kinds == {"mushra"}:
        items = tuple(_mushra_item(page, path, folder) for page in rated)
        asked = Control(QUALITY, "ratings", {"en": "Quality"}, low=0, high=100, step=1, prefill=CONDITIONS)
        shown = (Shown(CONDITIONS, "switch", reference=REFERENCE),)
        task = RatingTask(title, words, guide, shown, (asked,), items, test="mushra")
    else:
        items = tuple(_pair_item(page, path) for page in rated)
        choice = Control(BETTER, "preference", {"en": "Which one is better?"}, prefill=PAIR)
        task = RatingTask(title, words, guide, (Shown(PAIR, "pair"),), (choice,), items)
    results = path.parent / RESULTS
    return task, read_results(results, task) if results.is_file() else []


def _pages(pages: Json) -> Iterator[Mapping[str, Json]]:
    """Yield the pages in order; lists, which webMUSHRA shuffles where they begin with ``random``, are opened."""
    for page in pages if isinstance(pages, list) else []:
        if isinstance(page, Mapping):
            yield page
        elif isinstance(page, list):
            yield from _pages(page)


def _plain_text(page: Mapping[str, Json]) -> str:
    """Return the text of a page without its markup."""
    text = str(page.get("content") or "")
    out, depth = [], 0
    for sign in text:
        depth += sign == "<"
        if not depth:
            out.append(sign)
        depth -= sign == ">" and depth > 0
    return " ".join("".join(out).split())


def _mushra_item(page: Mapping[str, Json], path: Path, folder: Path) -> RatingItem:
    where = str(page.get("id") or page.get("name") or "")
    reference = _sound(page.get("reference"), path, where)
    audio = {REFERENCE: reference, HIDDEN_REFERENCE: reference}
    for key, (name, cutoff) in ANCHORS.items():
        if page.get(key) is True:
            audio[name] = _anchor(reference, folder / f"{plain_name(where)}-{name}.wav", cutoff)
    audio |= {str(name): _sound(value, path, where) for name, value in _stimuli(page, where).items()}
    conditions = [name for name in audio if name != REFERENCE]
    return RatingItem(where, audio, {CONDITIONS: list(conditions)}, {"systems": {name: name for name in conditions}})


def _pair_item(page: Mapping[str, Json], path: Path) -> RatingItem:
    where = str(page.get("id") or page.get("name") or "")
    audio = {str(name): _sound(value, path, where) for name, value in _stimuli(page, where).items()}
    if page.get("reference"):
        audio = {REFERENCE: _sound(page.get("reference"), path, where), **audio}
    if len(audio) != 2:
        raise RecordError(message("exchange.not-a-pair", name=where, count=len(audio)))
    return RatingItem(where, audio, {PAIR: list(audio)}, {"systems": {name: name for name in audio}})


def _stimuli(page: Mapping[str, Json], where: str) -> Mapping[str, Json]:
    stimuli = page.get("stimuli")
    if not where or not isinstance(stimuli, Mapping) or not stimuli:
        raise RecordError(message("exchange.no-stimuli", name=where or "–"))
    return stimuli


def _sound(value: Json, path: Path, where: str) -> AudioRef:
    """Find a sound beside the configuration, or in the folder above, where webMUSHRA's own files lie."""
    name = str(value or "")
    for root in (path.parent, path.parent.parent):
        if name and "://" not in name and (root / name).is_file():
            return AudioRef(str((root / name).absolute()))
    raise RecordError(message("exchange.no-sound", name=where, file=name))


def _anchor(reference: AudioRef, target: Path, cutoff: float) -> AudioRef:
    make_folder(target.parent)
    write(target, low_pass(read(reference.path, rate=None), cutoff=cutoff))
    return AudioRef(str(target.absolute()))


def read_results(path: Path, task: RatingTask) -> list[Rating]:
    """Read the results of a MUSHRA test (CSV), one row a stimulus; the session is the rater.

    Raises:
        RecordError: if a column is missing, or a row is about something that the task does not have.
    """
    rows = csv.DictReader(io.StringIO(text_file(path)))
    missing = {"trial_id", "rating_stimulus", "rating_score"} - set(rows.fieldnames or ())
    if missing:
        raise RecordError(message("exchange.no-columns", name=path, names=", ".join(sorted(missing))))
    items = {item.id: item for item in task.items}
    found: dict[tuple[str, str], dict[str, Json]] = {}
    times: dict[tuple[str, str], float] = {}
    for number, row in enumerate(rows, start=2):
        item, stimulus = str(row.get("trial_id")), str(row.get("rating_stimulus"))
        if item not in items or _condition(stimulus) not in items[item].audio:
            raise RecordError(message("exchange.unknown-stimulus", name=path, number=number, what=f"{item}/{stimulus}"))
        try:
            score = float(str(row.get("rating_score")))
        except ValueError:
            score = math.nan
        if not math.isfinite(score):
            raise RecordError(message("exchange.not-a-number", name=f"{path}:{number}", what=row.get("rating_score")))
        who = str(row.get("session_uuid") or row.get("email") or row.get("session_test_id") or "")
        found.setdefault((item, who), {})[_condition(stimulus)] = score
        times[item, who] = _milliseconds(row.get("rating_time")) / 1000
    return [
        Rating(task.name, item, who, {QUALITY: answers}, seconds=times[item, who])
        for (item, who), answers in found.items()
    ]


def _condition(stimulus: str) -> str:
    """Return the name of a stimulus in an item: webMUSHRA calls the hidden reference ``reference``."""
    return HIDDEN_REFERENCE if stimulus == REFERENCE else stimulus


def _milliseconds(value: str | None) -> float:
    try:
        return float(value or "nan")
    except ValueError:
        return math.nan


def write_webmushra(task: RatingTask, ratings: Sequence[Rating], path: Path, *, folder: Path) -> None:
    """Write a MUSHRA test for webMUSHRA, and its results as webMUSHRA does.

    ``configs/`` and ``clips/`` go into webMUSHRA's own folder; ``mushra.csv`` holds the results. The anchors of
    ITU-R BS.1534 are left to webMUSHRA, which makes them of the reference as the studio does.

    Raises:
        RecordError: if the task asks for no ratings of a set, or shows no reference with it.
    """
    asked = next((one for one in task.controls if one.kind == "ratings"), None)
    shown = next((one for one in task.shown if one.reference), None)
    if asked is None or shown is None:
        raise RecordError(message("exchange.no-mushra", name=repr(task.name)))
    pages = [_page(item, asked, shown, path, folder) for item in task.items]
    write_file(path / "configs" / f"{plain_name(task.name)}.yaml", dump_older_yaml(_config(task, pages)))
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(COLUMNS)
    for rating in ratings:
        answers = rating.answers.get(asked.name)
        spent = round(rating.seconds * 1000) if is_finite_number(rating.seconds) else ""
        for clip, number in answers.items() if isinstance(answers, Mapping) else ():
            row = (task.name, rating.rater, rating.item, _STIMULI.get(clip, clip), number, spent, "")
            writer.writerow([csv_cell(cell) for cell in row])
    write_file(path / RESULTS, lines.getvalue())


_STIMULI = {HIDDEN_REFERENCE: REFERENCE, LOW_ANCHOR: "anchor35", MID_ANCHOR: "anchor70"}
"""Names of conditions that webMUSHRA gives by itself."""


def _page(item: RatingItem, asked: Control, shown: Shown, path: Path, folder: Path) -> dict[str, Json]:
    clips = item.fields.get(asked.prefill)
    conditions = [str(clip) for clip in clips] if isinstance(clips, list | tuple) else []
    stimuli: dict[str, Json] = {
        clip: copied_clip(item.audio[clip], path, folder) for clip in conditions if clip not in _STIMULI
    }
    return {
        "type": "mushra",
        "id": item.id,
        "name": str(item.fields.get("line") or item.id),
        "content": "",
        "showWaveform": False,
        "enableLooping": True,
        "reference": copied_clip(item.audio[shown.reference], path, folder),
        "createAnchor35": LOW_ANCHOR in conditions,
        "createAnchor70": MID_ANCHOR in conditions,
        "stimuli": stimuli,
    }


def _config(task: RatingTask, pages: Sequence[dict[str, Json]]) -> dict[str, Json]:
    guide = "".join(f"<p>{html.escape(part)}</p>" for part in label_of(task.guide, "").split("\n\n") if part)
    title = label_of(task.title, task.name)
    welcome: dict[str, Json] = {"type": "generic", "id": "guide", "name": title, "content": guide}
    ended: dict[str, Json] = {"type": "finish", "name": "Thank you", "content": "", "showResults": False}
    return {
        "testname": title,
        "testId": task.name,
        "bufferSize": 2048,
        "stopOnErrors": True,
        "showButtonPreviousPage": True,
        "remoteService": "service/write.php",
        "pages": [welcome, ["random", *pages], {**ended, "writeResults": True}],
    }
