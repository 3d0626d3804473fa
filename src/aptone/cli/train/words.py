"""What verbs that train print at their end, English and Mandarin; what they say before is in `training_log`."""

from collections.abc import Mapping

from aptone.report.phrase import Phrase

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
    # parts that ship
    "weights": Phrase("Weights: {path}", "权重：{path}"),
    "parameters": Phrase("Parameters: {path}", "参数：{path}"),
    "pack": Phrase("Pack: {path}", "数据包：{path}"),
    "rows": Phrase("{rows} rows: {path}", "{rows} 行：{path}"),
    "numbers": Phrase("{numbers:,} numbers: {path}", "{numbers:,} 个数：{path}"),
    "written": Phrase("Written: {path}", "已写出：{path}"),
    "file_of": Phrase("{size:.1f} MB: {path}", "{size:.1f} MB：{path}"),
    "fitted": Phrase("{name}: {value:.3f} (before {before:.3f})", "{name}：{value:.3f}（之前 {before:.3f}）"),
    "packed": Phrase("{clips} clips of {sets}; {music} pieces of music.", "{sets} 的 {clips} 段音频；{music} 段音乐。"),
    "lacking": Phrase(
        "Note: {folder} has no {sets}; recipes that need them cannot be run.",
        "说明：{folder} 中没有 {sets}；需要它们的配方无法运行。",
    ),
    "rooms": Phrase("{far} far and {near} near rooms.", "远场房间 {far} 个，近场房间 {near} 个。"),
    "ear": Phrase(
        "Ear {name}, revision {revision}, weights under {licence}.",
        "听觉模型 {name}，版本 {revision}，权重许可 {licence}。",
    ),
    "temperature": Phrase("Temperature of {name}: {value:.3g}", "{name} 的温度：{value:.3g}"),
    "threshold": Phrase("Threshold of {name}: {value:.3g}", "{name} 的阈值：{value:.3g}"),
    "revision": Phrase("Revision {revision}: {path}", "版本 {revision}：{path}"),
    "natural": Phrase(
        "Correlation with the target on {clips} clips: {value:.2f}.", "{clips} 段音频上与目标的相关：{value:.2f}。"
    ),
    "style_with_words": Phrase(
        "Dialogues left out, with the answer's words: the recorded style is preferred to another one in {uniform:.1%} "
        "(drawn uniformly) and {frequent:.1%} (as often as it occurs).",
        "留出的对话，使用回答的文字：所录风格胜过另一种风格的"
        "比例为 {uniform:.1%}（均匀抽取）和 {frequent:.1%}（按出现频率）。",
    ),
    "style_without_words": Phrase(
        "Dialogues left out, without the answer's words: the recorded style is preferred to another one in "
        "{uniform:.1%} (drawn uniformly) and {frequent:.1%} (as often as it occurs).",
        "留出的对话，不用回答的文字：所录风格胜过另一种风格的"
        "比例为 {uniform:.1%}（均匀抽取）和 {frequent:.1%}（按出现频率）。",
    ),
}
