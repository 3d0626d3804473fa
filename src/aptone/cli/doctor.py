"""``aptone doctor``."""

import inspect
from collections.abc import Mapping
from importlib.metadata import version

import click

from aptone.cli.output import json_option, print_json, print_rich
from aptone.cli.studio_options import NEEDED
from aptone.ear import ear_name, load_ear
from aptone.ear.licences import LICENCES
from aptone.errors import AptoneError, MissingExtraError, UsageError
from aptone.models import About, Engine
from aptone.models.parts import MODEL_KINDS, PartKind, make_part
from aptone.registry import GROUPS, Registry
from aptone.report.terminal import DoctorRow, doctor_table
from aptone.rooms.aptness.bench import make_step
from aptone.run import surroundings
from aptone.types import Json

PARTS = {
    "formats": (About(("av",), "formats"), "reads m4a, webm, aac and mp4"),
    "frames": (About(("pandas", "polars"), "frames"), "loads runs into pandas and polars"),
    "speech": (About(("moonshine_voice",), "speech"), "writes down English speech offline: audiobooks, spoken answers"),
    "studio": (About(NEEDED, "studio"), "serves listening studies in the browser: aptone studio"),
    "ray": (About(("ray",), "ray"), "runs on many machines"),
}
"""Extras that are not engines: what shows that they are there, and what they are for."""

DAMAGED = "its weights are missing or damaged: pip install --force-reinstall aptone"


@click.command()
@json_option
def doctor(as_json: bool) -> None:
    """Say which engines, ears and models can run here, and what to install for the others."""
    registry = Registry("engines", Engine)
    engines = [_engine(name, registry) for name in registry]
    selected = _selected_ear()
    ears = [_ear(name, selected=name == selected) for name in LICENCES]
    models = [_model(kind, name) for kind in MODEL_KINDS for name in Registry(f"{kind}s", object)]
    parts: list[dict[str, Json]] = [
        {"name": name, "summary": f"optional: {purpose}", "ready": not about.missing, "next_step": _pip(about.extra)}
        for name, (about, purpose) in PARTS.items()
    ]
    if as_json:
        groups = {group: {name: found[name].package for name in found} for group, found in _registries().items()}
        print_json(
            {
                "version": version("aptone"),
                "surroundings": surroundings(),
                "engines": engines,
                "ears": ears,
                "models": models,
                "extras": parts,
                "registered": groups,
            }
        )
        return
    about = ", ".join(f"{name} {value}" for name, value in surroundings().items())
    click.echo(f"aptone {version('aptone')} ({about})")
    named_ears = [{**row, "name": f"ear: {row['name']}"} for row in ears]
    named_models = [{**row, "name": f"{str(row['kind']).replace('_', ' ')}: {row['name']}"} for row in models]
    print_rich(doctor_table([_shown(row) for row in [*engines, *named_ears, *named_models, *parts]]))


def _registries() -> dict[str, Registry[object]]:
    return {group: Registry(group, object) for group in GROUPS}


def _engine(name: str, registry: Registry[Engine]) -> dict[str, Json]:
    row: dict[str, Json] = {"name": name, "package": registry[name].package, "ready": False, "summary": ""}
    try:
        engine = registry.load(name)
        row["summary"] = engine.summary
        about = make_step(engine).about
    except MissingExtraError as error:
        return {**row, "next_step": _pip(error.extra)}
    except AptoneError as error:
        return {**row, "next_step": str(error)}
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
    choice = "selected" if selected else f"select it with APTONE_EAR={name}"
    return {
        "name": name,
        "ready": ready,
        "summary": f"hears how something is said; {choice}.",
        "selected": selected,
        "licence": LICENCES[name],
        "next_step": "" if ready else DAMAGED,
    }


def _model(kind: PartKind, name: str) -> dict[str, Json]:
    """Whether a model can be used as it is; what it is comes from the first line of its documentation."""
    registry = Registry(f"{kind}s", object)
    row: dict[str, Json] = {"kind": kind, "name": name, "package": registry[name].package, "ready": False}
    try:
        row["summary"] = (inspect.getdoc(registry.load(name)) or "").partition("\n")[0]
        made = make_part(kind, name, {})
        about = made.about
        about.require(f"{kind.replace('_', ' ')} {name!r}")
        row["signature"] = made.signature
    except MissingExtraError as error:
        return {"summary": "", **row, "next_step": _pip(error.extra)}
    except AptoneError as error:
        return {"summary": "", **row, "next_step": str(error)}
    except Exception:  # whatever weights that are missing or damaged raise
        return {**row, "next_step": DAMAGED}
    return {
        **row,
        "ready": True,
        "next_step": "",
        "sends_audio_to": about.sends_audio_to,
        "licence": about.licence,
        "notes": about.notes,
    }


def _shown(row: Mapping[str, Json]) -> DoctorRow:
    machines = row.get("sends_audio_to")
    away = f" Sends audio to {' and '.join(map(str, machines))}." if isinstance(machines, tuple) and machines else ""
    licence = f" Weights: {row['licence']}." if row.get("licence") else ""
    return DoctorRow(
        name=str(row["name"]),
        state="fine" if row["ready"] else "attention",
        finding=f"{str(row['summary']).rstrip('.')}.{away}{licence}" if away or licence else str(row["summary"]),
        next_step="" if row["ready"] else str(row["next_step"]),
    )


def _pip(extra: str) -> str:
    return f'pip install "aptone[{extra}]"' if extra else "pip install --upgrade aptone"
