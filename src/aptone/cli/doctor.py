"""``aptone doctor``."""

import inspect
from collections.abc import Callable, Mapping
from importlib.metadata import version

import click

from aptone.cli.options.language import lang_option
from aptone.cli.options.studio import NEEDED
from aptone.cli.options.view import NEEDED as VIEW_NEEDED
from aptone.cli.output import json_option, print_json, print_rich
from aptone.ear import LICENCES, ear_name, load_ear
from aptone.ear.other import licence_of, make_model, other_names
from aptone.errors import AptoneError, MissingExtraError, RegistryError, UsageError
from aptone.installation import install_command, repair_command
from aptone.messages import MessageError, message, translate, words
from aptone.models import About, Engine
from aptone.models.parts import MODEL_KINDS, PartKind, make_part
from aptone.registry import GROUPS, Registry
from aptone.report.terminal import DoctorRow, doctor_table
from aptone.rooms.aptness.step import make_step
from aptone.rooms.room import Room
from aptone.run import surroundings
from aptone.types import Json, Language

PARTS = {
    "books": (About(("defusedxml", "markdown_it", "pypdf", "pysubs2"), "books"), message("cli.extra-books")),
    "formats": (About(("av",), "formats"), message("cli.extra-formats")),
    "frames": (About(("pandas", "polars"), "frames"), message("cli.extra-frames")),
    "speech": (About(("moonshine_voice",), "speech"), message("cli.extra-speech")),
    "studio": (About(NEEDED, "studio"), message("cli.extra-studio")),
    "view": (About(VIEW_NEEDED, "view"), message("cli.extra-view")),
    "train": (About(("torch", "transformers", "peft", "tensorboard"), "train"), message("cli.extra-train")),
    "ray": (About(("ray",), "ray"), message("cli.extra-ray")),
}
"""Extras that are not engines: what shows that they are there, and what they are for."""

BUILT_IN = ("built-in",)
"""Names of what comes with aptone itself and must work."""


@click.command()
@lang_option("Language of the table", default="en")
@json_option
def doctor(lang: Language, as_json: bool) -> None:
    """Say which engines, ears and models can run here, and what to install for the others."""
    registry = Registry("engines", Engine)
    engines = [_engine(name, registry) for name in registry]
    selected = _selected_ear()
    ears = [_ear(name, selected=name == selected) for name in LICENCES]
    ears += [_other_ear(name, selected=selected.partition(":")[0] == name) for name in other_names()]
    models = [_model(kind, name) for kind in MODEL_KINDS for name in Registry(f"{kind}s", object)]
    parts: list[dict[str, Json]] = [
        {
            "name": name,
            "summary": purpose,
            "optional": True,
            "ready": not about.missing,
            "next_step": install_command(about.extra),
        }
        for name, (about, purpose) in PARTS.items()
    ]
    if as_json:
        registries = {group: Registry(group, object) for group in GROUPS}
        groups = {group: {name: found[name].package for name in found} for group, found in registries.items()}
        print_json(
            version=version("aptone"),
            surroundings=surroundings(),
            engines=engines,
            ears=ears,
            models=models,
            extras=parts,
            rooms=_rooms(),
            registered=groups,
        )
        return
    about = ", ".join(f"{name} {value}" for name, value in surroundings().items())
    click.echo(f"aptone {version('aptone')} ({about})")
    word = words(lang, "report")
    named_ears = [{**row, "name": word("ear_named", name=row["name"])} for row in ears]
    named_models = [
        {**row, "name": word("model_named", kind=word(f"kind_{row['kind']}"), name=row["name"])} for row in models
    ]
    rows = [*engines, *named_ears, *named_models, *parts]
    print_rich(doctor_table([_shown(row, lang) for row in rows], language=lang))


def _rooms() -> list[Json]:
    rooms = Registry("rooms", Room)
    found = (rooms.load(name) for name in rooms)
    return [{"name": one.name, "verbs": one.verbs, "question": one.question, "paper": one.paper} for one in found]


def _engine(name: str, registry: Registry[Engine]) -> dict[str, Json]:
    row: dict[str, Json] = {"name": name, "package": registry[name].package, "optional": name not in BUILT_IN}

    def check() -> About:
        engine = registry.load(name)
        row["summary"] = engine.summary
        return make_step(engine).about

    return _checked(row, check)


def _checked(row: dict[str, Json], check: Callable[[], About]) -> dict[str, Json]:
    """Return a row with the result of a check, which may add to the row before it fails."""
    try:
        about = check()
    except AptoneError as error:
        step = install_command(error.extra) if isinstance(error, MissingExtraError) else str(error)
        broken = {"optional": False} if isinstance(error, RegistryError) else {}
        return {"summary": "", **row, **broken, "ready": False, "next_step": step}
    return {
        **row,
        "ready": True,
        "next_step": "",
        "sends_audio_to": about.sends_audio_to,
        "licence": about.licence,
        "notes": about.notes,
    }


def _selected_ear() -> str:
    try:
        return ear_name()
    except UsageError:  # the engine that needs it says so
        return ""


def _ear(name: str, *, selected: bool) -> dict[str, Json]:
    try:
        load_ear(name)
    except Exception:  # whatever a missing or damaged file raises
        ready = False
    else:
        ready = True
    offered = message("cli.ear-selectable", variable=f"APTONE_EAR={name}")
    return {
        "name": name,
        "optional": False,
        "ready": ready,
        "summary": message("cli.ear-selected") if selected else offered,
        "selected": selected,
        "licence": LICENCES[name],
        "next_step": "" if ready else _damaged(),
    }


def _other_ear(name: str, *, selected: bool) -> dict[str, Json]:
    """Return the check of a registered ear: that what it needs is installed; its weights are not loaded."""
    registry = Registry("ears", object)
    row: dict[str, Json] = {
        "name": name,
        "package": registry[name].package,
        "optional": True,
        "selected": selected,
        "licence": "",
    }

    def check() -> About:
        row["summary"] = _described(f"cli.ear.{name}", registry.load(name))
        model = make_model(name)
        model.about.require(f"ear {name!r}")
        row["signature"] = model.signature
        return About(licence=licence_of(model, name))

    return _checked(row, check)


def _model(kind: PartKind, name: str) -> dict[str, Json]:
    """Return the check of one model; a plugin's is described by the first line of its docstring."""
    registry = Registry(f"{kind}s", object)
    optional = name not in BUILT_IN
    row: dict[str, Json] = {"kind": kind, "name": name, "package": registry[name].package, "optional": optional}

    def check() -> About:
        row["summary"] = _described(f"cli.model.{kind}.{name}", registry.load(name))
        made = make_part(kind, name, {})
        about: About = made.about
        about.require(f"{kind.replace('_', ' ')} {name!r}")
        row["signature"] = made.signature
        return about

    try:
        return _checked(row, check)
    except Exception:  # whatever weights that are missing or damaged raise
        return {**row, "ready": False, "optional": False, "next_step": _damaged()}


def _described(id: str, model: object) -> str:
    """Return the description of one of ours, or the first line of the docstring of a plugin's."""
    try:
        return message(id)
    except MessageError:
        return (inspect.getdoc(model) or "").partition("\n")[0]


def _shown(row: Mapping[str, Json], language: Language) -> DoctorRow:
    word = words(language, "report")
    finding = translate(str(row["summary"]), language)
    machines = row.get("sends_audio_to")
    further = []
    if isinstance(machines, tuple) and machines:
        further.append(word("sends_audio", machines=word("and_between").join(map(str, machines))))
    if row.get("licence"):
        further.append(word("weights_under", licence=row["licence"]))
    if further:
        stop, gap = ("。", "") if language == "zh" else (".", " ")
        finding = gap.join([finding.rstrip(".。") + stop, *further])
    return DoctorRow(
        name=str(row["name"]),
        state="fine" if row["ready"] else "optional" if row["optional"] else "attention",
        finding=finding,
        next_step="" if row["ready"] else translate(str(row["next_step"]), language),
    )


def _damaged() -> str:
    return message("cli.weights-missing", command=repair_command())
