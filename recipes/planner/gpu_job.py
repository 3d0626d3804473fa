"""Train encoders from arrays and initial weights on a GPU, and write weights in eight bits and answers on dev.

    python -m recipes.planner.gpu_job FOLDER --plan FOLDER/plan.json --out OUT --minutes 8

`FOLDER` holds ``arrays.LANGUAGE.npz``, ``start.LANGUAGE.npz`` and ``start.body.npz``, and ``taught.en.npz`` with a
teacher's answers (`recipes.planner.teacher`). Both languages are trained as one network: they share everything but the
vectors of their pieces. The plan is a list of trainings:

- ``name``, ``recipe`` (fields of `Recipe`), ``shares`` (rows of a batch by source);
- ``from``: the training whose weights it starts from, or several, whose weights are averaged;
- ``epochs``: passes over the scenes, in the place of the recipe's ``steps``; ``keep``: true to save its weights;
- ``best``: number of those that ``from`` names that are averaged, the best ones.

Weights of an earlier job (``weights.*.npz`` in `FOLDER`) have the name ``kept``.
"""

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from recipes.planner.batches import Source, on_device
from recipes.planner.network import Encoder
from recipes.planner.training import Recipe, answers, head_of, packed, report, train, unpacked

MARKS = 8
"""Pieces that both languages share: the first ones."""
LANGUAGES = ("en", "zh")
HALF = 0.5
"""Share of a hidden tag's label that comes from a teacher's answer, if there is one."""


def joined(folder: Path) -> tuple[dict[str, Source], Any]:
    """Return the sources of both languages, and the text of the masked-language loss."""
    sources: dict[str, Source] = {}
    streams = []
    shift = 0
    for language in LANGUAGES:
        arrays = dict(np.load(folder / f"arrays.{language}.npz"))
        size = len(np.load(folder / f"start.{language}.npz")["words.weight|scale"])
        names = sorted({name.partition(".")[0] for name in arrays})
        for name in names:
            stream = arrays[f"{name}.stream"].astype(np.uint16)
            arrays[f"{name}.stream"] = np.where(stream >= MARKS, stream + shift, stream).astype(np.uint16)
            sources[f"{name}.{language}"] = Source(arrays, name)
        sources[f"hidden.{language}"] = hidden = Source(arrays, "tags", hide=True)
        if (answers_file := folder / f"taught.{language}.npz").exists():
            answered = np.load(answers_file)
            number = answered["number"]
            sources[f"taught.{language}"] = hidden.with_teacher(
                number, answered["shares"].astype(np.float32), share=1.0
            )
            sources[f"hidden.{language}"] = hidden.with_teacher(number, answered["tags"].astype(np.float32), share=HALF)
        streams += [arrays["tags.stream"], *[arrays["scenes.stream"]] * 4, arrays["books.stream"]]
        shift += size - MARKS
    return sources, np.concatenate(streams)


def first_weights(folder: Path) -> dict[str, Any]:
    """Return the initial weights: MiniLM's body, and the vectors of both vocabularies."""
    words = [unpacked(dict(np.load(folder / f"start.{language}.npz")))["words.weight"] for language in LANGUAGES]
    body = unpacked(dict(np.load(folder / "start.body.npz")))
    return {**body, "words.weight": torch.cat([words[0], *(other[MARKS:] for other in words[1:])])}


def score_of(scores: dict[str, Any]) -> float:
    """Return the selection score: acceptable emotions on held-out labels of readers, both languages."""
    weights = {"scenes": 0.4, "contrast": 0.3, "books": 0.3}
    each = [
        weight * scores[f"{name}.{language} acceptable"] for name, weight in weights.items() for language in LANGUAGES
    ]
    return float(sum(each)) / len(LANGUAGES)


def main() -> None:
    """Run the trainings of the plan."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--plan", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=9.0)
    options = parser.parse_args()
    begun = time.monotonic()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    sources, stream = joined(options.folder)
    start = first_weights(options.folder)
    kept = sorted(options.folder.glob("weights.*.npz"))
    made: dict[str, dict[str, Any]] = {"start": start}
    if kept:
        arrays: dict[str, Any] = {}
        for path in kept:
            arrays |= dict(np.load(path))
        made["kept"] = unpacked(arrays)
    print(f"{len(stream)} pieces, sources after {time.monotonic() - begun:.0f} s", flush=True)
    logs: dict[str, Any] = {}
    for job in json.loads(options.plan.read_text()):
        name = job["name"]
        bases = job.get("from", "start")
        bases = [bases] if isinstance(bases, str) else bases
        if "best" in job:  # the best of some trainings, averaged
            ranked = sorted(bases, key=lambda one: -score_of(logs[one]["log"][-1]) if one in logs else 9.0)
            bases = ranked[: job["best"]]
            print(f"== {name}: {bases}", flush=True)
        network = Encoder(len(start["words.weight"]))
        mean = {key: sum(made[one][key].float().cpu() for one in bases) / len(bases) for key in made[bases[0]]}
        network.load_state_dict(mean, strict=False)
        network.to(device)
        shares = job.get("shares", {})
        recipe = replace(Recipe(shares=shares), **job.get("recipe", {}))
        print(f"== {name}: {job}", flush=True)
        if not shares:
            held = {key: on_device(source, device) for key, source in sources.items()}
            log: list[dict[str, Any]] = [report(network, sources, held, device)]
            print(json.dumps({k: round(v, 4) for k, v in log[0].items()}), flush=True)
        else:
            if "epochs" in job:
                scenes = [(key, count) for key, count in shares.items() if key.startswith("scenes")]
                rows = max(len(sources[key].rows(dev=False)) / count for key, count in scenes)
                recipe = replace(recipe, steps=int(job["epochs"] * rows))
            left = options.minutes * 60 - (time.monotonic() - begun) - 20
            if left < 5:
                print("no time left", flush=True)
                break
            network, log = train(network, sources, stream, recipe, device, limit=left)
        made[name] = {key: value.detach().cpu() for key, value in network.state_dict().items()}
        logs[name] = {"job": job, "steps": recipe.steps, "log": log, "score": score_of(log[-1])}
        print(f"score {score_of(log[-1]):.4f} after {time.monotonic() - begun:.0f} s", flush=True)
        (options.out / "logs.json").write_text(json.dumps(logs, indent=1))
        if job.get("keep"):
            keep(made[name], network, sources, options.out, device, name)
    print(f"done after {time.monotonic() - begun:.0f} s", flush=True)


def keep(
    weights: dict[str, Any], network: Encoder, sources: dict[str, Source], out: Path, device: str, name: str
) -> None:
    """Write weights in files of limited size, and answers on dev."""
    arrays = packed(weights)
    words = {key: value for key, value in arrays.items() if key.startswith("words")}
    np.savez(out / f"weights.{name}.words.npz", **words)  # type: ignore[arg-type]
    body = {key: value for key, value in arrays.items() if key not in words}
    np.savez(out / f"weights.{name}.body.npz", **body)  # type: ignore[arg-type]
    dev = {}
    for source_name, source in sources.items():
        rows = source.rows(dev=True)[:3000]
        if len(rows) and not source_name.startswith("taught"):
            held = on_device(source, device)
            dev[f"{source_name}.rows"] = rows
            dev[f"{source_name}.logits"] = answers(network, held, rows, device, head_of(source_name)).astype(np.float16)
            dev[f"{source_name}.target"] = source.target[rows].astype(np.float16)
    np.savez_compressed(out / f"dev.{name}.npz", **dev)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
