"""Built-in engines: pairs of planner and judge under a name."""

from aptone.messages import message
from aptone.models import Engine

BUILT_IN = Engine(name="built-in", summary=message("judge.engine-built-in"), planner="built-in", judge="built-in")
"""No download, no key, no GPU."""

API = Engine(name="api", summary=message("judge.engine-api"), planner="api", judge="api", width=8)
"""vLLM, SGLang, llama.cpp, Ollama, or a vendor."""

LOCAL = Engine(name="local", summary=message("judge.engine-local"), planner="local", judge="local")
"""The planner is a chat model of transformers, too; `--planner built-in` needs no second large model."""
