import re
import string
from pathlib import Path

import pytest
from aptone.report.phrase import Phrase
from aptone.report.told import LONGEST_KNOWN, TOLD, told

import aptone
from aptone.judge.built_in import NOTE as JUDGE_NOTE
from aptone.planner.built_in import NOTE as PLANNER_NOTE

PACKAGE = Path(aptone.__file__).parent


def _source() -> str:
    """The package's source, with neighbouring literals joined, but for the files that are tested."""
    tested = ("told.py", "told_agreement.py", "told_machine.py", "told_recordings.py", "mandarin_reasons.py")
    files = [path for path in sorted(PACKAGE.rglob("*.py")) if path.name not in tested]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    return re.sub(r'"\s*\n\s*f?"', "", text)


@pytest.fixture(scope="module")
def source() -> str:
    return _source()


@pytest.mark.parametrize("phrase", TOLD, ids=lambda phrase: phrase.en[:40])
def test_every_sentence_is_one_that_the_package_really_says(phrase: Phrase, source: str) -> None:
    for fixed, _, _, _ in string.Formatter().parse(phrase.en):
        # what is filled in with words (the columns of a statistic, an optional part) stands elsewhere in the source
        for piece in re.split(r"; |, |: |predicted|reference|(?= after trimming)", fixed):
            assert piece.strip(" ,:;()") in source


@pytest.mark.parametrize("phrase", TOLD, ids=lambda phrase: phrase.en[:40])
def test_both_languages_fill_in_the_same_things_and_mandarin_is_given(phrase: Phrase) -> None:
    names = [sorted(name for _, name, _, _ in string.Formatter().parse(text) if name) for text in phrase]
    assert names[0] == names[1]
    filled = phrase.en.format(**dict.fromkeys(names[0], "7"))
    said = told(filled, "zh")
    assert said == phrase.zh.format(**dict.fromkeys(names[0], "7"))
    assert re.search("[\u4e00-\u9fff]", said)
    assert told(filled, "en") == filled


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("12 items judged up to 2 times; 0 of 12 changed their score (0%).",
         "12 个条目，最多各评 2 次；12 个条目中 0 个分数有变化（0%）。"),
        ("an item was done alone and failed in a batch, or other scores were undefined",
         "有条目单独处理时为“已评分”，成批处理时为“失败”，或未定义的评分项不同"),
        ("pitch level: 3 voiced frames, need 20", "音高水平：只有 3 个浊音帧，至少需要 20 个"),
        ("0.25 s of speech, need 0.4 s", "只有 0.25 秒语音，至少需要 0.4 秒"),
        ("too little of the plan can be judged (21% by weight); rhythm: the plan leaves it open",
         "计划中可评判的部分太少（按权重占 21%）；节奏：计划未作要求"),
        ("ear: full (CC-BY-NC-SA-4.0)", "听觉模型：full（CC-BY-NC-SA-4.0）"),
        ("undefined for every rater: no variance in predicted", "对每位评分者都未定义：评审的分数没有差异"),
        ("mcgraw-wong-f; 2 of 3 raters on 30 items that all of them rated",
         "McGraw–Wong F 区间；3 位评分者中的 2 位，他们共同评过的 30 个条目"),
    ],
)  # fmt: skip
def test_parts_and_reasons_inside_a_sentence_are_said_too(sentence: str, said: str) -> None:
    assert told(sentence, "zh") == said


@pytest.mark.parametrize(
    "sentence",
    ["", "the moon was full", "interrupted; and something else", "{0} {why} {{7*7}}", "interrupted" * LONGEST_KNOWN],
)
def test_what_is_not_ours_is_shown_as_it_is(sentence: str) -> None:
    assert told(sentence, "zh") == sentence


def test_braces_in_a_name_are_not_filled_in() -> None:
    assert told("no score named {why} among {0}", "zh") == "没有名为 {why} 的评分项，只有 {0}"


@pytest.mark.parametrize("note", [PLANNER_NOTE, JUDGE_NOTE])
def test_the_notes_of_the_built_in_parts_are_said_in_mandarin(note: str) -> None:
    said = told(note, "zh")
    assert not re.search("[A-Za-z]{4,}", said)
    assert said.endswith("。")
