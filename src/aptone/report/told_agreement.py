"""What statistics of agreement say about themselves, in both languages.

Why one is undefined or has no interval, what it rests on, how its interval was made, and why a rater is set aside:
statistics keep such remarks as English sentences, several with semicolons between them. `aptone.report.told` says them
in Mandarin, for cards, tables and the pages of the studio alike.
"""

from aptone.report.phrase import Phrase

AGREEMENT_TOLD: tuple[Phrase, ...] = (
    # with people
    Phrase("none of the {count} items with a human score was scored", "有人工评分的 {count} 个条目均未得到评分"),
    Phrase("{count} complete items, need {needed}", "只有 {count} 个完整条目，至少需要 {needed} 个"),
    Phrase("no complete items", "没有完整的条目"),
    Phrase("no variance in predicted", "评审的分数没有差异"),
    Phrase("no variance in reference", "人工评分没有差异"),
    Phrase("no variance in predicted and reference", "评审与人工的分数都没有差异"),
    Phrase("all ratings are equal: no variance to explain", "所有评分都相同：没有可解释的差异"),
    Phrase("undefined for every rater: {why}", "对每位评分者都未定义：{why}"),
    Phrase("leave-one-out, mean of {count} raters, {low} to {high}", "留一法，{count} 位评分者的平均，{low} 至 {high}"),
    Phrase(
        "leave-one-out, mean of {count} raters, undefined for {undefined}, {low} to {high}",
        "留一法，{count} 位评分者的平均，另 {undefined} 位未定义，{low} 至 {high}",
    ),
    Phrase(
        "{kept} of {all} raters on {items} items that all of them rated",
        "{all} 位评分者中的 {kept} 位，他们共同评过的 {items} 个条目",
    ),
    Phrase("needs two items that the same raters rated: {why}", "需要同一批评分者评过的至少两个条目：{why}"),
    Phrase("no interval: leave-one-out pairs share raters", "无区间：留一法的各对含有相同的评分者"),
    # what was left out
    Phrase("{count} of {all} items left out: {why}", "{all} 个条目中 {count} 个未计入：{why}"),
    Phrase("fewer than two ratings", "评分不足两个"),
    Phrase("fewer than two ratings after trimming", "去掉最高与最低后评分不足两个"),
    Phrase("fewer than two labels", "标签不足两个"),
    Phrase("fewer than two vectors", "文本不足两个"),
    Phrase("a vector is zero", "有文本没有可比较的内容"),
    Phrase("a value is missing", "缺少数值"),
    Phrase("a rating is missing", "缺少评分"),
    Phrase("rests on {count} of {items} items", "基于 {items} 个条目中的 {count} 个"),
    Phrase("{count} of {all} resamples undefined and left out", "{all} 次重抽样中 {count} 次无法计算，未计入"),
    # why a statistic is undefined
    Phrase("no items", "没有条目"),
    Phrase("all ratings are equal: nothing was told apart", "所有评分都相同：没有区分"),
    Phrase("all ratings are equal after trimming: nothing was told apart", "去掉最高与最低后所有评分都相同：没有区分"),
    Phrase(
        "{items} complete items and {raters} raters, need 2 of each",
        "完整条目 {items} 个，评分者 {raters} 位，至少各需 2",
    ),
    Phrase(
        "the variance components cancel out: ratings of two items by two raters, in opposite order",
        "方差分量相互抵消：两位评分者对两个条目的评分次序相反",
    ),
    Phrase("the statistic is undefined on these items", "在这些条目上无法计算"),
    # why there is no interval, or one that says little
    Phrase(
        "no interval: {count} complete items, need {needed}", "无区间：只有 {count} 个完整条目，至少需要 {needed} 个"
    ),
    Phrase("no interval: for a perfect correlation Fisher's z is infinite", "无区间：完全相关时 Fisher z 为无穷大"),
    Phrase("no interval: its variance has no estimate here", "无区间：此处无法估计其方差"),
    Phrase("no interval: agreement is perfect", "无区间：完全一致"),
    Phrase("no interval: the ratings leave no degrees of freedom", "无区间：没有剩余的自由度"),
    Phrase("no interval: a bootstrap needs at least two items", "无区间：自助法至少需要两个条目"),
    Phrase("no interval: more than half of the resamples are undefined", "无区间：半数以上的重抽样无法计算"),
    Phrase(
        "every resample gives the same value, so the interval says nothing about the spread",
        "每次重抽样的值都相同，区间不能说明离散程度",
    ),
    # how an interval was made
    Phrase("mcgraw-wong-f", "McGraw–Wong F 区间"),
    Phrase("fisher-z", "Fisher z 区间"),
    Phrase("bonett-wright", "Bonett–Wright 区间"),
    Phrase("fieller", "Fieller 区间"),
    Phrase("wilson", "Wilson 区间"),
    Phrase("wilson over answers", "按回答计的 Wilson 区间"),
    Phrase("bootstrap-percentile", "自助法百分位区间"),
    # among raters
    Phrase("nobody's answers count", "没有计入的回答"),
    Phrase("no item has two answers", "没有条目收到两份回答"),
    Phrase("no item has {count} answers", "没有条目收到 {count} 份回答"),
    Phrase("no item has two raters", "没有条目有两位评分者"),
    Phrase("no item was rated by somebody else, too", "没有其他人也评过的条目"),
    Phrase("no two raters answered about the same two items", "没有两位评分者评过相同的两个条目"),
    Phrase(
        "no two raters share {count} items on which an ICC is defined", "没有两位评分者共有 {count} 个可计算 ICC 的条目"
    ),
    Phrase(
        "{kept} of {all} raters on the {items} of {total} items that all of them rated",
        "{all} 位评分者中的 {kept} 位，他们共同评过的条目 {items} / {total}",
    ),
    Phrase(
        "pairs of raters: {pairs}, sharing {fewest} to {most} items, each from {low} to {high}",
        "{pairs} 对评分者，共有 {fewest} 至 {most} 个条目，各为 {low} 至 {high}",
    ),
    Phrase(
        "pairs of raters: {pairs} of {all}, those that share most, sharing {fewest} to {most} items, "
        "each from {low} to {high}",
        "{all} 对评分者中共有条目最多的 {pairs} 对，共有 {fewest} 至 {most} 个条目，各为 {low} 至 {high}",
    ),
    Phrase("no interval: the pairs share raters", "无区间：各对含有相同的评分者"),
    Phrase("no interval: the mean of three", "无区间：三者的均值"),
    Phrase("{dimension} is undefined", "{dimension}无法计算"),
    Phrase("{count} of {all} texts hold no word whose feeling is known", "{all} 段文字中 {count} 段不含已知情感的词"),
    Phrase("{count} of {all} answers", "{all} 份回答中的 {count} 份"),
    # the judge among them
    Phrase("no item has both a judge's answer and a rater's", "没有自动评判与评分者都回答了的条目"),
    Phrase(
        "the judge answers on another scale: {score} is not from {low} to {high}",
        "自动评判的量表不同：{score} 不在 {low} 至 {high} 之间",
    ),
    Phrase(
        "each person against the rest, mean of {count}, {low} to {high}",
        "每个人与其余人比较，{count} 人的平均，{low} 至 {high}",
    ),
    # why a rater is set aside
    Phrase("{right} of {count} answers of the test are right", "测试 {count} 题中答对 {right} 题"),
    Phrase("{right} of {count} attention checks are right", "注意力检查 {count} 题中答对 {right} 题"),
    Phrase("{share} % of the ratings stray from those of the others", "{share} % 的评分偏离其他人"),
)
"""English as it is kept, without the full stop, and what Mandarin says; blanks as in `aptone.report.told`."""
