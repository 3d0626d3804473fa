"""What a training says while it runs, to whoever waits for it, in English or Mandarin.

The trainings speak English, for what they say may be kept beside a model. Lines of theirs are known here, with blanks
for numbers and names, and said in Mandarin to whoever reads that; names of figures stay as they are.
"""

from collections.abc import Callable

import click

from aptone.ear.mandarin_reasons import sentence_pattern
from aptone.report.phrase import Phrase
from aptone.types import Language

LINES: tuple[Phrase, ...] = (
    # steps
    Phrase("step {step}: loss {loss}", "第 {step} 步：损失 {loss}"),
    Phrase("step {step}: loss {loss}; on dev {names}", "第 {step} 步：损失 {loss}；开发集：{names}"),
    Phrase("step {step}: loss {loss}, {what}; on dev {names}", "第 {step} 步：损失 {loss}，{what}；开发集：{names}"),
    Phrase("step {step}: loss {loss}, {what}", "第 {step} 步：损失 {loss}，{what}"),
    Phrase("step {step}: {what}", "第 {step} 步：{what}"),
    Phrase("step {step} of {steps}, {seconds} s: loss {loss}", "第 {step} / {steps} 步，{seconds} 秒：损失 {loss}"),
    Phrase(
        "step {step} of {steps}, {seconds} s: loss {loss} {what}",
        "第 {step} / {steps} 步，{seconds} 秒：损失 {loss}，{what}",
    ),
    Phrase("step {step}, {seconds} s, {name}: {what}", "第 {step} 步，{seconds} 秒，{name}：{what}"),
    Phrase(
        "epoch {epoch}: loss {loss}, dev {dev}, best {best}", "第 {epoch} 轮：损失 {loss}，开发集 {dev}，最好 {best}"
    ),
    # what it learns from
    Phrase("{count} clips to make {rows} rows of", "用 {count} 段音频生成 {rows} 行"),
    Phrase("{count} rows", "{count} 行"),
    Phrase("{count} units, {english} of them English", "{count} 个单元，其中英语 {english} 个"),
    Phrase("{count} of {all} English lines read", "已读英语句子 {count} / {all}"),
    Phrase("teacher: {count} of {all} texts", "教师模型：文本 {count} / {all}"),
    Phrase("sounds: {count} with {frames} frames, {seconds} s", "声音：{count} 段，{frames} 帧，{seconds} 秒"),
    Phrase("base: {count} million parameters", "基础模型：{count} 百万参数"),
    Phrase(
        "{count} examples are left out: the model hears clips of {low} to {high} s",
        "略过 {count} 个样例：模型只听 {low} 至 {high} 秒的音频",
    ),
    Phrase(
        "examples by whole score, before and after they were balanced: {what}; left out: {names}",
        "各整数分的样例数，平衡前后：{what}；略过：{names}",
    ),
    Phrase(
        "examples by whole score, before and after they were balanced: {what}", "各整数分的样例数，平衡前后：{what}"
    ),
    # what came out
    Phrase("as it is: {value}", "现状：{value}"),
    Phrase("seed {seed}, weighted F1 on dev: {what}", "种子 {seed}，开发集加权 F1：{what}"),
    Phrase(
        "{name}, penalty {penalty}, {share} taken back: {uniform} uniform, {frequent} by frequency",
        "{name}，惩罚 {penalty}，收回 {share}：均匀抽取 {uniform}，按频率 {frequent}",
    ),
    Phrase(
        "{name}: LCC {lcc}, expected {expected}, {count} of {all} unreadable, {seconds} s",
        "{name}：LCC {lcc}，期望值 {expected}，{all} 个中 {count} 个读不出，{seconds} 秒",
    ),
    Phrase(
        "{name}: LCC {lcc}, expected {expected}, {count} of {all} unreadable",
        "{name}：LCC {lcc}，期望值 {expected}，{all} 个中 {count} 个读不出",
    ),
)
"""English without its full stop, and what Mandarin says; the first that fits counts. Only ``{name}``, ``{names}`` and
``{what}`` may hold several words."""

_PATTERNS = tuple((sentence_pattern(phrase.en), phrase.zh) for phrase in LINES)


def said_while_training(line: str, language: Language) -> str:
    """A line of a training in the language of its reader; one that is not known stays as it is.

    >>> said_while_training("row4: step 20: loss 0.3125, 7 s", "zh")
    'row4：第 20 步：损失 0.3125，7 s'
    """
    if language == "en":
        return line
    bare = line.rstrip().removesuffix(".")
    for pattern, mandarin in _PATTERNS:
        if match := pattern.fullmatch(bare):
            return mandarin.format(**match.groupdict())
    name, colon, rest = line.partition(": ")  # of one of several that are trained
    said = said_while_training(rest, language) if colon else rest
    return line if said == rest else f"{name}：{said}"


def log_to_people(language: Language) -> Callable[[str], None]:
    """What a training may call with its lines: they go to the terminal, beside what the verb prints at its end."""
    return lambda line: click.echo(said_while_training(line, language), err=True)
