"""What ``aptone build paras2s`` says, English and Mandarin side by side."""

from collections.abc import Mapping

from aptone.report.phrase import Phrase
from aptone.report.result_table import Column, ResultTable, TableCell
from aptone.report.words import words
from aptone.rooms.answer.build.collect import Built
from aptone.rooms.answer.records import PUBLISHED_PROMPTS, Dimension, Source
from aptone.types import Language

PHRASES: Mapping[str, Phrase] = {
    "stages": Phrase("Stages", "各阶段"),
    "stage": Phrase("Stage", "阶段"),
    "in": Phrase("In", "进入"),
    "out": Phrase("Out", "留下"),
    "details": Phrase("Details", "详情"),
    "stage_candidates": Phrase("1 Candidates", "1 候选句"),
    "stage_filters": Phrase("2 Filters", "2 过滤"),
    "stage_speech": Phrase("3 Speech", "3 语音"),
    "stage_disjointness": Phrase("4 Disjointness", "4 不重叠"),
    "stage_kept": Phrase("Kept pairs", "保留的句对"),
    "stage_real": Phrase("Real speech", "真实语音"),
    "no_transcriber": Phrase(
        'Nobody checked the words: there is no transcriber. Install one (pip install "aptone[speech]"), or name one '
        "(--transcriber).",
        '没有核对文字：没有转写器。请安装（pip install "aptone[speech]"）或用 --transcriber 指定一个。',
    ),
    "no_mandarin_transcriber": Phrase(
        "Nobody checked the words: there is no transcriber. Name one that knows Mandarin (--transcriber local or api).",
        "没有核对文字：没有转写器。请用 --transcriber 指定一个懂汉语的（local 或 api）。",
    ),
    "unfinished": Phrase(
        "Ended early: {why}. Type the same command to go on.", "提前结束：{why}。再次输入同一命令即可继续。"
    ),
    "lacking": Phrase(
        "Fewer questions than asked for, {counts} lacking: raise --surplus, --tries or --max-error-rate, or let a chat "
        "model write (--text api).",
        "题目不够，还缺 {counts}：可提高 --surplus、--tries 或 --max-error-rate，或让聊天模型写（--text api）。",
    ),
    "real_as_published": Phrase("{corpus}: {count} lines, as published.", "{corpus}：{count} 句，与论文一致。"),
    "real_count": Phrase(
        "{corpus}: {count} lines, published are {published}; which ones is not said, a list of ids chooses the same.",
        "{corpus}：{count} 句，论文为 {published} 句；具体是哪些没有说明，可用编号列表取同样的句子。",
    ),
    "rejects": Phrase("What fell, and why: {path}", "淘汰及原因：{path}"),
    "manifest": Phrase("Manifest: {path}", "清单：{path}"),
    "next": Phrase("Next, let a system answer: {command}", "接下来让系统回答：{command}"),
    "taken_in": Phrase(
        "Right for everybody: {counts} pairs; {fallen} questions fell.",
        "所有人都认可：{counts} 对；淘汰 {fallen} 个问题。",
    ),
    "emotion": Phrase("emotion", "情绪"),
    "sarcasm": Phrase("sarcasm", "讽刺"),
    "age": Phrase("age", "年龄"),
    "gender": Phrase("gender", "性别"),
    "requests without": Phrase("requests without sentences", "没有得到句子的请求"),
    "refused by neutrality": Phrase("refused by neutrality", "中立性淘汰"),
    "refused by reasonability": Phrase("by reasonability", "合理性淘汰"),
    "refused by relevance": Phrase("by relevance", "相关性淘汰"),
    "refused": Phrase("refused", "淘汰"),
    "recordings": Phrase("recordings", "录音"),
    "attempts": Phrase("attempts", "尝试"),
    "unfinished count": Phrase("unfinished", "未完成"),
    "words heard": Phrase("words heard", "文字听出"),
    "words unverified": Phrase("words unverified", "文字未核实"),
    "words contradicted": Phrase("words not heard", "文字不符"),
    "style heard": Phrase("way heard", "方式听出"),
    "style unverified": Phrase("way unverified", "方式未核实"),
    "style contradicted": Phrase("way contradicted", "方式相反"),
    "iemocap": Phrase("IEMOCAP", "IEMOCAP"),
    "meld": Phrase("MELD", "MELD"),
}
_IN, _OUT = "sentences in", "sentences out"
_ORDER = ("candidates", "filters", "disjointness", "speech", "kept")


def counted(counts: Mapping[str, int], language: Language) -> str:
    """Counts with their names.

    >>> counted({"emotion": 2, "age": 1}, "en")
    'emotion 2, age 1'
    """
    word = words(language, PHRASES)
    return ("，" if language == "zh" else ", ").join(f"{word(name)} {count}" for name, count in counts.items())


def real_note(source: Source, count: int, *, language: Language) -> str:
    """How many lines of a corpus there are, beside how many the paper has.

    >>> real_note(Source.MELD, 781, language="en")
    'MELD: 781 lines, as published.'
    """
    word = words(language, PHRASES)
    published = PUBLISHED_PROMPTS[source, Dimension.EMOTION]
    name = "real_as_published" if count == published else "real_count"
    return word(name, corpus=word(source.value), count=count, published=published)


def built_table(built: Built, *, language: Language) -> ResultTable:
    """What went into each stage, what came out, and what became of the rest."""
    word = words(language, PHRASES)
    rows = []
    for stage in _ORDER:
        counts = dict(built.yields.get(stage, {}))
        given = counts.pop(_IN, None)
        left = counts.pop(_OUT, None)
        if stage == "candidates":
            left = counts.pop("sentences")
        if stage == "kept":
            left = sum(counts.values())
        if "unfinished" in counts:
            counts["unfinished count"] = counts.pop("unfinished")
        shown = {name: count for name, count in counts.items() if count or name.startswith("refused")}
        cells = [word(f"stage_{stage}"), _number(given), _number(left), counted(shown, language)]
        rows.append(tuple(TableCell(cell) for cell in cells))
    if built.real:
        cells = [word("stage_real"), "", str(sum(built.real.values())), counted(built.real, language)]
        rows.append(tuple(TableCell(cell) for cell in cells))
    columns = (Column(word("stage"), number=False), Column(word("in")), Column(word("out")))
    return ResultTable(word("stages"), (*columns, Column(word("details"), number=False, roomy=True)), tuple(rows))


def _number(count: int | None) -> str:
    return "" if count is None else str(count)
