"""A refusal in Mandarin, for the page of whoever reads that.

The studio refuses in English, whoever asks, for logs and programs read it. Beside that goes the same in Mandarin, from
tables that know every sentence of ours; a sentence that they do not know, such as one of a library, stays as it is.
"""

import re
from collections.abc import Iterator, Mapping

from aptone.ear.mandarin_reasons import sentence_pattern
from aptone.report.told import told
from aptone.report.told_recordings import RECORDINGS_TOLD
from aptone.studio.refusal_words import REFUSALS
from aptone.studio.task_file_words import TASK_FILES

LONGEST_KNOWN = 1000
"""Characters beyond which a sentence is not one of ours."""

_NAMES: Mapping[str, str] = {
    "the file": "该文件",
    "the project": "项目文件夹",
    "str": "文本",
    "int": "整数",
    "bool": " true 或 false",
    "a task in YAML": "YAML 任务文件",
    "writing Parquet files": "写出 Parquet 文件",
}
"""What a blank may hold that is a word of ours, not a name."""

_PATTERNS = tuple((sentence_pattern(phrase.en), phrase.zh) for phrase in (*TASK_FILES, *REFUSALS, *RECORDINGS_TOLD))


def in_mandarin(sentence: str) -> str:
    """A sentence of a refusal in Mandarin; one that is not ours comes back as it is.

    >>> in_mandarin("task 't', item 'a': no field 'clip' to show.")
    "任务 't'，条目 'a'：没有要显示的字段 'clip'。"
    """
    if not sentence or len(sentence) > LONGEST_KNOWN:
        return sentence
    bare = sentence.removesuffix(".")
    for pattern, mandarin in _PATTERNS:
        if match := pattern.fullmatch(bare):
            return mandarin.format(**dict(_filled(match))) + ("。" if bare != sentence else "")
    return told(sentence, "zh")


def _filled(match: re.Match[str]) -> Iterator[tuple[str, str]]:
    for name, value in match.groupdict().items():
        yield name, in_mandarin(value).removesuffix("。") if name == "why" else _NAMES.get(value, value)
