"""``aptone doctor``."""

from collections.abc import Mapping
from importlib.metadata import version
from importlib.util import find_spec

import click

from aptone.cli.output import json_option, print_json, print_rich
from aptone.errors import AptoneError
from aptone.models import Engine
from aptone.registry import GROUPS, Registry
from aptone.report.terminal import DoctorRow, doctor_table
from aptone.run import surroundings
from aptone.types import Json

PARTS = {
    "formats": ("av", "reads m4a, webm, aac and mp4"),
    "frames": ("pandas", "loads runs into pandas and polars"),
    "ray": ("ray", "runs on many machines"),
}
"""Extras that are not engines: the module that shows them, and what they are for."""


@click.command()
@json_option
def doctor(as_json: bool) -> None:
    """Say which engines can run here, and what to install for the others."""
    engines = [_engine(name, registry) for registry in [Registry("engines", Engine)] for name in registry]
    parts: list[dict[str, Json]] = [
        {"name": name, "summary": purpose, "ready": find_spec(module) is not None, "install": _pip(name)}
        for name, (module, purpose) in PARTS.items()
    ]
    if as_json:
        groups = {group: {n: r[n].package for n in r} for group in GROUPS for r in [Registry(group, object)]}
        print_json(
            {
                "version": version("aptone"),
                "surroundings": surroundings(),
                "engines": engines,
                "extras": parts,
                "registered": groups,
            }
        )
        return
    about = ", ".join(f"{name} {value}" for name, value in surroundings().items())
    click.echo(f"aptone {version('aptone')} ({about})")
    print_rich(doctor_table([_shown(about) for about in [*engines, *parts]]))


def _engine(name: str, registry: Registry[Engine]) -> dict[str, Json]:
    about: dict[str, Json] = {"name": name, "package": registry[name].package}
    try:
        engine = registry.load(name)
    except AptoneError as error:
        return {**about, "summary": str(error), "ready": False, "install": ""}
    return {
        **about,
        "summary": engine.summary,
        "ready": not engine.missing,
        "install": _pip(engine.extra) if engine.missing else "",
        "sends_audio_to": engine.sends_audio_to,
        "licence": engine.licence,
        "notes": engine.notes,
    }


def _shown(about: Mapping[str, Json]) -> DoctorRow:
    away = f" Sends audio to {about['sends_audio_to']}." if about.get("sends_audio_to") else ""
    licence = f" Weights under {about['licence']}." if about.get("licence") else ""
    return DoctorRow(
        name=str(about["name"]),
        state="fine" if about["ready"] else "attention",
        finding=f"{about['summary']}{away}{licence}",
        next_step="" if about["ready"] else str(about["install"]),
    )


def _pip(extra: str) -> str:
    return f'pip install "aptone[{extra}]"' if extra else "pip install --upgrade aptone"
