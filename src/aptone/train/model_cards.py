"""Model cards in Markdown: data, settings and results of a trained model."""

from collections.abc import Mapping, Sequence
from typing import Any

from aptone.types import Json

TITLES = {
    "distil": "A speech model that describes voices",
    "sft": "A judge of expressive speech",
    "grpo": "A judge of expressive speech, trained with GRPO",
}
NOT_EVALUATED = "It was not evaluated on held-out data: nobody knows yet how good it is."


def clap_card(training: Mapping[str, Json]) -> str:
    """Return the card of a dual encoder from the record under ``training`` in its ``config.json``."""
    known: Mapping[str, Any] = training
    data, eval_data, captions = (known[name] for name in ("data", "eval data", "captions"))
    lines = [
        "# A dual encoder of voices and descriptions",
        "",
        "Made by `aptone train clap`: clips and descriptions of how somebody speaks, in one embedding space.",
        "",
        "```python",
        "from aptone.models import load_style_embedder",
        "",
        'embedder = load_style_embedder("local", model="THIS FOLDER")',
        "```",
        "",
        "## Data",
        "",
        f"- Audio encoder: {plain(known['audio encoder'])}",
        f"- Text encoder: {plain(known['text encoder'])}",
        f"- Trained on: {data['clips']} clips, {data['hours']:.2f} hours ({plain(data['folder'])})",
        f"- Captions: levels {plain(captions['levels']) or 'all'}, languages {plain(captions['languages']) or 'all'}",
        f"- Licence that comes with the audio encoder: {known['licence'] or 'that of its weights'}",
        "",
        "## Settings",
        "",
        *_table("setting", known["config"]),
        "",
        "## Results",
        "",
        f"Weights of step {known['step']}, mean training loss {_number(known['loss'])}.",
    ]
    if eval_data:
        lines += ["", f"Retrieval among {eval_data['clips']} held-out clips ({plain(eval_data['folder'])}):", ""]
        lines += _table("metric", {name: _number(value) for name, value in known["eval metrics"].items()})
    else:
        lines += ["", NOT_EVALUATED]
    return "\n".join(lines) + "\n"


def judge_card(about: Mapping[str, Any]) -> str:
    """Return the card of a judge.

    Args:
        about: ``stage``, ``base``, ``data``, ``adapter``, ``config``, ``processes``, ``evaluations``, and further rows
            of the table of settings under ``settings``.
    """
    data = about["data"]
    return "\n".join(
        [
            f"# {TITLES.get(about['stage'], 'A judge')}",
            "",
            f"Made by `aptone train {about['stage']}` from {plain(about['base'])}.",
            "",
            "```sh",
            "aptone score manifest.jsonl -o run/ --engine local --set judge.model=THIS_FOLDER",
            "```",
            "",
            "## Data",
            "",
            f"- Trained on: {data['examples']} examples, {data['hours']:.2f} hours ({plain(data['folder'])})",
            *(f"- {plain(kind)}: {count}" for kind, count in data["kinds"].items() if count),
            "",
            "## Settings",
            "",
            *_table("setting", {**about["config"], **about["adapter"], **about.get("settings", {})}),
            f"| processes | {about['processes']} |",
            "",
            "## Results",
            "",
            *_results(about["evaluations"]),
            "",
            "## Licence and limits",
            "",
            "The weights come under the licence of the base and of the data; both must allow what you do with them. "
            "Qwen2.5-Omni-7B is under Apache-2.0, the 3B under a research licence, CEAEval-M and CEAEval-D under "
            "CC BY-NC 4.0.",
            "",
            "Training metrics show how well the model fits its training data. For its agreement with people, run "
            "`aptone bench ceaeval` on lines that it never saw.",
            "",
        ]
    )


def plain(value: object) -> str:
    """Return a value as Markdown text on one line, with its special characters escaped."""
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return "".join(" " if mark.isspace() else f"\\{mark}" if mark in "|`<>[]*_" else mark for mark in text)


def _results(evaluations: Sequence[Mapping[str, Any]]) -> list[str]:
    if not evaluations:
        return ["It was not trained."]
    last = evaluations[-1]
    lines = [f"After {last['step']} steps, averages since the last evaluation:", ""]
    lines += _table("metric", {name: f"{value:.4f}" for name, value in last["metrics"].items()})
    if last["eval_metrics"]:
        lines += ["", "On held-out examples:", ""]
        lines += _table("metric", {name: f"{value:.4f}" for name, value in last["eval_metrics"].items()})
    else:
        lines += ["", NOT_EVALUATED]
    return lines


def _table(head: str, rows: Mapping[str, Any]) -> list[str]:
    return [
        f"| {head} | value |",
        "| --- | --- |",
        *(f"| {plain(name)} | {plain(value)} |" for name, value in rows.items()),
    ]


def _number(value: Any) -> str:
    return "unknown" if value is None else f"{value:.4f}"
