"""The engine that asks an OpenAI-compatible server: vLLM, SGLang, llama.cpp, Ollama, or a vendor."""

from aptone.models import Engine

ENGINE = Engine(
    name="api",
    summary="a speech-language model behind an OpenAI-compatible server; it hears the clip and writes its verdict",
    planner="api",
    judge="api",
    width=8,
)
