"""Train encoders from arrays and initial weights on a GPU, and write weights in eight bits and answers on dev.

    python -m recipes.planner.gpu_job FOLDER --plan FOLDER/plan.json --out OUT --minutes 8

`FOLDER` holds ``texts.LANGUAGE.npz`` and ``labels.LANGUAGE.npz`` (`recipes.planner.prepare`), and either
``start.LANGUAGE.npz`` and ``start.body.npz`` (`recipes.planner.make_starts`) or weights of an earlier job; a larger
teacher's answers may lie beside them (``taught.en.npz``, `recipes.planner.teacher`). Both
languages are trained as one network: they share everything but the vectors of their pieces. The plan is a list of
trainings:

- ``name``, ``recipe`` (fields of `Recipe`), ``shares`` (rows of a batch by source);
- ``from``: the training whose weights it starts from, or several, whose weights are averaged;
- ``epochs``: passes over the scenes, in the place of the recipe's ``steps``; ``keep``: true to save its weights,
  "layers" to save them without the embeddings;
- ``inner``: width to which the layers' inner units are cut before training; ``upper``: number of the last layers that
  are computed for the target alone from then on;
- ``best``: number of those that ``from`` names that are averaged, the best ones;
- ``teachers``: trainings whose mean answers are half of every label of a reader, and all of the sources ``seen`` and
  ``unseen``: lines of novels with their tags in sight and hidden. Teachers always see the tag. Where a larger teacher
  answered, its answers count as much as theirs together; with no other teachers they count alone.

Weights of an earlier job in `FOLDER` (``weights.NAME.*.npz``) have their name; those without embeddings have the
shipped ones.
"""

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.special import softmax

from recipes.planner.batches import Source, on_device
from recipes.planner.evaluation import answers, head_of, report
from recipes.planner.network import HEADS, Encoder, narrowed
from recipes.planner.packed_weights import packed, unpacked
from recipes.planner.training import Recipe, train

MARKS = 8
"""Pieces that both languages share: the first ones."""
LANGUAGES = ("en", "zh")
VOCABULARY = {"en": 22_000, "zh": 16_351}
"""Sizes of the vocabularies, marks included."""
INPUTS = ("words.weight", "places.weight", "target")
HALF = 0.5
"""Share of a reader's label that comes from teachers, where there are any."""
MODERN = 4
NOVELS = {"en": 1, "zh": 2}
"""How often the novels, and everything else, stand in the text of the masked-language loss."""


def answers_of_larger(folder: Path) -> dict[str, Any]:
    """Return what larger teachers answered, by ``NAME.shares.LANGUAGE`` and ``NAME.number.LANGUAGE``."""
    found: dict[str, Any] = {}
    for language in LANGUAGES:
        if (path := folder / f"taught.{language}.npz").exists():
            found |= {f"{name}.{language}": values for name, values in np.load(path).items()}
    return found


def joined(folder: Path, taught: Mapping[str, Any]) -> tuple[dict[str, Source], Any]:
    """Return the sources of both languages, and the text of the masked-language loss."""
    sources: dict[str, Source] = {}
    streams = []
    shift = 0
    for language in LANGUAGES:
        arrays = dict(np.load(folder / f"texts.{language}.npz")) | dict(np.load(folder / f"labels.{language}.npz"))
        for name in sorted({name.partition(".")[0] for name in arrays}):
            stream = arrays[f"{name}.stream"].astype(np.uint16)
            stream = np.where(stream >= MARKS, stream + shift, stream).astype(np.uint16)
            arrays[f"{name}.stream"] = stream
            if name != "spoken":
                streams += [stream] * (NOVELS[language] if name == "tags" else MODERN)
            if len(arrays[f"{name}.places"]):
                sources[f"{name}.{language}"] = Source(arrays, name, hide=name == "spoken")
        sources[f"hidden.{language}"] = hidden = Source(arrays, "tags", hide=True)
        if (shares := taught.get(f"hidden.shares.{language}")) is not None:
            shares = hidden.by_number(taught[f"hidden.number.{language}"], shares.astype(np.float32))
            sources[f"taught.{language}"] = hidden.unlabelled().answered(shares, 1.0)
        shift += VOCABULARY[language] - MARKS
    return sources, np.concatenate(streams)


def network_of(weights: Mapping[str, Any], device: str) -> Encoder:
    """Return an encoder with some weights."""
    network = encoder_like(weights)
    network.load_state_dict(dict(weights), strict=False)
    return network.to(device)


def encoder_like(weights: Mapping[str, Any]) -> Encoder:
    """Return an encoder of the size that some weights have."""
    inner, upper = len(weights["layers.0.widened.weight"]), int(weights.get("upper", 0))
    return Encoder(sum(VOCABULARY.values()) - MARKS, inner=inner, upper=upper)


def first_weights(folder: Path) -> dict[str, Any]:
    """Return the initial weights: MiniLM's body, and the vectors of both vocabularies."""
    words = [unpacked(dict(np.load(folder / f"start.{language}.npz")))["words.weight"] for language in LANGUAGES]
    body = unpacked(dict(np.load(folder / "start.body.npz")))
    return {**body, "words.weight": torch.cat([words[0], *(other[MARKS:] for other in words[1:])])}


def answered_by(
    networks: Sequence[Encoder], taught: Mapping[str, Any], sources: Mapping[str, Source], device: str
) -> dict[str, Source]:
    """Return the sources with the answers of teachers; see ``teachers`` above.

    Args:
        networks: trainings that answer.
        taught: answers of a larger teacher, as `recipes.planner.teacher` writes them, by ``NAME.LANGUAGE``.
        sources: labelled sources by ``NAME.LANGUAGE``.
        device: device of the networks.
    """
    found = dict(sources)
    for name, source in sources.items():
        plain, _, language = name.partition(".")
        if head_of(name) != "reader" and plain not in ("tags", "hidden"):
            continue
        larger = taught.get(f"{plain}.shares.{language}")
        if larger is not None and (number := taught.get(f"{plain}.number.{language}")) is not None:
            larger = source.by_number(number, larger.astype(np.float32))
        seen = source if plain != "hidden" else sources[f"tags.{language}"]
        shares = _together(_shares(networks, seen, device), larger)
        if plain == "tags":
            found[f"seen.{language}"] = source.unlabelled().answered(shares, HALF)
        elif plain == "hidden":
            found[f"unseen.{language}"] = source.unlabelled().answered(shares, HALF)
        else:
            found[name] = source.answered(shares, HALF)
    return found


def _shares(networks: Sequence[Encoder], source: Source, device: str) -> Any:
    """Return the mean answers of networks for every row of a source; zeros without networks."""
    held = on_device(source, device)
    every = np.arange(len(source.lengths))
    each = [softmax(answers(network, held, every, device, "reader"), axis=1) for network in networks]
    return np.mean(each, axis=0).astype(np.float32) if each else np.zeros((len(every), HEADS["reader"]), np.float32)


def _together(shares: Any, larger: Any) -> Any:
    """Return the answers of both kinds of teachers, half each; rows that one kind did not answer have the other's."""
    if larger is None:
        return shares
    if len(larger) != len(shares):
        raise ValueError(f"a larger teacher answered {len(larger)} rows, not {len(shares)}: prepare both again")
    sums = shares + larger.astype(np.float32)
    return sums / np.maximum(sums.sum(axis=1, keepdims=True), 1e-6)


def score_of(scores: dict[str, Any]) -> float:
    """Return the selection score: acceptable emotions on held-out labels of readers, both languages."""
    weights = {
        "scenes": 0.2,
        "pieces": 0.2,
        "contrast": 0.15,
        "lines": 0.2,
        "talk": 0.1,
        "books": 0.05,
        "passages": 0.1,
    }
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
    taught = answers_of_larger(options.folder)
    sources, stream = joined(options.folder, taught)
    made: dict[str, dict[str, Any]] = {}
    if (options.folder / "start.body.npz").exists():
        made["start"] = first_weights(options.folder)
    for path in sorted(options.folder.glob("weights.*.npz")):
        made.setdefault(path.name.split(".")[1], {}).update(unpacked(dict(np.load(path))))
    if "shipped" in made:  # weights that were kept without the embeddings
        for own in made.values():
            own |= {key: made["shipped"][key] for key in INPUTS if key not in own}
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
        network = network_of(_start_of(job, [made[one] for one in bases]), device)
        own = sources
        if "teachers" in job:
            own = answered_by([network_of(made[one], device) for one in job["teachers"]], taught, sources, device)
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
            network, log = train(network, own, stream, recipe, device, limit=left)
        made[name] = {key: value.detach().cpu() for key, value in network.state_dict().items()}
        logs[name] = {"job": job, "steps": recipe.steps, "log": log, "score": score_of(log[-1])}
        print(f"score {score_of(log[-1]):.4f} after {time.monotonic() - begun:.0f} s", flush=True)
        (options.out / "logs.json").write_text(json.dumps(logs, indent=1))
        if job.get("keep"):
            weights = made[name] if job["keep"] is True else {k: v for k, v in made[name].items() if k not in INPUTS}
            keep(weights, network, sources, options.out, device, name)
    print(f"done after {time.monotonic() - begun:.0f} s", flush=True)


def _start_of(job: Mapping[str, Any], bases: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the weights that a training starts from: the mean of some, cut to the job's size."""
    known = [key for key in bases[0] if all(key in one for one in bases)]
    mean = {key: sum(one[key].float().cpu() for one in bases) / len(bases) for key in known}
    if "inner" in job:
        mean = narrowed(mean, job["inner"])
    if "upper" in job:
        mean["upper"] = torch.tensor(float(job["upper"]))
    return mean


def keep(
    weights: dict[str, Any], network: Encoder, sources: dict[str, Source], out: Path, device: str, name: str
) -> None:
    """Write weights in files of limited size, and answers on dev."""
    arrays = packed(weights)
    words = {key: value for key, value in arrays.items() if key.startswith("words")}
    if words:
        np.savez(out / f"weights.{name}.words.npz", **words)  # type: ignore[arg-type]
    body = {key: value for key, value in arrays.items() if key not in words}
    np.savez(out / f"weights.{name}.body.npz", **body)  # type: ignore[arg-type]
    dev = {}
    for source_name, source in sources.items():
        rows = source.rows(dev=True)[:3000]
        if len(rows):
            held = on_device(source, device)
            dev[f"{source_name}.rows"] = rows
            dev[f"{source_name}.logits"] = answers(network, held, rows, device, head_of(source_name)).astype(np.float16)
            dev[f"{source_name}.target"] = source.target[rows].astype(np.float16)
    np.savez_compressed(out / f"dev.{name}.npz", **dev)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
