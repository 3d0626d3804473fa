"""Chat planners by name: behind an OpenAI-compatible server, or on this machine."""

from collections.abc import Mapping
from typing import Unpack

from aptone.models.local.chat import LocalChat
from aptone.models.local.placement import PlacementOptions, placement_of
from aptone.models.openai.chat import OpenAiChat, ServerOptions, served_chat
from aptone.models.parts import passes_on, split_options
from aptone.planner.chat.planner import ChatPlanner, ChatPlannerOptions
from aptone.types import Json

MODEL = "Qwen/Qwen3-8B"
"""Planner of the paper, on the Hugging Face hub."""

WITHOUT_THOUGHTS: Mapping[str, Json] = {"enable_thinking": False}
"""Option of Qwen3's chat template: constrained to JSON, it cannot think aloud. Other templates ignore it."""


class ApiPlannerOptions(ServerOptions, ChatPlannerOptions, total=False):
    """Options of `ApiPlanner`."""


class ApiPlanner(ChatPlanner):
    """Planner by a model behind an OpenAI-compatible server: vLLM, SGLang, llama.cpp, Ollama, or a vendor.

    Args:
        options: those of the server, see `aptone.models.openai.chat.served_chat`, and of `ChatPlanner`; without
            ``model``, the environment variable ``APTONE_PLANNER_MODEL`` names the model.

    Raises:
        UsageError: if model or server is missing, or an option has a wrong type or value.
    """

    @passes_on(served_chat, ChatPlanner)
    def __init__(self, **options: Unpack[ApiPlannerOptions]) -> None:
        server, own = split_options(options, ServerOptions, ChatPlannerOptions)
        super().__init__(served_chat(OpenAiChat, "planner", **server), **own)


class LocalPlannerOptions(PlacementOptions, ChatPlannerOptions, total=False):
    """Options of `LocalPlanner` that go on to the placement of its weights and to `ChatPlanner`."""


class LocalPlanner(ChatPlanner):
    """Planner by a chat model of transformers on this machine; its replies are constrained to JSON.

    Args:
        model: folder, or name on the Hugging Face hub.
        options: revision, device and precision, see `aptone.models.local.placement.Placement`, and those of
            `ChatPlanner`.

    Raises:
        UsageError: if an option has a wrong type or value.
    """

    @passes_on(placement_of, ChatPlanner)
    def __init__(
        self,
        *,
        model: str = MODEL,
        template: Mapping[str, Json] = WITHOUT_THOUGHTS,
        **options: Unpack[LocalPlannerOptions],
    ) -> None:
        weights, own = split_options(options, PlacementOptions, ChatPlannerOptions)
        placement = placement_of("planner", model=model, **weights)
        super().__init__(LocalChat(placement, template=template), **own)
