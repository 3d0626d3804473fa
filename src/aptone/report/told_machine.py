"""What ``aptone doctor`` says of engines, ears, models and extras, in Mandarin beside its English.

Summaries of engines and models stand in one place only, in English, beside what they describe.
"""

from aptone.report.phrase import Phrase

MACHINE_TOLD: tuple[Phrase, ...] = (
    # engines and ears
    Phrase(
        "what the ear hears against what the story asks for, aspect by aspect; never compared with listeners",
        "将听到的与故事所要求的逐项对照；从未与听众的评价比较过",
    ),
    Phrase(
        "a speech-language model behind an OpenAI-compatible server; it hears the clip and writes its verdict",
        "OpenAI 兼容服务器上的语音语言模型；听录音并写出评语",
    ),
    Phrase(
        "a speech-language model of transformers on this machine, CEAEval-M among them; best with a GPU",
        "本机上由 transformers 运行的语音语言模型，如 CEAEval-M；最好有 GPU",
    ),
    Phrase(
        "a speech-language model of 14 million weights on this machine's processor; learnt a formula's grades",
        "在本机处理器上运行的 1400 万参数语音语言模型；学的是公式给出的分数",
    ),
    Phrase("hears how something is said; selected", "听出话是怎样说的；当前选用"),
    Phrase("hears how something is said; select it with {variable}", "听出话是怎样说的；用 {variable} 选用"),
    # models
    Phrase("A model behind an OpenAI-compatible server that says texts", "OpenAI 兼容服务器上的语音合成模型"),
    Phrase(
        "A model behind an OpenAI-compatible server that gives texts their vectors",
        "OpenAI 兼容服务器上的文本向量模型",
    ),
    Phrase("A model behind an OpenAI-compatible server that writes down speech", "OpenAI 兼容服务器上的语音转写模型"),
    Phrase("A server of CosyVoice, from options of a command line", "CosyVoice 服务器，由命令行选项指定"),
    Phrase("The program espeak-ng: English and Mandarin", "程序 espeak-ng：英语和汉语"),
    Phrase("The program festival: English", "程序 festival：英语"),
    Phrase("The program flite: English", "程序 flite：英语"),
    Phrase("The program piper: English and Mandarin, by a voice file", "程序 piper：英语和汉语，需要语音文件"),
    Phrase(
        "A synthesiser such as VITS or MMS-TTS, run by transformers", "由 transformers 运行的合成器，如 VITS 或 MMS-TTS"
    ),
    Phrase(
        "Voices and English or Mandarin descriptions of them to vectors of length 1; nothing to install",
        "把嗓音及其英语或汉语描述变为长度为 1 的向量；无需另外安装",
    ),
    Phrase(
        "A dual encoder that aptone train clap made, or a CLAP of transformers",
        "aptone train clap 训练的双编码器，或 transformers 的 CLAP",
    ),
    Phrase(
        "English and Mandarin texts to vectors whose cosine says how near their meanings are; nothing to install",
        "把英语和汉语文本变为向量，余弦表示意思的远近；无需另外安装",
    ),
    Phrase(
        "A sentence encoder such as Qwen3-Embedding, run by transformers",
        "由 transformers 运行的句子编码器，如 Qwen3-Embedding",
    ),
    Phrase(
        "A speech recogniser such as Whisper or wav2vec 2.0, run by transformers",
        "由 transformers 运行的语音识别模型，如 Whisper 或 wav2vec 2.0",
    ),
    Phrase(
        "Moonshine tiny, which writes down English speech on a plain CPU", "Moonshine tiny，在普通 CPU 上转写英语语音"
    ),
    # extras
    Phrase("reads m4a, webm, aac and mp4", "读取 m4a、webm、aac 和 mp4"),
    Phrase("loads runs into pandas and polars", "把运行结果载入 pandas 和 polars"),
    Phrase("writes down English speech offline: audiobooks, spoken answers", "离线转写英语语音：有声书、语音回答"),
    Phrase("serves listening studies in the browser: aptone studio", "在浏览器中做听音研究：aptone studio"),
    Phrase("runs on many machines", "在多台机器上运行"),
    # what to do
    Phrase(
        "which model is the {what}, and where? Say --set {part}.base_url=http://localhost:8000/v1 "
        "--set {part_too}.model=NAME (or set OPENAI_BASE_URL and {variable})",
        "需要指定 {what} 的模型及其地址：--set {part}.base_url=http://localhost:8000/v1 --set {part_too}.model=NAME"
        "（或设置 OPENAI_BASE_URL 和 {variable}）",
    ),
    Phrase(
        "which model is the judge? Say --set judge.model=NAME, a folder or a name on the Hugging Face hub, for "
        "instance TianRW/CEAEval-Model",
        "需要指定评审模型：--set judge.model=NAME，可以是文件夹或 Hugging Face 上的名称，如 TianRW/CEAEval-Model",
    ),
    Phrase(
        "the address of the server is missing; expected something like http://localhost:8000/v1 "
        "(an option of the engine, or the environment variable OPENAI_BASE_URL)",
        "缺少服务器地址，例如 http://localhost:8000/v1（引擎的选项，或环境变量 OPENAI_BASE_URL）",
    ),
    Phrase(
        "{what} needs the program {program}, which is not installed here: {why}",
        "{what} 需要程序 {program}，本机没有安装：{why}",
    ),
    Phrase(
        "its weights are missing or damaged: pip install --force-reinstall aptone",
        "权重缺失或损坏：pip install --force-reinstall aptone",
    ),
)
"""Sentences in English and in Mandarin; names in braces are filled in."""
