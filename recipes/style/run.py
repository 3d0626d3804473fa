"""From rows and answers to the files of the built-in style model, as ``python -m recipes.style`` runs it.

1. Put what ears that never heard a speaker say about feeling and sex into the rows (`style_lessons`).
2. Describe every row of the training split several times, in both languages, and flip each description.
3. Teach (`style`), write the two ONNX files (`style_export`).
4. On the dev speakers, measure how the cosine rises with the share of a description that is true, and write the line
   from a cosine to a fit of 0 to 5 (``fit.json``): the share becomes a fit as S3Bench's guide tells raters to grade.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file

from aptone.ear.describe import ATTRIBUTES
from aptone.errors import RecordError, UsageError
from aptone.files import write_whole
from aptone.messages import message
from aptone.models.text.built_in_embedder import load_static_vectors
from aptone.rooms.style.embedding.built_in import AUDIO_FILE, TEXT_FILE, StyleModel
from aptone.stats.isotonic import isotonic
from recipes.ear.data import STYLE_FOLDS
from recipes.style.examples import Floats, Heard, Rows, Said, descriptions, read_answers, read_rows, with_answers
from recipes.style.export import export_style
from recipes.style.network import StyleNetwork, StyleRecipe
from recipes.style.train import Agreement, Lessons, Texts, embed_rows, teach

SHARES: Mapping[str, float] = {"ravdess": 0.35, "nemo": 0.3, "emodb": 0.2, "csemotions": 0.15}
"""How often a set is drawn; one that is not named here, as often as the last."""
WHISPERS = 1.5
"""How much more often a whispered version is drawn than others."""
DESCRIBED = 6
"""Descriptions of a row."""
GUIDE = ((0.0, 0.0), (0.15, 1.0), (0.3, 2.0), (0.55, 3.0), (0.8, 4.0), (1.0, 5.0))
"""Share of a description that is true, and the grade that S3Bench's guide gives it, at the middle of each band."""
FIT_PAIRS = 24_000
FIT_KNOTS = 16


def answers_of_folds(paths: Iterable[Path], rows: Rows) -> dict[str, Heard]:
    """What the ears of ``style-foldN`` say about the clips of the speakers that each never heard.

    Raises:
        UsageError: if a file is none of theirs.
    """
    speakers = dict(zip(rows.name.tolist(), rows.speaker.tolist(), strict=True))
    wanted: dict[Path, frozenset[str]] = {}
    for path in paths:
        named = re.fullmatch(r"style-fold([0-9])(-.*)?", path.stem)
        if named is None or int(named[1]) >= len(STYLE_FOLDS):
            raise UsageError(f"{path}: expected style-foldN…npz of `python -m recipes.ear run --recipe style-foldN`.")
        unheard = STYLE_FOLDS[int(named[1])]
        wanted[path] = frozenset(name for name, speaker in speakers.items() if speaker in unheard)
    return read_answers(wanted, speakers=wanted)


def make_lessons(
    rows: Rows, *, known: Sequence[int] = (), longest: int = 0, seed: int = 1, workers: int = 1
) -> tuple[Lessons, list[int]]:
    """Everything to learn from some rows, and the units of its table.

    Args:
        rows: what to describe.
        known: units that stand first in the table, whether they occur or not.
        longest: units of a description beyond which it is left out; 0 for no limit.
        seed: of the descriptions.
        workers: processes that write them.
    """
    texts: list[Said] = []
    first = [0]
    for described in _described(rows, seed=seed, workers=workers):
        texts += _short(described, longest) if longest else described
        first.append(len(texts))
    packed, units = pack_texts(texts, known=known)
    table = load_static_vectors().unit_vectors(units)
    return Lessons(rows.numbers, rows.style, row_weights(rows), packed, np.array(first), table), units


def _short(described: Sequence[Said], longest: int) -> list[Said]:
    """The pairs of descriptions that are no longer than that; the shortest pair where all are."""
    vectors = load_static_vectors()
    pairs = list(zip(described[::2], described[1::2], strict=True))
    lengths = [max(len(vectors.units(said.text)) for said in pair) for pair in pairs]
    most = max(longest, min(lengths))
    return [said for pair, length in zip(pairs, lengths, strict=True) if length <= most for said in pair]


def _described(rows: Rows, *, seed: int, workers: int) -> Iterable[list[Said]]:
    work = partial(descriptions, count=DESCRIBED, seed=seed)
    if workers == 1:
        return map(work, rows.style.tolist())
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        return list(pool.map(work, rows.style.tolist(), chunksize=200))


def pack_texts(texts: Sequence[Said], *, known: Sequence[int] = ()) -> tuple[Texts, list[int]]:
    """Descriptions as places in a table of units, and that table: known units first, then others that occur."""
    vectors = load_static_vectors()
    numbers = [vectors.units(said.text) for said in texts]
    place = {unit: number for number, unit in enumerate(known)}
    for unit in sorted({unit for each in numbers for unit in each}):
        place.setdefault(unit, len(place))
    return (
        Texts(
            np.array([place[unit] for each in numbers for unit in each], dtype=np.int32),
            np.concatenate([[0], np.cumsum([len(each) for each in numbers])]),
            np.array([said.style for said in texts], dtype=np.int16),
            np.array([[name in said.denied for name in ATTRIBUTES] for said in texts]),
        ),
        list(place),
    )


def row_weights(rows: Rows) -> Floats:
    """How often each row is drawn: sets by `SHARES`, whispers more often than others."""
    sets = rows.set
    weights = np.zeros(len(rows), dtype=np.float32)
    for name in np.unique(sets).tolist():
        own = sets == name
        weights[own] = SHARES.get(name, min(SHARES.values())) / own.sum()
    return weights * np.where(rows.variant == "whispered", np.float32(WHISPERS), np.float32(1.0))


def run_style(
    rows_file: Path,
    answers: Sequence[Path],
    out: Path,
    *,
    recipe: StyleRecipe,
    start: Path | None = None,
    without: str = "",
    workers: int = 1,
    device: torch.device,
    log: Callable[[str], None],
) -> Path:
    """Train a model; writes its weights and the units that it knows, and gives the weights' path.

    Args:
        rows_file: made by `recipes.style.rows`.
        answers: of ``style-foldN``, or of ``style-foldN-without-SET``.
        out: folder.
        recipe: how.
        start: weights to go on with; from nothing where there are none.
        without: a set that is left out.
        workers: processes that write descriptions.
        device: where it is trained.
        log: is told how far it is.
    """
    rows = read_rows(rows_file)
    rows = rows.take(np.flatnonzero((rows.split == "train") & (rows.set != without)))
    rows = with_answers(rows, answers_of_folds(answers, rows))
    if not len(rows):
        raise UsageError(f"{rows_file}: there is no row that the answers know the clip of.")
    log(message("train.rows", count=len(rows)))
    begun, known = (None, []) if start is None else load_style(start, recipe)
    made, known = make_lessons(rows, known=known, longest=recipe.longest, seed=recipe.seed, workers=workers)
    network = teach(made, recipe, start=begun, device=device, log=log)
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"style{'-without-' + without if without else ''}.safetensors"
    kept = {name: value.half().cpu().contiguous() for name, value in network.state_dict().items()}
    save_file(kept, path, metadata={"known": json.dumps(known)})
    return path


def load_style(path: Path, recipe: StyleRecipe) -> tuple[StyleNetwork, list[int]]:
    """The network that `run_style` wrote, and the units that it knows.

    Raises:
        RecordError: if the file is none of its.
    """
    try:
        with safe_open(path, framework="pt") as file:
            known: list[int] = json.loads(file.metadata()["known"])
    except (SafetensorError, TypeError, KeyError) as error:
        raise RecordError(f"{path}: no weights of `python -m recipes.style run` ({error}).") from error
    weights = {name: value.float() for name, value in load_file(path).items()}
    network = StyleNetwork(len(weights["audio.centre"]), len(known), load_static_vectors().size, recipe)
    network.load_state_dict(weights)
    return network.eval(), known


def fit_points(network: StyleNetwork, model: StyleModel, rows: Rows, *, seed: int = 2) -> list[list[float]]:
    """Points of the line from a cosine to a fit, rising in both.

    Pairs of voices and descriptions of the rows, half of them a voice with a description of its own or one with an
    attribute flipped, half with any other's. The share that is true becomes a grade by `GUIDE`, and isotonic regression
    draws the line.

    Args:
        network: trained.
        model: the same, exported: its cosines are what the line is for.
        rows: of speakers that were not trained on.
        seed: of the descriptions and pairs.
    """
    generator = np.random.default_rng(seed)
    said = [descriptions(style, count=DESCRIBED, seed=seed) for style in rows.style.tolist()]
    vectors = load_static_vectors()
    count = FIT_PAIRS // 2
    own = generator.integers(len(rows), size=count)
    voices = np.concatenate([own, generator.integers(len(rows), size=count)])
    sources = np.concatenate([own, generator.integers(len(rows), size=count)])
    chosen = [said[row][int(generator.integers(len(said[row])))] for row in sources]
    texts: dict[str, npt.NDArray[np.float32]] = {}
    for one in chosen:
        if one.text not in texts:
            units = vectors.units(one.text)
            texts[one.text] = model.description(units, vectors.unit_vectors(units))
    heard = embed_rows(network, rows.numbers)
    cosines = np.array([heard[row] @ texts[one.text] for row, one in zip(voices, chosen, strict=True)])
    shares = _shares(rows, voices, chosen)
    told = np.array(GUIDE)
    grades = np.interp(shares, told[:, 0], told[:, 1])
    line = isotonic(cosines[~np.isnan(shares)].tolist(), grades[~np.isnan(shares)].tolist())
    return _thinned(line)


def _shares(rows: Rows, voices: npt.NDArray[np.int64], said: Sequence[Said]) -> npt.NDArray[np.float64]:
    """How much of each description is true of the voice at the same place; NaN where nothing of it is known."""
    agreement = Agreement(torch.device("cpu"))
    found = np.empty(len(said))
    for start in range(0, len(said), 256):
        part = said[start : start + 256]
        style = torch.tensor([one.style for one in part])
        denied = torch.tensor([[name in one.denied for name in ATTRIBUTES] for one in part])
        true = torch.from_numpy(rows.style[voices[start : start + 256]].astype(np.int64))
        share, known = agreement(true, style, denied)
        found[start : start + 256] = np.where(known.diagonal() > 0, share.diagonal(), np.nan)
    return found


def _thinned(line: Sequence[tuple[float, float]]) -> list[list[float]]:
    """Few points of a line that rises in both, so that it can be read."""
    cosines, fits = np.array(line, dtype=np.float64).T
    places = np.quantile(cosines, np.linspace(0.0, 1.0, FIT_KNOTS))
    values = np.interp(places, cosines, fits)
    points: list[list[float]] = []
    for place, value in zip(places.round(4).tolist(), values.round(3).tolist(), strict=True):
        if not points or (place > points[-1][0] and value > points[-1][1]):
            points.append([place, value])
    return points


def finish_style(
    weights: Path,
    rows_file: Path,
    answers: Sequence[Path],
    out: Path,
    *,
    recipe: StyleRecipe,
    about: Mapping[str, object],
) -> list[Path]:
    """Write what is shipped: both ONNX files, and the line from a cosine to a fit under the model's signature."""
    network, known = load_style(weights, recipe)
    export_style(network, known, out, about=about)
    model = StyleModel((out / AUDIO_FILE).read_bytes(), (out / TEXT_FILE).read_bytes())
    rows = read_rows(rows_file)
    rows = rows.take(np.flatnonzero(rows.split == "dev"))
    points = fit_points(network, model, with_answers(rows, answers_of_folds(answers, rows)))
    file = out / "fit.json"
    write_whole(file, json.dumps({model.signature: points}, indent=1) + "\n")
    return [out / AUDIO_FILE, out / TEXT_FILE, file]
