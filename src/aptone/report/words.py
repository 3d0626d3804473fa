"""Every word of the reports, English and Mandarin side by side."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from aptone.types import Language


class Phrase(NamedTuple):
    """The same thing said in both languages; ``{names}`` in braces are filled in."""

    en: str
    zh: str


PHRASES: Mapping[str, Phrase] = {
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
    "worst_aspect": Phrase("{aspect}: {heard}, not {planned}", "{aspect}：听到{heard}，应为{planned}"),
    # those without a score
    "nothing_missing": Phrase("Every item has a score.", "所有条目都有评分。"),
    "missing_intro": Phrase(
        "These items count as missing. None of them was given a default score.", "以下条目按缺失计，均未给默认分。"
    ),
    "attempts": Phrase("{count} tries", "尝试 {count} 次"),
    "no_reply": Phrase("There is no reply.", "没有回复。"),
    "further_items": Phrase("and {count} more; the table above lists them.", "另有 {count} 个，见上表。"),
    # the trust card
    "trust_intro": Phrase("How far the numbers above can be relied on.", "以上数值在多大程度上可信。"),
    "probe_not-run": Phrase("not run", "未运行"),
    "probe_passed": Phrase("passed", "通过"),
    "probe_failed": Phrase("failed", "未通过"),
    "probe_not-applicable": Phrase("does not apply", "不适用"),
    "attention": Phrase("look here", "请注意"),
    "fine": Phrase("fine", "正常"),
    "pending": Phrase("{count} not reached yet", "{count} 项尚未处理"),
    "row_scored": Phrase("Scored", "已评分"),
    "why_scored": Phrase(
        "Items whose score is a number, or for which the question does not arise.", "得到数值、或无需评分的条目。"
    ),
    "row_unscored": Phrase("Unscored", "未评分"),
    "why_unscored": Phrase(
        "The judge answered, but no score could be read or computed. Many of these can bias every mean above.",
        "评审有回复，但无法读出或算出分数。此类过多会使以上均值产生偏差。",
    ),
    "row_failed": Phrase("Failed", "失败"),
    "why_failed": Phrase(
        "There was no answer at all: time-outs, unreadable files. Running the same command again tries them again.",
        "完全没有回复：超时、文件不可读等。重新运行同一命令会再试。",
    ),
    "row_parse": Phrase("Replies that could not be read", "无法解析的回复"),
    "why_parse": Phrase(
        "Counted over all tries, those that a retry mended included: a judge that often strays is less reliable.",
        "按所有尝试计数，含重试后成功的；经常跑题的评审不够可靠。",
    ),
    "row_repeat": Phrase("Same score when asked again?", "再问一次，分数相同吗？"),
    "why_repeat": Phrase(
        "Items were judged more than once. The number is the mean standard deviation within an item, in score points; "
        "differences between systems that are smaller than this are noise.",
        "同一条目多次评分。数值为条目内标准差的平均（分）；小于该值的系统差异属于噪声。",
    ),
    "how_repeat": Phrase("Run the same command with --repeat 3.", "用 --repeat 3 再次运行同一命令。"),
    "spread": Phrase(
        "deviation {value}; {changed} of {compared} items changed",
        "标准差 {value}；{compared} 个条目中 {changed} 个有变化",
    ),
    "semicolon": Phrase("; ", "；"),
    "spread_mixed": Phrase("{mixed} scored only in some repeats", "{mixed} 个仅在部分重复中得分"),
    "row_batch": Phrase("Same score in another batch size?", "换一种批大小，分数相同吗？"),
    "why_batch": Phrase(
        "Some judges answer differently when items share a batch. The number is the largest change of a score.",
        "有些评审在批处理时结果会变。数值为分数的最大变化。",
    ),
    "how_batch": Phrase("Run the same command with --batch-check.", "用 --batch-check 再次运行同一命令。"),
    "row_order": Phrase("Same choice when the order is swapped?", "交换顺序后，选择相同吗？"),
    "why_order": Phrase(
        "For judges that choose between two clips. The number is the share of choices that changed.",
        "针对二选一的评审。数值为改变选择的比例。",
    ),
    "how_order": Phrase("Ask for the same pairs in the other order and compare.", "以相反顺序再问同样的配对并比较。"),
    "row_signatures": Phrase("Judge and settings", "评审与设置"),
    "why_signatures": Phrase(
        "What produced the scores. Only scores with the same signature compare.",
        "产生评分的来源。签名相同的评分才可比较。",
    ),
    "signatures_count": Phrase("{count} signatures", "{count} 种签名"),
    "one_signature": Phrase("one signature", "一种签名"),
    "no_signature": Phrase("nothing was scored", "没有评分"),
    "row_cost": Phrase("Cost and time", "费用与时间"),
    "why_cost": Phrase(
        "All tries and repeats; time is that of all workers together.", "含所有尝试与重复；时间为所有工作进程之和。"
    ),
    "cost_free": Phrase("no cost", "无费用"),
    "row_licence": Phrase("Licence of the weights", "权重许可"),
    "why_licence": Phrase("What the judge's weights may be used for.", "评审所用权重的使用条件。"),
    "row_agreement": Phrase("Agreement with people", "与人的一致性"),
    "why_agreement": Phrase(
        "LCC is the linear correlation with human scores, ACC the share within the tolerance, Spearman the correlation "
        "of ranks. Brackets hold the interval. People's agreement with each other is the ceiling: each rater against "
        "the mean of the others (leave-one-out); ICC(2,1) is the agreement of single raters.",
        "LCC 为与人工评分的线性相关，ACC 为误差在容限内的比例，Spearman 为秩相关；方括号内为区间。"
        "人与人之间的一致性是上限：每位评分者与其他人均值比较（留一法）；ICC(2,1) 为单个评分者的一致性。",
    ),
    "statistic": Phrase("Statistic", "统计量"),
    "judge_with_people": Phrase("Judge with people", "评审与人"),
    "interval": Phrase("Interval", "区间"),
    "rests_on": Phrase("Items", "条目数"),
    "people_with_people": Phrase("People with each other", "人与人"),
    "how_computed": Phrase("How", "方法"),
    # settings
    "config": Phrase("Configuration of the run", "运行配置"),
    "signatures": Phrase("Signatures", "签名"),
    "prompts": Phrase("Prompt hashes", "提示词哈希"),
    # comparison and doctor, on the terminal
    "difference": Phrase("Difference ({second} – {first})", "差值（{second} – {first}）"),
    "p_value": Phrase("p = {value}", "p = {value}"),
    "no_sure_change": Phrase("No sure change: the 95 % interval holds 0.", "没有可靠的变化：95 % 区间包含 0。"),
    "no_sure_test": Phrase(
        "No sure change: swapping the runs at random does as much too often (p = {value}, above 0.05).",
        "没有可靠的变化：随机交换两次运行也常有这么大的差（p = {value}，高于 0.05）。",
    ),
    "surely_other": Phrase("{name} differs: the 95 % interval leaves out 0.", "{name} 有差异：95 % 区间不含 0。"),
    "surely_better": Phrase("{name} is better: the 95 % interval leaves out 0.", "{name} 更好：95 % 区间不含 0。"),
    "surely_worse": Phrase("{name} is worse: the 95 % interval leaves out 0.", "{name} 更差：95 % 区间不含 0。"),
    "only_one_scored": Phrase("Only {name} scored {count}: {ids}", "仅 {name} 评了 {count} 个：{ids}"),
    "gate_difference": Phrase(
        "{second} is {gained} {change} than {first}; the gate asks for at least {asked} better.",
        "{second} 比 {first} {change} {gained}；门槛要求至少好 {asked}。",
    ),
    "gate_lost": Phrase(
        "{count} items that {first} scored have no score in {second}.",
        "{first} 评过的 {count} 个条目在 {second} 中没有评分。",
    ),
    "gate_judges": Phrase(
        "{first} and {second} were not scored by the same judge.", "{first} 与 {second} 的评审不同。"
    ),
    "better": Phrase("better", "更好"),
    "worse": Phrase("worse", "更差"),
    "same": Phrase("same", "相同"),
    "change": Phrase("Change", "变化"),
    "further_rows": Phrase("{count} more rows", "另有 {count} 行"),
    "check": Phrase("Check", "检查项"),
    "optional": Phrase("optional", "可选"),
    "finding": Phrase("Finding", "结果"),
    "next_steps": Phrase("What to do where something is missing:", "尚不可用的项目，下一步："),
    "sends_audio": Phrase("Sends audio to {machines}.", "会把录音发送到 {machines}。"),
    "and_between": Phrase(" and ", " 和 "),
    "weights_under": Phrase("Weights: {licence}.", "权重：{licence}。"),
    "ear_named": Phrase("ear: {name}", "听觉模型：{name}"),
    "model_named": Phrase("{kind}: {name}", "{kind}：{name}"),
    "kind_speaker": Phrase("speaker", "语音合成"),
    "kind_style_embedder": Phrase("style embedder", "嗓音向量"),
    "kind_text_embedder": Phrase("text embedder", "文本向量"),
    "kind_transcriber": Phrase("transcriber", "转写"),
    # what an ear hears
    "clip": Phrase("Clip", "音频"),
    "length": Phrase("Length", "时长"),
    "error": Phrase("error: {why}", "错误：{why}"),
    "delivery": Phrase("Delivery", "表达"),
    "pitch": Phrase("Pitch", "音高"),
    "tempo": Phrase("Tempo", "语速与停顿"),
    "loudness": Phrase("Loudness", "响度"),
    "texture": Phrase("Texture", "音质"),
    "voice": Phrase("Voice", "嗓音"),
    "recording": Phrase("Recording", "录音"),
    "events": Phrase("Sounds", "非语言声音"),
    "ear": Phrase("Ear", "听觉模型"),
    "signature": Phrase("signature", "签名"),
    "licence": Phrase("licence", "许可"),
    "comma": Phrase(", ", "、"),
    "no_emotion": Phrase("No emotion was judged: {why}", "未判断情感：{why}"),
    "speech_share": Phrase("{share} speech", "语音占 {share}"),
    "speech_covers": Phrase("{speech} of {all}, {share}", "{all} 中的 {speech}，占 {share}"),
    "with_music": Phrase("music {share}", "背景音乐 {share}"),
    "music_heard": Phrase("present, {share}", "有，{share}"),
    "no_music_heard": Phrase("not heard, {share}", "未听到，{share}"),
    "natural": Phrase("naturalness {value} / 5", "自然度 {value} / 5"),
    "further_events": Phrase("and {count} more", "另有 {count} 个"),
    "heard_by": Phrase("What the ear heard", "听到了什么"),
    "waveform_panel": Phrase("Waveform, peak {peak} dBFS; speech is shaded", "波形，峰值 {peak} dBFS；阴影为语音"),
    "silent_panel": Phrase("Waveform: digital silence", "波形：数字静音"),
    "events_panel": Phrase("Sounds besides words", "非语言声音"),
    "pitch_panel": Phrase("Pitch (Hz, and notes)", "音高（Hz 与音名）"),
    "loudness_panel": Phrase("Loudness (dBFS)", "响度（dBFS）"),
    "vad_panel": Phrase("Emotion over time", "情感变化"),
    "nothing_here": Phrase("nothing to draw here", "没有可画出的内容"),
    "time_axis": Phrase("time", "时间"),
    "no_sound": Phrase("Without sound: {why}", "不含声音：{why}"),
    # a dialogue
    "trajectories_of": Phrase("Feelings over time: {name}", "情感轨迹：{name}"),
    "trajectories_note": Phrase(
        "One row a turn of the user (solid) and the answer to it (dashed), in seconds of their own. Thin lines join "
        "the points that dynamic time warping compares. Shaded is where a user counts as extreme, darker where this "
        "one's mean lies there; the dotted line is then where balancing would put the answer.",
        "每行为用户的一轮（实线）及其回答（虚线），时间各自从零开始。细线连接动态时间规整所比较的点。"
        "阴影为用户情感极端的区域，该轮均值落入时颜色较深；此时点线为平衡后回答应处的位置。",
    ),
    "turns_left_out": Phrase("{count} further turns are not drawn.", "另有 {count} 轮未画出。"),
    "turn": Phrase("turn {number}", "第 {number} 轮"),
    "role_user": Phrase("user", "用户"),
    "role_agent": Phrase("agent", "系统"),
    "balanced": Phrase("balanced", "平衡目标"),
    "not_needed": Phrase("not needed", "不需要"),
    "systems": Phrase("Systems compared", "系统比较"),
    "system": Phrase("System", "系统"),
    "dialogues": Phrase("Dialogues", "对话数"),
    "scored_of": Phrase("{scored} of {count} scored", "{count} 段中 {scored} 段有评分"),
    "dialogues_unscored": Phrase(
        "{system}: {count} without a score, left out of the means: {why}",
        "{system}：{count} 段对话没有评分，不计入均值：{why}",
    ),
    "scores_missing": Phrase(
        "{system}, {scores}: no number in {count} of the scored dialogues: {why}",
        "{system}，{scores}：有评分的对话中 {count} 段缺少数值：{why}",
    ),
    "scores_missing_variously": Phrase(
        "{system}, {scores}: no number in {count} of the scored dialogues, for instance: {why}",
        "{system}，{scores}：有评分的对话中 {count} 段缺少数值，例如：{why}",
    ),
    "systems_note": Phrase(
        "Means over dialogues with bootstrap intervals (95 %, dialogues drawn anew); EBS and CT-EBS over the turns "
        "that needed balancing only. Dialogues without a number are left out of a mean.",
        "各对话的均值及自助法区间（95%，对话重抽样）；EBS 与 CT-EBS 只统计需要平衡的轮次。没有分数的对话不计入均值。",
    ),
    "validation": Phrase("Against people", "与人工评分比较"),
    "all_systems": Phrase("all", "全部"),
    "score": Phrase("Score", "分数"),
    "automatic_minus_people": Phrase("automatic – people", "自动 – 人工"),
    "single_minus_several": Phrase("one turn – several", "单轮 – 多轮"),
    # a plan
    "window": Phrase("Lines", "行数"),
    "votes_share": Phrase("Share", "占比"),
    "votes_entropy": Phrase("Entropy", "熵"),
    "votes_told": Phrase(
        "{share} of the votes are for this plan, entropy {entropy} bits; {asked} of {windows} windows were asked. "
        "Share and entropy in a row count its window and all shorter ones.",
        "该计划得到 {share} 的票，熵为 {entropy} 比特；共 {windows} 个窗口，询问了 {asked} 个。"
        "每行的占比与熵统计该窗口及更短的窗口。",
    ),
    "no_vote": Phrase("no vote: {why}", "弃权：{why}"),
    "valence_arousal_dominance": Phrase("Valence, arousal, dominance", "效价、唤醒度、支配度"),
    # takes of a line
    "rank": Phrase("Rank", "名次"),
    "take": Phrase("Take", "录音"),
    "aptness": Phrase("Aptness", "得当程度"),
    # a book
    "chapter": Phrase("Chapter", "章节"),
    "chapters": Phrase("Chapters", "各章"),
    "chapters_note": Phrase(
        "In the order of the book; a title opens the page of its chapter, with its worst lines and players.",
        "按书中顺序；点击标题可打开该章的页面，内有最差的台词和播放器。",
    ),
    "worst_line": Phrase("Worst line", "最差的一句"),
    "book_timeline": Phrase("Aptness over the whole book", "全书的得当程度"),
    "chapter_timeline": Phrase("Aptness over the chapter", "本章的得当程度"),
    "timeline_note": Phrase(
        "A dot is a line; the curve is the median of {count} lines. Time runs from {begin} of the recordings on.",
        "每点为一句，曲线为 {count} 句的中位数；时间从录音的 {begin} 开始。",
    ),
    "timeline_unplaced": Phrase(
        "{count} lines have no place in time: they were not found.", "{count} 句未在录音中找到，没有时间。"
    ),
    "laid_beside": Phrase(
        "{found} of {words} words of the text were heard as they stand ({share}); {missing} lines have no sure place.",
        "原文 {words} 个词中有 {found} 个照原样听到（{share}）；{missing} 句没有可靠的位置。",
    ),
    "extra_speech": Phrase(
        "Not in the text: {count} stretches of speech, the longest {words} words at {at} of {recording}.",
        "原文之外的语音：{count} 段，最长 {words} 个词，位于 {recording} 的 {at}。",
    ),
    "left_out_overlapping": Phrase(
        "{count} lines are shown at once with another one and were left out; they are still context of the others.",
        "{count} 句与另一句同时出现，未评分；它们仍是其他句子的上下文。",
    ),
    # a calibration
    "calibration_before": Phrase("Before", "校准前"),
    "calibration_after": Phrase("After, held out", "校准后（留出）"),
    "calibration_how": Phrase(
        "{count} ratings; cross-validation prefers {kind}.", "共 {count} 个人工评分；交叉验证选择了{kind}。"
    ),
    "calibration_groups": Phrase(" Each of {count} groups stayed in one fold.", "{count} 个组各自留在同一折中。"),
    "calibration_force": Phrase(
        "No sure gain: the file leaves scores as they are. --force writes {kind} all the same.",
        "没有有把握的改善：校准文件不改变评分。如仍要写入{kind}，请用 --force。",
    ),
    "calibration_written": Phrase("Calibration: {path}", "校准文件：{path}"),
    "kind_identity": Phrase("the score as it is", "原分数"),
    "kind_affine": Phrase("a straight line", "直线"),
    "kind_isotonic": Phrase("a curve that never falls", "单调曲线"),
    "kind_aspects": Phrase("weights for the aspects", "各方面的权重"),
    "too_large": Phrase("the recording is too long to be part of this file", "录音过长，未嵌入本文件"),
}
"""Key to phrase."""


def words(language: Language, phrases: Mapping[str, Phrase] = PHRASES) -> Callable[..., str]:
    """A function from a key, and what fills its braces, to the phrase in a language.

    Args:
        language: of the phrases.
        phrases: key to phrase; a room brings its own.

    >>> words("zh")("items_count", count=3)
    '3 个条目'

    Raises:
        KeyError: by the function, if the key is unknown or a brace is not filled.
    """

    def word(key: str, /, **filled: object) -> str:
        phrase: str = getattr(phrases[key], language)
        return phrase.format(**filled)

    return word
