"""Writing with a cache that stays where it is: the same logits as with the stock one, recorded or not."""

import pytest

pytest.importorskip("torch", reason="the model needs torch: pip install 'aptone[local]'")
pytest.importorskip("transformers", reason="the extra local is not installed")

import contextlib
import copy
import gc
import sys
import weakref
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from transformers import DynamicCache

from aptone.models.omni import fixed_step as local_fixed_step
from aptone.models.omni.attention import GatePosition
from aptone.models.omni.attention_layout import Markers
from aptone.models.omni.fixed_step import FixedCache
from aptone.models.omni.model import GatedThinker, Writing
from tests.models.local_models import Dictation, omni_config, omni_weights

AUDIO, SCORE, SCORE_END, FOCUS, FOCUS_END = 30, 31, 32, 33, 34
SPANS = ((SCORE, SCORE_END), (FOCUS, FOCUS_END))
RELEASE = Markers(audio=(AUDIO,), spans=SPANS)
PAPER = Markers(audio=(AUDIO, 35, 36), spans=SPANS, reasoning=(20, 21))
PROMPTS = [
    [0, 0, 0, 5, 6, 35, AUDIO, AUDIO, AUDIO, 36, 7, 8],
    [4, SCORE, 9, SCORE_END, 35, AUDIO, AUDIO, 36, 10, 11, FOCUS, 12],
]
MASK = [[0, 0, 0, *[1] * 9], [1] * 12]
WRITTEN = [
    [20, FOCUS, 13, 14, FOCUS_END, 15, 21, SCORE, 16, 17, SCORE_END, 18],
    [13, FOCUS_END, 14, 20, SCORE, 16, FOCUS, 17, 18, 21, 19, AUDIO],
]


@pytest.fixture(scope="module")
def thinker() -> GatedThinker:
    config = omni_config(40, {"<|AUDIO|>": AUDIO, "<|audio_bos|>": 35, "<|audio_eos|>": 36})
    model = GatedThinker(config).eval()
    weights = omni_weights(config)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            flat = name.replace("model.language_model.", "model.").replace("model.audio_tower", "audio_tower")
            parameter.copy_(weights[flat.replace("model.visual", "visual")])
    return model  # type: ignore[no-any-return]


def written(model: GatedThinker, writing: Writing, **options: Any) -> tuple[Tensor, Any]:
    """(rows, steps, words), logits before each dictated token; and the cache."""
    model.writing = writing
    made = model.generate(
        input_ids=torch.tensor(PROMPTS),
        attention_mask=torch.tensor(MASK),
        **{"max_new_tokens": len(WRITTEN[0]), "do_sample": False, "eos_token_id": None, "pad_token_id": 0, **options},
        logits_processor=[Dictation(WRITTEN, shown=len(PROMPTS[0]))],
        output_logits=True,
        return_dict_in_generate=True,
    )
    return torch.stack(made.logits, dim=1), made.past_key_values


class Recording(TorchDispatchMode):
    """Does what a recording on a GPU does: the same operations again, on the same memory, whatever the host thinks.

    Unlike there, what is recorded is done as well; so the first replay does nothing.
    """

    made: ClassVar[list["Recording"]] = []

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.operations: list[tuple[Any, tuple[Any, ...], dict[str, Any], Any]] = []
        self.replays = 0
        Recording.made.append(self)

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        self.operations.append((func, args, kwargs or {}, found))
        return found

    def replay(self) -> None:
        self.replays += 1
        if self.replays == 1:
            return
        for func, args, kwargs, before in self.operations:
            places = {
                one.untyped_storage().data_ptr() for one in tree_leaves((args, kwargs)) if isinstance(one, Tensor)
            }
            with torch.autocast("cpu", enabled=False):  # what it cast has been recorded
                again = func(*args, **kwargs)
            for old, new in zip(tree_leaves(before), tree_leaves(again), strict=True):
                if isinstance(old, Tensor) and old.untyped_storage().data_ptr() not in places:
                    old.copy_(new)


def recorded(work: Callable[[], None], device: torch.device) -> Callable[[], None]:
    recording = Recording()
    with recording:
        work()
    return recording.replay


@pytest.fixture
def recordings(monkeypatch: pytest.MonkeyPatch) -> list[Recording]:
    """Recordings, here on a CPU."""
    monkeypatch.setattr(local_fixed_step, "RECORDERS", {"cpu": recorded})
    monkeypatch.setattr(local_fixed_step, "UNRECORDED", 2)
    monkeypatch.setattr(Recording, "made", [])
    return Recording.made


@pytest.mark.parametrize("gate_position", ["query", "key"])
@pytest.mark.parametrize("markers", [RELEASE, PAPER, None])
def test_every_logit_is_that_of_the_stock_cache(
    thinker: GatedThinker, markers: Markers | None, gate_position: GatePosition
) -> None:
    thinker.bias_by(markers, gate_position=gate_position)
    (fixed, cache), (growing, stock) = written(thinker, "fixed"), written(thinker, "growing")
    assert isinstance(cache, FixedCache)
    assert isinstance(stock, DynamicCache)
    assert torch.allclose(fixed, growing, atol=1e-5)
    assert cache.get_seq_length() == stock.get_seq_length()


@pytest.mark.parametrize("markers", [RELEASE, PAPER])
def test_what_is_written_before_any_audio_counts_as_instruction(
    thinker: GatedThinker, markers: Markers, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = [[5 if one in PAPER.audio else one for one in prompt] for prompt in PROMPTS]
    monkeypatch.setattr(sys.modules[__name__], "PROMPTS", silent)
    thinker.bias_by(markers)
    fixed, _ = written(thinker, "fixed")
    growing, _ = written(thinker, "growing")
    assert torch.allclose(fixed, growing, atol=1e-5)


@pytest.mark.parametrize("stride", [256, 4])
@pytest.mark.parametrize("markers", [RELEASE, PAPER, None])
def test_a_recorded_step_writes_the_same(
    thinker: GatedThinker,
    markers: Markers | None,
    stride: int,
    recordings: list[Recording],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(local_fixed_step, "STRIDE", stride)
    thinker.bias_by(markers)
    fixed, _ = written(thinker, "fixed")
    growing, _ = written(thinker, "growing")
    # The first token is prefill's, two steps are not recorded; one more behind each growth, at 16 and at 20 positions.
    steps = len(WRITTEN[0]) - 1
    assert [one.replays for one in recordings] == ([steps - 2] if stride == 256 else [2, 3, 2])
    assert torch.allclose(fixed, growing, atol=1e-5)


def test_what_is_recorded_asks_the_host_nothing(thinker: GatedThinker, recordings: list[Recording]) -> None:
    for markers in (PAPER, None):
        thinker.bias_by(markers)
        written(thinker, "fixed")
    names = {str(func) for one in recordings for func, *_ in one.operations}
    assert "aten.index_copy_.default" in names
    assert not names & {"aten._local_scalar_dense.default", "aten.nonzero.default", "aten.equal.default"}


def test_a_short_reply_is_not_recorded(thinker: GatedThinker, recordings: list[Recording]) -> None:
    thinker.bias_by(RELEASE)
    written(thinker, "fixed", max_new_tokens=3)
    assert not recordings


def test_prompts_in_chunks_are_written_alike(thinker: GatedThinker, recordings: list[Recording]) -> None:
    thinker.bias_by(None)
    whole, _ = written(thinker, "growing")
    try:
        written(thinker, "growing", prefill_chunk_size=5)
    except RuntimeError:
        pytest.skip("this transformers cannot read the prompts of Qwen2.5-Omni in chunks (5.17 cannot)")
    chunks, cache = written(thinker, "fixed", prefill_chunk_size=5)
    assert isinstance(cache, FixedCache)
    assert torch.allclose(chunks, whole, atol=1e-5)
    singly, _ = written(thinker, "fixed", prefill_chunk_size=1)  # the first three of a row are padding
    assert torch.allclose(singly, whole, atol=1e-5)


@pytest.mark.parametrize(("writing", "size"), [("fixed", 5), ("growing", 5), ("growing", 11), ("growing", 1)])
def test_prompts_in_chunks_are_refused_where_the_bias_is_on(thinker: GatedThinker, size: int, writing: Writing) -> None:
    thinker.bias_by(RELEASE)
    with pytest.raises(ValueError, match="all token ids so far"):
        written(thinker, writing, prefill_chunk_size=size)


@pytest.mark.parametrize("more", [[], [7, 9]])
def test_writing_goes_on_with_the_cache_that_it_left(
    thinker: GatedThinker, more: list[int], recordings: list[Recording]
) -> None:
    thinker.bias_by(RELEASE)
    thinker.writing = "fixed"
    options: dict[str, Any] = {"max_new_tokens": 6, "do_sample": False, "eos_token_id": None, "pad_token_id": 0}
    options |= {"return_dict_in_generate": True, "output_logits": True}
    begun = thinker.generate(input_ids=torch.tensor(PROMPTS), attention_mask=torch.tensor(MASK), **options)
    ids = torch.cat([begun.sequences, torch.tensor([more, more], dtype=torch.long)], dim=1)
    mask = torch.cat([torch.tensor(MASK), torch.ones(2, ids.shape[1] - len(MASK[0]), dtype=torch.long)], dim=1)
    gone_on = thinker.generate(input_ids=ids, attention_mask=mask, past_key_values=begun.past_key_values, **options)
    thinker.writing = "growing"
    anew = thinker.generate(input_ids=ids, attention_mask=mask, **options)
    assert gone_on.sequences.tolist() == anew.sequences.tolist()
    assert torch.allclose(torch.stack(gone_on.logits), torch.stack(anew.logits), atol=1e-4)


@contextlib.contextmanager
def doubled(model: GatedThinker) -> Iterator[None]:
    """Double the logits, as an adapter could do."""
    hook = model.lm_head.register_forward_hook(lambda _, __, logits: 2.0 * logits)
    yield
    hook.remove()


def interrupted(cache: FixedCache, positions: int) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("change", ["bias", "adapter", "failure", "copy"])
def test_what_has_changed_meanwhile_counts_where_writing_goes_on(
    thinker: GatedThinker, change: str, recordings: list[Recording], monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, Any] = {"max_new_tokens": 6, "do_sample": False, "eos_token_id": None, "pad_token_id": 0}
    options |= {"return_dict_in_generate": True, "output_logits": True}
    found: dict[Writing, Tensor] = {}
    for way in ("fixed", "growing"):
        thinker.writing = way
        thinker.bias_by(RELEASE)
        begun = thinker.generate(input_ids=torch.tensor(PROMPTS), attention_mask=torch.tensor(MASK), **options)
        cache = begun.past_key_values
        mask = torch.cat([torch.tensor(MASK), torch.ones(2, 6, dtype=torch.long)], dim=1)
        known = {"input_ids": begun.sequences, "attention_mask": mask}
        if change == "bias":
            thinker.bias_by(None)
        elif change == "copy":
            cache = copy.deepcopy(cache)
            assert getattr(cache, "step", None) is None  # it would hold a copy of the whole model
        elif change == "failure" and isinstance(cache, FixedCache):
            assert cache.step is not None
            with monkeypatch.context() as patch, torch.no_grad():
                patch.setattr(FixedCache, "advance", interrupted)  # behind all that a step does on the device
                with pytest.raises(KeyboardInterrupt):
                    cache.step(cache, begun.sequences[:, -1:], torch.zeros(2, 1, dtype=torch.long))
        with doubled(thinker) if change == "adapter" else contextlib.nullcontext():
            found[way] = torch.stack(thinker.generate(**known, past_key_values=cache, **options).logits)
    assert torch.allclose(found["fixed"], found["growing"], atol=1e-4)


def test_a_position_that_is_no_token_is_written_without_a_step(thinker: GatedThinker) -> None:
    thinker.bias_by(None)
    found: dict[Writing, Tensor] = {}
    for way in ("fixed", "growing"):
        _, cache = written(thinker, way)
        embedded = thinker.get_input_embeddings()(torch.tensor([[5], [6]]))
        positions = torch.full((3, 2, 1), 23)
        with torch.no_grad():
            made = thinker(inputs_embeds=embedded, position_ids=positions, past_key_values=cache)
        found[way] = made.logits
    assert torch.allclose(found["fixed"], found["growing"], atol=1e-5)


def test_positions_of_one_axis_serve_for_all_three(thinker: GatedThinker) -> None:
    thinker.bias_by(RELEASE)
    positions = torch.tensor(MASK).cumsum(dim=1).sub(1).clamp_min(0)
    fixed, _ = written(thinker, "fixed", position_ids=positions)
    growing, _ = written(thinker, "growing", position_ids=positions)
    assert torch.allclose(fixed, growing, atol=1e-5)


@pytest.mark.parametrize("markers", [RELEASE, None])
def test_weights_in_32_bits_write_alike_with_autocast(
    thinker: GatedThinker, markers: Markers | None, recordings: list[Recording]
) -> None:
    thinker.bias_by(markers)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        fixed, cache = written(thinker, "fixed")
        growing, stock = written(thinker, "growing")
    # Positions turn keys back into 32 bits, values stay in 16; the stock cache keeps both alike.
    for one in (cache, stock):
        assert {one.layers[0].keys.dtype, one.layers[0].values.dtype} == {torch.float32}
    assert torch.allclose(fixed, growing, atol=0.05)


@pytest.mark.parametrize(
    "options",
    [
        {"num_beams": 2},
        {"use_cache": False},
        {"cache_implementation": "dynamic"},
        {"output_hidden_states": True},
        {"output_attentions": True},
        {"past_key_values": DynamicCache()},
    ],
)
def test_what_a_fixed_cache_cannot_do_is_left_to_the_stock_one(
    thinker: GatedThinker, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FixedCache, "__init__", lambda *_: pytest.fail("a fixed cache was made"))
    thinker.bias_by(RELEASE)
    thinker.writing = "fixed"
    ids = torch.tensor(PROMPTS)
    made = thinker.generate(
        input_ids=ids, attention_mask=torch.tensor(MASK), max_new_tokens=2, pad_token_id=0, **options
    )
    assert (made if isinstance(made, Tensor) else made.sequences).shape == (2, ids.shape[1] + 2)


def test_a_processor_writes_with_the_stock_cache_unless_told(thinker: GatedThinker) -> None:
    assert GatedThinker(thinker.config).writing == "auto"
    assert isinstance(written(thinker, "auto")[1], DynamicCache)


@pytest.fixture
def devices(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[torch.device]]:
    """Devices on which something is recorded; there is no GPU here."""
    told: list[torch.device] = []

    @contextlib.contextmanager
    def graph(_: Any, *, stream: Any, capture_error_mode: str) -> Iterator[None]:
        told.append(stream.device)
        yield

    monkeypatch.setattr(torch.cuda, "graph", graph)
    monkeypatch.setattr(torch.cuda, "CUDAGraph", lambda: SimpleNamespace(replay=lambda: None))
    monkeypatch.setattr(torch.cuda, "Stream", lambda device: SimpleNamespace(device=device))
    local_fixed_step._stream.cache_clear()
    yield told
    local_fixed_step._stream.cache_clear()


def test_a_step_is_recorded_on_the_device_of_the_model(devices: list[torch.device]) -> None:
    asked = [torch.device("cuda", index) for index in (1, 0, 1)]
    for device in asked:
        local_fixed_step.RECORDERS["cuda"](lambda: None, device)
    assert devices == asked


def test_who_attaches_what_cannot_be_recorded_is_told_how_to_write(devices: list[torch.device]) -> None:
    def work() -> None:
        raise RuntimeError("operation not permitted when stream is capturing")

    with pytest.raises(RuntimeError, match="not permitted") as caught:
        local_fixed_step.RECORDERS["cuda"](work, torch.device("cuda", 0))
    assert '"growing"' in caught.value.__notes__[0]


def test_memory_is_free_as_soon_as_a_reply_is_written(thinker: GatedThinker, recordings: list[Recording]) -> None:
    thinker.bias_by(RELEASE)
    gc.collect()
    gc.disable()
    try:
        _, cache = written(thinker, "fixed")
        keys = weakref.ref(cache.layers[0].keys)
        recordings.clear()
        del cache
        assert keys() is None
    finally:
        gc.enable()
