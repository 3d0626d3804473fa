"""Words that the verb prints, English and Mandarin side by side. Those of the pages are in ``static/words.js``."""

from collections.abc import Mapping

from aptone.report.phrase import Phrase

PHRASES: Mapping[str, Phrase] = {
    "serving": Phrase("Studio of {folder}, kept in {database}.", "项目 {folder} 的工作室，数据保存在 {database}。"),
    "admin_link": Phrase(
        "Open this link to run the study; it works for a day:", "打开此链接以管理该项目，一天内有效："
    ),
    "stop": Phrase("Ctrl-C stops the studio; nothing is lost.", "按 Ctrl-C 停止工作室，不会丢失任何内容。"),
    "stopped": Phrase("The studio has stopped.", "工作室已停止。"),
    "not_private": Phrase(
        "Others on the network can reach the studio, and what they send can be read on the way. Put it behind a proxy "
        "with https, and name that address with --public-url https://…",
        "网络中的其他人可以访问工作室，传输的内容可能被他人读取。"
        "请将其置于 https 代理之后，并用 --public-url https://… 指明该地址。",
    ),
    "invited": Phrase(
        "A link for {name} ({role}); it works for {days} days and is not shown again:",
        "{name}（{role}）的链接，{days} 天内有效，之后不再显示：",
    ),
    "imported": Phrase(
        "{task}: {items} items, rated by {raters} each", "{task}：{items} 个条目，每个由 {raters} 人评定"
    ),
    "no_gold": Phrase(
        "{count} of its calibration items have no right answer (gold), so that raters are not told how theirs compare.",
        "其中 {count} 个校准条目没有参考答案（gold），评分者看不到与参考的对比。",
    ),
    "next_studio": Phrase("Next: aptone studio --project {folder}", "下一步：aptone studio --project {folder}"),
    "exported": Phrase("{ratings} ratings in {path}", "{path} 中有 {ratings} 份评分"),
    "split": Phrase(
        "{train} items to train with, {test} to test with; {components} components share no story, character or scene",
        "训练 {train} 条，测试 {test} 条；分为 {components} 组，组间不共享故事、角色或场景",
    ),
    "split_off": Phrase(
        "That is far from the {wanted} for testing that you asked for: components stay whole, and the largest has "
        "{largest} items.",
        "与要求的测试比例 {wanted} 有差距：每组不可拆分，最大的一组有 {largest} 条。",
    ),
    "undefined": Phrase("– {figures}: {why}", "– {figures}：{why}"),
    "set_aside": Phrase("{rater} is set aside: {why}", "{rater} 未计入：{why}"),
    "task": Phrase("Task", "任务"),
    "title": Phrase("Title", "标题"),
    "asks": Phrase("Asks for", "询问内容"),
    "tasks_that_ship": Phrase("Tasks that ship", "内置任务"),
    "agreement_of": Phrase(
        "Agreement on {task}: {ratings} ratings by {people} people", "{task} 的一致性：{people} 人的 {ratings} 份评分"
    ),
    "agreement_calibration": Phrase(
        "Agreement on {task}: calibration items, which all rate first", "{task} 的一致性：所有人先评的校准条目"
    ),
    "nobody_yet": Phrase("{task}: nobody has submitted a rating yet.", "{task}：还没有人提交评分。"),
    "judge_beside": Phrase(
        "The automatic judge with the people, beside each of them with the rest",
        "自动评判与人的一致性，以及每个人与其余人的一致性",
    ),
    "statistic": Phrase("Statistic", "统计量"),
    "judge": Phrase("Judge", "评判"),
    "people": Phrase("People", "人"),
    "control": Phrase("Question", "问题"),
    "figure": Phrase("Figure", "指标"),
    "value": Phrase("Value", "数值"),
    "items": Phrase("Items", "条目"),
    "raters": Phrase("Raters", "评分者"),
    "annotator": Phrase("annotator", "标注者"),
    "adjudicator": Phrase("adjudicator", "仲裁者"),
    "admin": Phrase("admin", "管理员"),
}
