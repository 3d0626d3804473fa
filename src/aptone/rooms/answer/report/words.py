"""Every word of this room's tables and pictures, English and Mandarin side by side."""

from collections.abc import Mapping

from aptone.report.phrase import Phrase

PHRASES: Mapping[str, Phrase] = {
    "systems": Phrase("Systems", "系统"),
    "system": Phrase("system", "系统"),
    "answers": Phrase("answers", "回答数"),
    "average": Phrase("average", "平均"),
    "pairs_won": Phrase("pairs won %", "对照胜出 %"),
    "margin": Phrase("margin", "差距"),
    "worst_case": Phrase("if unscored = 1", "未评分计 1"),
    "of": Phrase("{scored} of {asked}", "{asked} 中的 {scored}"),
    "systems_note": Phrase(
        "Fitness from 1 to 5. The average gives every column before it equal weight. A contrast pair is won where the "
        "two answers fit their own questions better than each other's; a system that does not hear how it is asked "
        "wins none. Brackets are 95 % intervals over pairs (bootstrap; of shares, Wilson's).",
        "合适程度为 1 至 5 分。平均值对其左侧各列等权。一对问题的两个回答各自更适合自己的问题而非对方的问题时，"
        "该对照为胜出；听不出提问方式的系统一对也赢不了。"
        "方括号内为按对照计算的 95 % 区间（自助抽样；比例用 Wilson 区间）。",
    ),
    "not_there": Phrase("Not in this run: {names}.", "本次运行没有：{names}。"),
    "categories": Phrase("By way of asking", "按提问方式"),
    "pairs": Phrase("Contrast pairs", "对照问题"),
    "won": Phrase("won %", "胜出 %"),
    "changed": Phrase("changed %", "有变化 %"),
    "counted": Phrase("pairs", "对数"),
    "tied": Phrase("tied", "平"),
    "lost": Phrase("lost", "负"),
    "pairs_note": Phrase(
        "The same sentence asked in two ways. Margin: how much better an answer fits its own question than that of its "
        "twin, in points from 1 to 5. Changed: the answers differ in their words, or in the feeling, the pace, the "
        "loudness or the pitch that is heard.",
        "同一句话以两种方式提问。差距：回答适合自己的问题超过适合另一问题的分数。有变化：两个回答的用词不同，或听出的情绪、语速、音量、音高不同。",
    ),
    "all": Phrase("all", "全部"),
    "dimension": Phrase("dimension", "维度"),
    "compared": Phrase("Two systems on the same pairs", "两个系统在相同对照上"),
    "first": Phrase("first", "前者"),
    "second": Phrase("second", "后者"),
    "first_larger": Phrase("first larger %", "前者较大 %"),
    "second_larger": Phrase("second larger", "后者较大"),
    "difference": Phrase("difference", "差"),
    "compared_note": Phrase(
        "In how many pairs each has the larger margin, and the mean difference of the margins.",
        "各自差距较大的对数，以及差距之差的平均。",
    ),
    "people": Phrase("Against people", "与人工评分比较"),
    "part": Phrase("part", "部分"),
    "rated": Phrase("rated", "评分数"),
    "raters": Phrase("raters", "评分者"),
    "ceiling": Phrase("people with each other", "人与人"),
    "judge_people": Phrase("judge with people", "评审与人"),
    "reported": Phrase("reported", "文献值"),
    "people_note": Phrase(
        "Judge with people: correlation with the mean of the raters. People with each other: each rater against the "
        "mean of the others, the ceiling of the judge. Reported: Pearson's correlation that the reconstruction of "
        "ParaS2SBench reports for its own judge and raters.",
        "评审与人：与评分者均值的相关。人与人：每位评分者与其他人均值比较，是评审的上限。"
        "文献值：ParaS2SBench 重建版报告的其评审与评分者之间的 Pearson 相关。",
    ),
    "checks": Phrase("Checks", "检验"),
    "check": Phrase("check", "检验项"),
    "expected": Phrase("expected", "期望"),
    "measured": Phrase("measured", "测得"),
    "verdict": Phrase("verdict", "结论"),
    "reproduction": Phrase("average of {name}", "{name} 的平均分"),
    "within": Phrase("{value} ± {within}", "{value} ± {within}"),
    "reproduced": Phrase("reproduced", "已重现"),
    "not_reproduced": Phrase("not reproduced", "未重现"),
    "another_average": Phrase("; but without {names} it is another average", "；但缺少 {names}，并非同一平均"),
    "beats_blind": Phrase("{name} beats the style-blind system", "{name} 胜过不辨风格的系统"),
    "more_pairs": Phrase("larger margin in more pairs", "在更多对照上差距较大"),
    "larger_in": Phrase("{first} of {all} pairs, {second} smaller", "{all} 对中 {first} 对较大，{second} 对较小"),
    "passed": Phrase("passed", "通过"),
    "not_passed": Phrase("not passed", "未通过"),
    "note_unscored": Phrase(
        "{system}: {count} without a score, left out of the means: {why}",
        "{system}：{count} 个回答没有评分，不计入均值：{why}",
    ),
    "note_pairs": Phrase("{system}: {count} pairs without a margin: {why}", "{system}：{count} 对没有差距：{why}"),
    "pairs_heard": Phrase("Contrast pairs, heard", "对照问题试听"),
    "pairs_heard_note": Phrase(
        "Left and right: the same sentence asked in two ways, and below it what each system answers. The number is the "
        "fitness, behind the stroke the fitness of the same answer had it been asked the other way.",
        "左右为同一句话的两种提问方式，下方为各系统的回答。数字为合适程度，斜线后为按另一方式提问时同一回答的合适程度。",
    ),
    "shown_of": Phrase(
        "Shown are {shown} of {count} pairs, of every dimension those with the smallest and the largest margins.",
        "共 {count} 对，显示 {shown} 对：每个维度中差距最小和最大的。",
    ),
    "all_pairs": Phrase("Margins of all {count} pairs", "全部 {count} 对的差距"),
    "sentence": Phrase("sentence", "句子"),
    "asked": Phrase("asked", "提问方式"),
    "question": Phrase("question", "问题"),
    "why": Phrase("why", "理由"),
    "sounds": Phrase("sounds: {how}", "听起来：{how}"),
    "no_sound": Phrase("no sound here: {why}", "此处无声音：{why}"),
    "size": Phrase("the page has no room left", "页面空间不足"),
    "long": Phrase("it is too long", "太长"),
    "unreadable": Phrase("it cannot be read", "无法读取"),
    "gone": Phrase("the recording was not found", "未找到录音"),
    "pair_won": Phrase("won", "胜"),
    "pair_lost": Phrase("lost", "负"),
    "pair_tied": Phrase("tied", "平"),
    # judges beside each other
    "byline": Phrase(
        "{systems} systems, {answers} answers, {judges} judges", "{systems} 个系统，{answers} 个回答，{judges} 个评审"
    ),
    "trust": Phrase("How far to trust it", "可信程度"),
    "swap": Phrase("Another judge on the same answers", "换一个评审评同样的回答"),
    "judge": Phrase("judge", "评审"),
    "other_judge": Phrase("other judge", "另一评审"),
    "shift": Phrase("other – judge", "另一 – 评审"),
    "order": Phrase("order of systems", "系统次序"),
    "same_order": Phrase("the same", "相同"),
    "other_order": Phrase("another", "不同"),
    "swap_note": Phrase(
        "Correlation of the two judges' scores, answer by answer, how much higher the other one scores, and whether "
        "both put the systems in the same order.",
        "两个评审逐个回答的得分相关、另一评审高出的分数，以及两者给出的系统次序是否相同。",
    ),
    # one answer
    "fitness": Phrase("fitness", "合适程度"),
    "fitness_of": Phrase("fitness {value} (from 1 to 5)", "合适程度 {value}（1 至 5 分）"),
    "answer_says": Phrase("It says: {text}", "内容：{text}"),
    "answer_sounds": Phrase("It sounds: {text}", "声音：{text}"),
}
"""Name to phrase."""
