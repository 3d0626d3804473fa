"""The card of a judge: what it was made of, how, and what it reached, for people who meet it later."""

from collections.abc import Mapping, Sequence
from typing import Any

from aptone.train.clap.card import plain

TITLES = {
    "distil": "A speech model that learned to describe voices",
    "sft": "A judge of expressive speech",
    "grpo": "A judge of expressive speech, reinforced by its scores",
}


def judge_card(about: Mapping[str, Any]) -> str:
    """A page of Markdown from what a training says about itself.

    Args:
        about: ``stage``, ``base``, ``data``, ``trained``, ``recipe``, ``processes``, ``looks``, and what else belongs
            into the table of settings under ``settings``.
    """
    data, looks = about["data"], about["looks"]
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
            f"- Learned from: {data['examples']} examples, {data['hours']:.2f} hours ({plain(data['folder'])})",
            *(f"- {plain(kind)}: {count}" for kind, count in data["kinds"].items() if count),
            "",
            "## Settings",
            "",
            *_table("setting", {**about["recipe"], **about["trained"], **about.get("settings", {})}),
            f"| processes | {about['processes']} |",
            "",
            "## Results",
            "",
            *_results(looks),
            "",
            "## Licence and limits",
            "",
            "The weights come under the licence of the base and of the data; both must allow what you do with them. "
            "Qwen2.5-Omni-7B is under Apache-2.0, the 3B under a research licence, CEAEval-M and CEAEval-D under "
            "CC BY-NC 4.0.",
            "",
            "Figures in training say how well it fits what it learned from. Whether it agrees with people says "
            "`aptone bench ceaeval` on lines that it never saw.",
            "",
        ]
    )


def _results(looks: Sequence[Mapping[str, Any]]) -> list[str]:
    if not looks:
        return ["It was not trained."]
    last = looks[-1]
    lines = [f"After {last['step']} steps, means since the look before:", ""]
    lines += _table("figure", {name: f"{value:.4f}" for name, value in last["figures"].items()})
    if last["dev"]:
        lines += ["", "On examples that it did not learn from:", ""]
        lines += _table("figure", {name: f"{value:.4f}" for name, value in last["dev"].items()})
    else:
        lines += ["", "It was compared with nothing that it did not learn from: nobody knows yet how good it is."]
    return lines


def _table(head: str, rows: Mapping[str, Any]) -> list[str]:
    return [
        f"| {head} | value |",
        "| --- | --- |",
        *(f"| {plain(name)} | {plain(value)} |" for name, value in rows.items()),
    ]
