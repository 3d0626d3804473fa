"""Words that the verb prints, English and Mandarin side by side. Those of the pages are in ``static/words.js``."""

from collections.abc import Mapping

from aptone.report.words import Phrase

PHRASES: Mapping[str, Phrase] = {
    "serving": Phrase("Studio of {folder}, kept in {database}.", "项目 {folder} 的工作室，数据保存在 {database}。"),
    "admin_link": Phrase(
        "Open this link, which makes you its admin and works for {days} days:\n  {link}",
        "打开此链接即成为管理员，链接 {days} 天内有效：\n  {link}",
    ),
    "stop": Phrase("Ctrl-C stops it; nothing is lost.", "按 Ctrl-C 停止，不会丢失任何内容。"),
    "stopped": Phrase("The studio has stopped.", "工作室已停止。"),
    "not_private": Phrase(
        "Others on the network can reach the studio, and what they send can be read on the way. Put it behind a proxy "
        "with https, and name that address with --public-url https://…",
        "网络中的其他人可以访问工作室，且传输内容可能被窃读。请将其置于 https 代理之后，并用 --public-url https://… 指明地址。",
    ),
    "invited": Phrase(
        "Send {name} ({role}) this link, which works for {days} days and is not shown again:\n  {link}",
        "请把此链接发给 {name}（{role}），{days} 天内有效，之后不再显示：\n  {link}",
    ),
    "imported": Phrase("{task}: {items} items.", "{task}：{items} 个条目。"),
    "next_studio": Phrase(
        "Next: aptone studio --project {folder}", "下一步：aptone studio --project {folder}"
    ),
    "exported": Phrase("{rows} rows in {path}", "{path} 中有 {rows} 行"),
    "no_tasks": Phrase("This project has no task yet.", "该项目还没有任务。"),
    "task": Phrase("Task", "任务"),
    "title": Phrase("Title", "标题"),
    "asks": Phrase("Asks for", "询问内容"),
    "tasks_that_ship": Phrase("Tasks that ship", "内置任务"),
    "agreement_of": Phrase("Agreement on {task}", "{task} 的一致性"),
    "control": Phrase("Question", "问题"),
    "figure": Phrase("Figure", "指标"),
    "value": Phrase("Value", "数值"),
    "items": Phrase("Items", "条目"),
    "raters": Phrase("Raters", "评分者"),
    "annotator": Phrase("annotator", "标注者"),
    "adjudicator": Phrase("adjudicator", "仲裁者"),
    "admin": Phrase("admin", "管理员"),
}
