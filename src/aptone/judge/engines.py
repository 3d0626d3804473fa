"""The engines that come with Aptone: which planner and judge work together under a name."""

from aptone.models import Engine

BUILT_IN = Engine(
    name="built-in",
    summary="what the ear hears against what the story asks for, aspect by aspect; never compared with listeners",
    planner="built-in",
    judge="built-in",
)
"""No download, no key, no GPU."""

API = Engine(
    name="api",
    summary="a speech-language model behind an OpenAI-compatible server; it hears the clip and writes its verdict",
    planner="api",
    judge="api",
    width=8,
)
"""vLLM, SGLang, llama.cpp, Ollama, or a vendor."""

LOCAL = Engine(
    name="local",
    summary="a speech-language model of transformers on this machine, CEAEval-M among them; best with a GPU",
    planner="local",
    judge="local",
)
"""The planner is a chat model of transformers, too; `--planner built-in` needs no second large model."""
