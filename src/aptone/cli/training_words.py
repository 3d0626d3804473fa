"""What verbs that train with data of a user's own print, English and Mandarin.

What a training says while it runs is a log, and stays English.
"""

from collections.abc import Mapping

from aptone.report.words import Phrase

PHRASES: Mapping[str, Phrase] = {
    "model": Phrase("Model: {path}", "模型：{path}"),
    "shards": Phrase("Shards: {path}", "数据分片：{path}"),
    "clips": Phrase("{clips} clips: {path}", "{clips} 段音频：{path}"),
    "captioned": Phrase(
        "{clips} clips captioned, {left_out} left out: {path}", "已为 {clips} 段音频写描述，略过 {left_out} 段：{path}"
    ),
    "taught": Phrase(
        "{examples} examples, {steps} steps, loss {loss:.4f}.", "{examples} 个样例，{steps} 步，损失 {loss:.4f}。"
    ),
    "reinforced": Phrase(
        "{examples} examples, {steps} steps, mean reward {reward:.2f} of 2, {unreadable:.1f} % of the replies without "
        "a score.",
        "{examples} 个样例，{steps} 步，平均奖励 {reward:.2f}（满分 2），{unreadable:.1f}% 的回复没有分数。",
    ),
    "paired": Phrase(
        "{clips} clips, {steps} steps, loss {loss:.4f}; best at step {best}.",
        "{clips} 段音频，{steps} 步，损失 {loss:.4f}；第 {best} 步最好。",
    ),
    "proxy": Phrase(
        "Note: nobody rated these lines; the scores are those of a formula that stands in for people.",
        "说明：这些台词没有人评过分；分数由公式给出，用来代替人。",
    ),
    "reasoned": Phrase(
        "{reasoned} examples with reasons and {scored} with the score only, {clips} clips.",
        "{reasoned} 个带理由的样例，{scored} 个只有分数的样例，{clips} 段音频。",
    ),
    "refused": Phrase("Left out, {count} times: {reason}", "略过 {count} 次：{reason}"),
    "concordance": Phrase("Concordance on {part}: {figures}", "{part} 部分的一致性相关：{figures}"),
    "best_epoch": Phrase("Best after epoch {best} of {epochs}.", "共 {epochs} 轮，第 {best} 轮后最好。"),
    "stopped": Phrase("Stopped: {why}. The same command goes on.", "已停止：{why}。再次输入同一命令即可继续。"),
}
