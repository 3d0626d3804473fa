"""What the trust card says, on a page and on the terminal."""

from collections.abc import Mapping

from aptone.report.phrase import Phrase

TRUST: Mapping[str, Phrase] = {
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
}
"""Key to phrase."""
