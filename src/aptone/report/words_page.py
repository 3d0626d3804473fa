"""What the page of a report says: its head, plots, cards, groups, table and settings."""

from collections.abc import Mapping

from aptone.report.phrase import Phrase

PAGE: Mapping[str, Phrase] = {
    # the page
    "report": Phrase("Report", "报告"),
    "report_is_at": Phrase("Report: {path}", "报告：{path}"),
    "note_is": Phrase("Note: {note}", "说明：{note}"),
    "weights_are": Phrase("Weights: {licence}", "权重：{licence}"),
    "left_over": Phrase(
        "{count} of these items are from an earlier input and not in this one, such as {name}.",
        "其中 {count} 个条目来自先前的输入，不在本次输入中，例如 {name}。",
    ),
    "ended_early": Phrase(
        "Ended early: {why}. Type the same command to go on.", "提前结束：{why}。再次输入同一命令即可继续。"
    ),
    "go_on": Phrase("Type the same command to go on.", "再次输入同一命令即可继续。"),
    "benchmark": Phrase("Benchmark", "基准测试"),
    "judged_by": Phrase("Score: {score}", "评分项：{score}"),
    "finished": Phrase("finished {when}", "完成于 {when}"),
    "notes": Phrase("Read this first", "请先阅读"),
    "stopped": Phrase("The run ended early: {why}", "运行提前结束：{why}"),
    "many_signatures": Phrase(
        "The scores come from {count} different judges or settings and do not compare with each other.",
        "评分来自 {count} 种不同的评审或设置，彼此不可比较。",
    ),
    "overview": Phrase("Overview", "概览"),
    "worst": Phrase("Worst", "最差"),
    "best": Phrase("Best", "最佳"),
    "lowest": Phrase("Lowest", "最低"),
    "highest": Phrase("Highest", "最高"),
    "all_items": Phrase("All items", "全部条目"),
    "no_score": Phrase("Without a score", "没有评分"),
    "trust": Phrase("Trust card", "可信度卡片"),
    "settings": Phrase("Settings", "设置"),
    "made_by": Phrase(
        "Made by Aptone {version}. This one file holds everything it shows and asks nothing of the network.",
        "由 Aptone {version} 生成。本文件自带全部内容，不访问网络。",
    ),
    # numbers at the top
    "items": Phrase("Items", "条目"),
    "scored": Phrase("Scored", "已评分"),
    "mean": Phrase("Mean score", "平均分"),
    "median_is": Phrase("median {value}", "中位数 {value}"),
    "no_numbers": Phrase("no item has a number", "没有条目得到数值"),
    "agreement": Phrase("Agreement with people", "与人的一致性"),
    "ceiling_is": Phrase("people with each other: {value}", "人与人之间：{value}"),
    "no_labels": Phrase("no human scores to compare with", "没有可比较的人工评分"),
    "repeatability": Phrase("Repeatability", "可重复性"),
    "without_number": Phrase("{count} without a number", "{count} 个没有数值"),
    "more_plots": Phrase("{count} more scores", "另外 {count} 个评分项"),
    "other_scores": Phrase(
        "{count} further scores have no column and no plot; the journal holds them: {names}.",
        "另有 {count} 个评分项没有列和图，见日志：{names}。",
    ),
    # plots
    "distribution": Phrase("Distribution of “{name}”", "“{name}”的分布"),
    "count_axis": Phrase("items", "条目数"),
    "items_count": Phrase("{count} items", "{count} 个条目"),
    "items_count_one": Phrase("{count} item", "{count} 个条目"),
    "undefined_beside": Phrase("{count} undefined, not drawn", "{count} 个未定义，未画出"),
    "not_needed_beside": Phrase("{count} not needed, not drawn", "{count} 个无需评分，未画出"),
    "median": Phrase("median", "中位数"),
    "judge_against_people": Phrase("Judge against people", "评审与人的对照"),
    "human_axis": Phrase("human score", "人工评分"),
    "judge_axis": Phrase("judge", "评审"),
    "diagonal": Phrase("On the dashed line, judge and people agree.", "落在虚线上表示评审与人一致。"),
    "nothing_to_plot": Phrase("No item has a number to draw.", "没有可画出的数值。"),
    # cards
    "aspect": Phrase("Aspect", "方面"),
    "planned": Phrase("Planned", "计划"),
    "heard": Phrase("Heard", "听到"),
    "fit": Phrase("Fit", "符合"),
    "plan_and_perception": Phrase("Planned and heard", "计划与听感"),
    "plan_alone": Phrase("The plan", "计划"),
    "plan_read": Phrase("Read from the story", "从故事中读出"),
    "plans_read": Phrase(
        "How each line should sound, read from the story by the built-in planner:",
        "内置规划器从故事中读出的每句台词该有的语气：",
    ),
    "aspect_by_aspect": Phrase("Aspect by aspect", "逐项"),
    "emotion": Phrase("Emotion", "情感"),
    "rhythm": Phrase("Rhythm", "节奏"),
    "intonation": Phrase("Intonation", "语调"),
    "recording_condition": Phrase("Recording condition", "录音状态"),
    "rationale": Phrase("Why", "理由"),
    "human": Phrase("People gave {value}", "人工评分 {value}"),
    "measures": Phrase("Measures", "测量值"),
    "unjudged": Phrase("Not judged", "未判断"),
    "raw_reply": Phrase("Raw reply", "原始回复"),
    "left_out_text": Phrase(
        "… {count} more characters; the journal holds them all.", "……另有 {count} 个字符，见日志。"
    ),
    "clip_too_large": Phrase(
        "Left out: the room for recordings in this file is used up.", "未嵌入：本文件的录音空间已用完。"
    ),
    "clip_unreadable": Phrase("Cannot be read: {why}", "无法读取：{why}"),
    "clip_gone": Phrase(
        "Not there any more: {path}, nor near the run. Put it back, or give the command of the run once more with the "
        "new place.",
        "录音已不在原处：{path}，运行文件夹附近也没有。请放回原处，或用新位置再次执行该运行的命令。",
    ),
    "gone": Phrase("recording not found", "未找到录音"),
    "no_clip": Phrase("This item names no recording.", "该条目没有录音。"),
    "context_hidden": Phrase("{count} earlier lines", "前面还有 {count} 行"),
    "none_ranked": Phrase("No item has a number to rank by.", "没有可排序的数值。"),
    "only_so_many": Phrase("Only {count} items have a number.", "只有 {count} 个条目有数值。"),
    "clip_too_long": Phrase("Left out: longer than ten minutes.", "未嵌入：超过十分钟。"),
    "clips_left_out": Phrase(
        "{count} more recordings of this item are not shown: at most {an_item} an item, {in_all} in the page.",
        "该条目另有 {count} 段录音未显示：每个条目最多 {an_item} 段，全页最多 {in_all} 段。",
    ),
    # captions
    "unit_verdict": Phrase("Verdict", "判定"),
    "unit_words": Phrase("Words", "原文"),
    "unit_fact": Phrase("Claim", "说法"),
    "unit_measured": Phrase("Measured", "测得"),
    "unit_true": Phrase("verified", "属实"),
    "unit_false": Phrase("hallucinated", "不实"),
    "unit_undecided": Phrase("undecided", "无法判断"),
    "unit_missed": Phrase("missed", "遗漏"),
    "unit_found": Phrase("mentioned", "已提及"),
    "unit_caption": Phrase("Caption", "描述"),
    "unit_reference": Phrase("Reference", "参考描述"),
    "unit_table": Phrase("Claims of the caption", "描述中的说法"),
    "unit_reference_table": Phrase("Claims of the reference", "参考描述中的说法"),
    "units_left_out": Phrase("{count} further claims; the journal holds them all.", "另有 {count} 条说法，见日志。"),
    # groups
    "groups": Phrase("By group", "分组"),
    "groups_intro": Phrase(
        "The mean of {score} in each group. Brackets hold its 95 % interval (bootstrap over items): where those of "
        "two groups overlap, the groups may not differ.",
        "各组 {score} 的平均值。方括号内为 95 % 区间（按条目自助抽样）：两组区间重叠时，差异未必存在。",
    ),
    "group_mean": Phrase("Mean", "平均"),
    "group_interval": Phrase("Interval", "区间"),
    "group_scored": Phrase("Scored", "已评分"),
    "group_drawing": Phrase("Mean and interval from {low} to {high}", "平均值与区间，{low} 至 {high}"),
    "group_without": Phrase("{count} items name no {key}.", "{count} 个条目没有 {key}。"),
    "other_groups": Phrase("Not shown: {names}.", "未显示：{names}。"),
    "pictures": Phrase("Pictures", "图示"),
    "result": Phrase("Result", "结果"),
    "scores_not_drawn": Phrase(
        "No item has a number for {names}; the items say why.", "没有条目得到 {names} 的数值，原因见各条目。"
    ),
    # the table
    "search": Phrase("Search", "搜索"),
    "state": Phrase("State", "状态"),
    "every_state": Phrase("Every state", "所有状态"),
    "id": Phrase("Item", "条目"),
    "line": Phrase("Line", "台词"),
    "why": Phrase("Why", "理由"),
    "people": Phrase("People", "人工"),
    "show_more": Phrase("Show more", "显示更多"),
    "showing": Phrase("{shown} of {matching} shown, {all} in all", "显示 {shown} / {matching} 条，共 {all} 条"),
    "printed_scores": Phrase(
        "On paper, the table has the first {count} of {all} scores.",
        "打印时，表格只含 {all} 个评分项中的前 {count} 个。",
    ),
    "sort_hint": Phrase("Choose a column heading to sort by it.", "点击列标题可排序。"),
    "state_done": Phrase("scored", "已评分"),
    "state_not-needed": Phrase("not needed", "无需评分"),
    "state_unscored": Phrase("unscored", "未评分"),
    "state_failed": Phrase("failed", "失败"),
    "band_low": Phrase("low", "低"),
    "band_middle": Phrase("middle", "中"),
    "band_high": Phrase("high", "高"),
    "as_planned": Phrase("as planned", "符合计划"),
    "worst_aspect": Phrase("{aspect}: heard {heard}, asked for {planned}", "{aspect}：听到{heard}，应为{planned}"),
    # those without a score
    "nothing_missing": Phrase("Every item has a score.", "所有条目都有评分。"),
    "missing_intro": Phrase(
        "These items count as missing. None of them was given a default score.", "以下条目按缺失计，均未给默认分。"
    ),
    "attempts": Phrase("{count} tries", "尝试 {count} 次"),
    "no_reply": Phrase("There is no reply.", "没有回复。"),
    "further_items": Phrase("and {count} more; the table above lists them.", "另有 {count} 个，见上表。"),
    # settings
    "config": Phrase("Configuration of the run", "运行配置"),
    "signatures": Phrase("Signatures", "签名"),
    "prompts": Phrase("Prompt hashes", "提示词哈希"),
}
"""Key to phrase."""
