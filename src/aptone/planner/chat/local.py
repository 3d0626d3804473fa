"""The planner that runs on this machine: a chat model of transformers, such as the paper's Qwen3-8B."""

from collections.abc import Mapping

from aptone.models.local.chat import LocalChat
from aptone.models.local.generation import Placement, Precision
from aptone.planner.chat.planner import MAX_TOKENS, TEMPERATURE, ChatPlanner
from aptone.planner.windows import LARGEST_WINDOW, Voting
from aptone.types import Json

MODEL = "Qwen/Qwen3-8B"
"""The planner of the paper, on the Hugging Face hub."""

WITHOUT_THOUGHTS: Mapping[str, Json] = {"enable_thinking": False}
"""Option of Qwen3's chat template: held to JSON, it could not think aloud. Templates that do not know it ignore it."""


class LocalPlanner(ChatPlanner):
    """A chat model of transformers as the planner. Its replies are held to the JSON that is asked for.

    Args:
        model: a folder, or a name on the Hugging Face hub.
        revision: of the weights on the hub; empty for the newest. Give one where plans are to be repeated.
        device: ``cpu``, ``cuda``, ``cuda:1``, …, or ``auto`` to spread it over what there is.
        precision: of its numbers; ``auto`` for that of the file.
        template: options for its chat template.
        prompts, windows, voting, thrifty, temperature, max_tokens, replan: as for `ChatPlanner`.

    Raises:
        UsageError: if an option is not one.
    """

    def __init__(
        self,
        *,
        model: str = MODEL,
        revision: str = "",
        device: str = "auto",
        precision: Precision = "auto",
        template: Mapping[str, Json] = WITHOUT_THOUGHTS,
        prompts: str | None = None,
        windows: int = LARGEST_WINDOW,
        voting: Voting = "release",
        thrifty: bool = False,
        temperature: float = TEMPERATURE,
        max_tokens: int = MAX_TOKENS,
        replan: bool = False,
    ) -> None:
        placement = Placement(model, revision=revision, device=device, precision=precision)
        super().__init__(
            LocalChat(placement, template=template),
            prompts=prompts,
            windows=windows,
            voting=voting,
            thrifty=thrifty,
            temperature=temperature,
            max_tokens=max_tokens,
            replan=replan,
        )
