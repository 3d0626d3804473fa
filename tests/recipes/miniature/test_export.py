"""A miniature says without torch what it says with it."""

import itertools
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("transformers", reason="the extra local is not installed")
import torch

from aptone.errors import RecordError, UsageError
from aptone.judge.chat.conversation import Conversation
from aptone.models.local.generation import Placement
from aptone.models.omni.attention import extend
from aptone.models.omni.checkpoint import BiasForm, Omni, load_omni
from aptone.types import Audio, dumps, loads
from recipes.miniature.engine_network import HEAR, SETTINGS, WRITE, MiniatureNetwork, load_miniature, revision_of
from recipes.miniature.engine_regions import Place, follow
from recipes.miniature.engine_writing import ask
from recipes.miniature.export import export_miniature, tokens_of
from recipes.miniature.run import SOUNDS
from recipes.miniature.sounds import SCALE, KeptSounds, RememberingOmni
from tests.judge.miniatures import SAID, save_miniature

FRAMES = np.random.default_rng(3).normal(0.0, 1.0, (57, 336)).astype(np.float32)
CONVERSATION = Conversation("Give the score only.", "emotion: happy\nline: It's 4 o'clock, she said.")


def pair(folder: Path, form: BiasForm) -> tuple[Omni, MiniatureNetwork]:
    model = save_miniature(folder, form=form)
    export_miniature(model, folder / "exact", exact=True)
    omni = load_omni.__wrapped__(Placement(str(model), device="cpu", precision="float32"))
    kept = KeptSounds(FRAMES, {"clip": (0, len(FRAMES))})  # type: ignore[arg-type]
    return RememberingOmni(omni.name, omni.model, omni.tokenizer, omni.extractor, omni.markers, kept), load_miniature(
        folder / "exact"
    )


@pytest.fixture(scope="module", params=["release", "paper"])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Omni, MiniatureNetwork]:
    return pair(tmp_path_factory.mktemp(request.param), request.param)


def said(network: MiniatureNetwork) -> list[int]:
    control, encode = network.tokens.control, network.tokens.encode
    return [token for part in SAID for token in ([control[part]] if part in control else encode(part))]


def test_a_prompt_has_the_tokens_that_transformers_gives_it(both: tuple[Omni, MiniatureNetwork]) -> None:
    omni, network = both
    clip = Audio(np.zeros(1, dtype=np.float32), rate=16_000, source="clip")
    expected = omni.inputs([CONVERSATION.messages(clip)], aac=False)["input_ids"][0].tolist()
    assert list(ask(network, CONVERSATION, FRAMES).ids) == expected


@pytest.mark.parametrize("gated", [True, False])
def test_logits_are_those_of_torch_behind_the_prompt_and_at_every_step(
    both: tuple[Omni, MiniatureNetwork], *, gated: bool
) -> None:
    omni, network = both
    asked = ask(network, CONVERSATION, FRAMES)
    ids = [*asked.ids, *said(network)]
    omni.switch(gated=gated, gate_position="query")
    with torch.inference_mode():
        sounds = omni.sounds([torch.from_numpy(FRAMES.T.copy())[None]])
        expected = omni.model(torch.tensor([ids]), attention_mask=torch.ones(1, len(ids)).long(), **sounds).logits[0]
    markers = network.settings.markers
    assert markers is not None
    followed = follow(Place.start(markers), ids)
    regions = np.array([followed.regions, followed.regions], dtype=np.int64)
    active = np.array([followed.active, followed.active]) & gated
    assert active.any() == gated
    laid = np.zeros((2, len(ids), asked.sounds.shape[1]), dtype=np.float32)
    laid[:, [place for place, token in enumerate(ids) if token == network.settings.audio[1]]] = asked.sounds
    # In one go up to the end of the prompt, then token by token, then the last three at once; two rows that are alike.
    count = len(asked.ids)
    edges = [0, *range(count, len(ids) - 2), len(ids)]
    past = np.repeat(network.empty(), 2, axis=2)
    for first, last in itertools.pairwise(edges):
        rows = np.array([ids[first:last]] * 2, dtype=np.int64)
        logits, past = network.read(
            rows, laid[:, first:last], regions=regions[:, :last], active=active[:, first:last], past=past
        )
        assert np.abs(logits - expected[last - 1].numpy()).max() < 1e-4
    assert float(expected.std()) > 0.05  # else everything would be equal to everything


def test_regions_and_active_spans_are_those_of_torch(both: tuple[Omni, MiniatureNetwork]) -> None:
    omni, _ = both
    generator = np.random.default_rng(5)
    for _ in range(20):
        ids = generator.integers(0, 16, 60).tolist()
        trace = extend(None, torch.tensor([ids]), omni.markers)  # type: ignore[arg-type]
        followed = follow(Place.start(omni.markers), ids)  # type: ignore[arg-type]
        assert [int(region) for region in followed.regions] == trace.regions[0].tolist()
        assert list(followed.active) == trace.active[0].tolist()
        assert list(followed.place.inside) == trace.inside[0].tolist()


def test_eight_bits_take_a_quarter_and_say_nearly_the_same(tmp_path: Path) -> None:
    model = save_miniature(tmp_path)
    sizes, heard = [], []
    for exact in (True, False):
        out = tmp_path / str(exact)
        settings = export_miniature(model, out, exact=exact)
        sizes.append(sum((out / name).stat().st_size for name in (HEAR, WRITE)))
        network = load_miniature(out)
        assert network.settings == settings
        heard.append(network.hear(FRAMES))
    assert sizes[1] < sizes[0] / 2  # the names of nodes weigh something in a model this small
    assert 0.0 < np.abs(heard[0] - heard[1]).max() < 0.05 * np.abs(heard[0]).max()


def test_the_same_weights_have_the_same_revision_and_others_another(tmp_path: Path) -> None:
    one, other = save_miniature(tmp_path / "a"), save_miniature(tmp_path / "b", seed=2)
    made = [export_miniature(model, tmp_path / str(n)) for n, model in enumerate((one, one, other))]
    assert made[0] == made[1]
    assert made[0].revision != made[2].revision


def test_what_is_missing_or_another_model_is_refused_with_what_to_do(tmp_path: Path) -> None:
    model = save_miniature(tmp_path)
    revision = export_miniature(model, tmp_path / "out").revision
    (model / SCALE).rename(tmp_path / SCALE)
    with pytest.raises(UsageError, match="copy it there"):
        export_miniature(model, tmp_path / "out")
    (tmp_path / SOUNDS).mkdir()
    (tmp_path / SCALE).rename(tmp_path / SOUNDS / SCALE)
    assert export_miniature(model, tmp_path / "out").revision == revision
    (model / SCALE).write_bytes(b"nothing")
    with pytest.raises(RecordError, match="no scale of frames"):
        export_miniature(model, tmp_path / "out")
    np.save(model / SCALE, np.zeros((2, 5), dtype=np.float32))
    with pytest.raises(RecordError, match="336 numbers"):
        export_miniature(model, tmp_path / "out")
    tokenizer = model / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text().replace('"ByteLevel"', '"Whitespace"', 1))
    with pytest.raises(RecordError, match="byte-level BPE"):
        tokens_of(tokenizer)


def test_a_folder_without_weights_names_the_next_step_and_damaged_ones_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="aptone train miniature export"):
        load_miniature(tmp_path / "nothing")
    export_miniature(save_miniature(tmp_path), tmp_path / "out")
    settings, graph = tmp_path / "out" / SETTINGS, tmp_path / "out" / WRITE
    whole = graph.read_bytes()
    for damaged in (b"", b"\x00damaged", whole[:-1], whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:]):
        graph.write_bytes(damaged)
        with pytest.raises(RecordError, match="do not belong together; write them again with aptone train"):
            load_miniature(tmp_path / "out")
    kept = loads(settings.read_bytes(), what="settings")
    assert isinstance(kept, dict)
    assert isinstance(kept["settings"], dict)
    graph.write_bytes(b"no graph")
    kept["settings"]["revision"] = revision_of([(tmp_path / "out" / HEAR).read_bytes(), b"no graph"], kept)
    settings.write_text(dumps(kept))
    with pytest.raises(RecordError, match="cannot be loaded"):
        load_miniature(tmp_path / "out")
    for text in ("{}", "[]", "{", '{"settings": {}, "tokens": {}, "scale": []}'):
        settings.write_text(text)
        with pytest.raises(RecordError, match=r"no settings of a miniature .*; write them again"):
            load_miniature(tmp_path / "out")
