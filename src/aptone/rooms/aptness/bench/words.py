"""Every word of CEAEval's benchmark, English and Mandarin side by side."""

from collections.abc import Mapping

from aptone.report.phrase import Phrase

PHRASES: Mapping[str, Phrase] = {
    "title": Phrase("CEAEval on {source}", "CEAEval：{source}"),
    "untitled": Phrase("rated lines", "已评分台词"),
    "byline": Phrase(
        "{lines} rated lines · {judges} judges · {cells} of {wanted} cells · seed {seed}",
        "{lines} 条已评分台词 · {judges} 个评审 · {wanted} 格中的 {cells} 格 · 种子 {seed}",
    ),
    # conditions
    "story": Phrase("story", "原文"),
    "plan": Phrase("plan", "计划"),
    "given": Phrase("given plan", "给定计划"),
    "with": Phrase("with", "有"),
    "without": Phrase("without", "无"),
    "none": Phrase("–", "–"),
    "cts": Phrase("context size (lines)", "上下文行数（CTS）"),
    "cts_is": Phrase("CTS {size}", "CTS {size}"),
    "cot_with": Phrase("with CoT", "有 CoT"),
    "cot_without": Phrase("without CoT", "无 CoT"),
    # table 2
    "main": Phrase("Agreement with people", "与人的一致性"),
    "main_proxy": Phrase("Agreement with the proxy", "与代理评分的一致性"),
    "main_table": Phrase("LCC and ACC by context size (CTS)", "各上下文行数（CTS）下的 LCC 与 ACC"),
    "main_note": Phrase(
        "LCC: Pearson's correlation. ACC: share of scored lines within 1 point, in percent. Lines without a score are "
        "left out and counted: “no score”.",
        "LCC：皮尔逊相关系数。ACC：与参考分相差不超过 1 分的已评分台词所占百分比。"
        "没有得分的台词不计入，并列于“无得分”。",
    ),
    "brackets": Phrase(
        "Brackets hold 95 % intervals: by bootstrap over lines for LCC, Wilson's for ACC.",
        "方括号内为 95 % 区间：LCC 按台词自助抽样，ACC 用 Wilson 法。",
    ),
    "judge": Phrase("Judge", "评审"),
    "goes_by": Phrase("Goes by", "依据"),
    "cot": Phrase("CoT", "CoT"),
    "no_score": Phrase("No score", "无得分"),
    "acc_percent": Phrase("ACC %", "ACC %"),
    # figure 4
    "trends": Phrase("More of the story", "更多上下文"),
    "trends_intro": Phrase(
        "Each mark with its 95 % interval; marks at the same context size are set apart so that they can be seen.",
        "每个点附 95 % 区间；同一上下文行数的点略微错开以便辨认。",
    ),
    "trend_title": Phrase("{statistic}: {guide}, {reasoning}", "{statistic}：{guide}，{reasoning}"),
    "trend_bare": Phrase("{statistic}: {guide}", "{statistic}：{guide}"),
    "part_of": Phrase("{title} ({part})", "{title}（{part}）"),
    "ceiling": Phrase("people with each other", "人与人之间"),
    # table 3
    "planner": Phrase("What the planner is worth", "规划器的作用"),
    "planner_table": Phrase("Story, plan and given plan, at CTS {size}", "原文、计划与给定计划（CTS {size}）"),
    "planner_note": Phrase(
        "Gain: LCC with the plan minus LCC with the story, on lines that both scored; p by permutation, adjusted "
        "(Holm).",
        "增益：在两者都评过分的台词上，依据计划的 LCC 减去依据原文的 LCC；p 值由置换检验得出，经 Holm 校正。",
    ),
    "gain": Phrase("Gain", "增益"),
    "p": Phrase("p", "p"),
    # tests
    "tests": Phrase("Paired tests", "配对检验"),
    "tests_intro": Phrase(
        "LCC of the second minus LCC of the first on the lines that both scored. The p-value is that of a permutation "
        "test; beside it, adjusted by Holm's method over all tests of its table.",
        "在两者都评过分的台词上，后者的 LCC 减去前者的 LCC。p 值来自置换检验；旁边为对同表全部检验作 Holm 校正后的值。",
    ),
    "tests_judges": Phrase("Judge against judge", "评审之间"),
    "tests_story": Phrase("More of the story against less", "更多上下文与更少上下文"),
    "tests_planner": Phrase("Plan against story", "计划与原文"),
    "tests_reasoning": Phrase("With CoT against without", "有 CoT 与无 CoT"),
    "first": Phrase("First", "前者"),
    "second": Phrase("Second", "后者"),
    "difference": Phrase("Difference", "差值"),
    "adjusted": Phrase("p, adjusted", "校正后 p"),
    "lines": Phrase("Lines", "台词数"),
    # judges
    "judges": Phrase("Judges", "评审"),
    "parameters": Phrase("Parameters", "参数量"),
    "with_planner": Phrase("{judge} + {planner} (planner)", "{judge} + {planner}（规划器）"),
    "prompts": Phrase("Prompts", "提示词语言"),
    "prompts_by": Phrase("{language} ({means})", "{language}（{means}）"),
    "failed": Phrase("Failed", "失败"),
    "parse_failures": Phrase("Unreadable replies", "无法读取的回复"),
    "cost": Phrase("Cost", "费用"),
    "time": Phrase("Time", "时间"),
    "judges_note": Phrase(
        "Counts are sums over all conditions. Prompts: the language that counts, and the mean LCC of each.",
        "各数为所有条件之和。提示词语言：采用的语言，以及各语言的平均 LCC。",
    ),
    # the set
    "set": Phrase("The set", "数据集"),
    "set_lines": Phrase("lines", "条台词"),
    "source": Phrase("Source", "来源"),
    "rated_lines": Phrase("Rated lines", "已评分台词"),
    "rated_of": Phrase("{rated} of {lines}", "{lines} 条中的 {rated} 条"),
    "raters": Phrase("Raters", "评分者"),
    "agreement": Phrase("People with each other", "人与人的一致性"),
    "durations": Phrase("Clips", "录音"),
    "durations_are": Phrase(
        "{total} in all; median {median}, from {least} to {most}", "共 {total}；中位数 {median}，{least} 至 {most}"
    ),
    "unreadable": Phrase("{count} could not be read", "{count} 个无法读取"),
    "passed_over": Phrase("Passed over", "未读取"),
    "characters_plot": Phrase("Characters of context against CTS", "上下文字符数与 CTS"),
    "characters": Phrase("characters", "字符数"),
    "characters_note": Phrase(
        "Box: quartiles and median. Whiskers: shortest and longest.", "箱：四分位数与中位数。须：最短与最长。"
    ),
    "mean": Phrase("Mean", "平均"),
    "median": Phrase("Median", "中位数"),
    "most": Phrase("Longest", "最长"),
    "whole": Phrase("Whole", "完整"),
    "whole_note": Phrase(
        "Whole: lines whose story is long enough for that many lines of context.",
        "完整：故事足够长、能取满该行数的台词。",
    ),
    "dimension": Phrase("Dimension", "维度"),
    "classes": Phrase("Classes", "类别"),
    "scores_plot": Phrase("Scores", "评分"),
    "emotion": Phrase("Emotion", "情感"),
    "rhythm": Phrase("Rhythm", "节奏"),
    "intonation": Phrase("Intonation", "语调"),
    "recording_condition": Phrase("Recording condition", "录音状态"),
    "language": Phrase("Language", "语言"),
    "gender": Phrase("Gender", "性别"),
    "age": Phrase("Age", "年龄"),
    "as_planned": Phrase("As planned: nobody wrote down what is heard.", "取自计划：没有人标注听到的内容。"),
    "unanswered": Phrase("{count} lines without an answer.", "{count} 条未标注。"),
    "other_classes": Phrase("{{count}} others", "其他 {{count}} 类"),
    # all cells
    "cells": Phrase("All cells", "全部结果"),
    "cells_table": Phrase("Every judge under every condition", "每个评审在每种条件下的结果"),
    "strict": Phrase("ACC %, no score is wrong", "ACC %（无得分计为错）"),
    "rho": Phrase("Spearman", "Spearman"),
    "folder": Phrase("Run", "运行目录"),
    "why": Phrase("Why undefined", "未定义的原因"),
    # notes
    "note_proxy": Phrase(
        "The scores that judges are compared with are a proxy made by rules. No person gave them: nothing here is "
        "agreement with people.",
        "评审所对照的分数是按规则生成的代理分，并非人所给：此处没有任何与人的一致性。",
    ),
    "note_language": Phrase(
        "For judges with several prompt languages, the better one was chosen with these very lines in view, as in the "
        "paper: their figures are a little too good. All languages are in the table of all cells.",
        "对有多种提示词语言的评审，较好的语言是看着这些台词选出的（与论文相同），因此其数字略偏乐观。全部语言见总表。",
    ),
    "note_stopped": Phrase("The benchmark ended early: {why}.", "测试提前结束：{why}。"),
    "note_unrated": Phrase("{count} lines have no score and were left out.", "{count} 条台词没有评分，未计入。"),
    "note_licence": Phrase("Weights: {licence}", "权重：{licence}"),
    "note_judge": Phrase("{judge}: {note}", "{judge}：{note}"),
}
"""Key to phrase."""
