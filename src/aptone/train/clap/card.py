"""The card of a dual encoder: what it was made of and what it reached, for people who meet it later."""

from collections.abc import Mapping
from typing import Any

from aptone.types import Json


def model_card(training: Mapping[str, Json]) -> str:
    """A page of Markdown from what a training says about itself.

    Args:
        training: as it stands in the model's ``config.json``, under the same name.
    """
    known: Mapping[str, Any] = training
    data, dev, recipe, captions = (known[name] for name in ("data", "dev", "recipe", "captions"))
    lines = [
        "# A dual encoder of voices and descriptions",
        "",
        "Made by `aptone train clap`: clips and descriptions of how somebody speaks get their places in one space.",
        "",
        "```python",
        "from aptone.models import load_style_embedder",
        "",
        'embedder = load_style_embedder("local", model="THIS FOLDER")',
        "```",
        "",
        "## What it was made of",
        "",
        f"- Audio encoder: {plain(known['audio encoder'])}",
        f"- Text encoder: {plain(known['text encoder'])}",
        f"- Learned from: {data['clips']} clips, {data['hours']:.2f} hours ({plain(data['folder'])})",
        f"- Captions: levels {plain(captions['levels']) or 'all'}, languages {plain(captions['languages']) or 'all'}",
        f"- Licence that comes with the audio encoder: {known['licence'] or 'that of its weights'}",
        "",
        "## How",
        "",
        "| setting | value |",
        "| --- | --- |",
        *(f"| {name} | {plain(value)} |" for name, value in recipe.items()),
        "",
        "## What it reached",
        "",
        f"Weights of step {known['step']}, mean loss in training {_number(known['loss'])}.",
    ]
    if dev:
        lines += [
            "",
            f"The right one among {dev['clips']} clips that it did not learn from ({plain(dev['folder'])}):",
            "",
            "| measure | value |",
            "| --- | --- |",
            *(f"| {name} | {_number(value)} |" for name, value in known["reached on dev"].items()),
        ]
    else:
        lines += ["", "It was compared with nothing that it did not learn from: nobody knows yet how good it is."]
    return "\n".join(lines) + "\n"


def plain(value: object) -> str:
    """A value within a line of Markdown: no marks of its own."""
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return "".join(" " if mark.isspace() else f"\\{mark}" if mark in "|`<>[]*_" else mark for mark in text)


def _number(value: Any) -> str:
    return "unknown" if value is None else f"{value:.4f}"
