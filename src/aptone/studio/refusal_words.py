"""What the studio refuses, in Mandarin beside its English.

Names of people, tasks, files and fields are filled in as they are. Those of task files that are no tasks are in
`aptone.studio.task_file_words`, those of recordings in `aptone.report.told_recordings`.
"""

from aptone.report.phrase import Phrase

REFUSALS: tuple[Phrase, ...] = (
    # who is asking
    Phrase("There is no session, or it has ended", "没有登录，或登录已失效"),
    Phrase("you are not signed in", "您没有登录"),
    Phrase("Open your personal link again", "请重新打开您的个人链接"),
    Phrase("Open your personal link", "请打开您的个人链接"),
    Phrase("this link does not work, or does not work any more", "此链接无效，或已失效"),
    Phrase("Ask whoever invited you for a new one", "请向邀请人索取新链接"),
    Phrase("you cannot enter any more", "您不能再进入"),
    Phrase("Ask whoever invited you", "请联系邀请人"),
    Phrase("This is not open to your role", "您的角色没有此权限"),
    Phrase("Ask the person who runs the study", "请联系研究负责人"),
    Phrase("Ask whoever runs the study", "请联系研究负责人"),
    Phrase("Too many attempts to come in", "尝试进入的次数过多"),
    Phrase("Wait {seconds} seconds and try again", "请在 {seconds} 秒后重试"),
    # people and links
    Phrase("This is you: an admin cannot shut the own account out", "这是您自己：管理员不能停用自己的账号"),
    Phrase("Ask another admin", "请让另一位管理员来做"),
    Phrase("a role is one of {names}", "角色只能是 {names} 之一"),
    Phrase("a language is one of {names}", "语言只能是 {names} 之一"),
    Phrase("a link works for more than 0 and up to {days} days", "链接的有效期须大于 0 天，最多 {days} 天"),
    Phrase("a name is one line of 1 to {limit} signs", "名称为一行，1 至 {limit} 个字符"),
    # there is none
    Phrase("there is no such task", "没有这个任务"),
    Phrase("there is no such item", "没有这个条目"),
    Phrase("there is no such clip", "没有这段录音"),
    Phrase("there is no such person", "没有这个人"),
    Phrase("there is no such invitation", "没有这个邀请"),
    Phrase("there is no such assignment", "没有这项分配"),
    Phrase("There is nothing at this address", "此地址没有内容"),
    Phrase("Go back to the list of tasks", "请返回任务列表"),
    Phrase("The file is no longer there", "文件已不存在"),
    Phrase("The recording of this clip cannot be read any more", "这段录音已无法读取"),
    Phrase("there is no file {name} in the project folder", "项目文件夹中没有文件 {name}"),
    Phrase(
        "Put the file into the project folder and name it by its path from there",
        "请把文件放入项目文件夹，并用相对于该文件夹的路径引用",
    ),
    # answers
    Phrase("the task has no such control", "任务中没有这个问题"),
    Phrase("this task is closed", "此任务已关闭"),
    Phrase("this is another person's assignment", "这是分配给他人的条目"),
    Phrase(
        "answers of calibration and test cannot be changed once they are submitted",
        "校准与资格测试的回答提交后不能修改",
    ),
    Phrase("this item was left alone for long, and went to somebody else", "此条目搁置过久，已交给其他人"),
    Phrase("Go on with the next one", "请继续下一条"),
    Phrase("less time went by than the clip lasts", "所用时间短于录音时长"),
    Phrase("Listen to its end", "请听完整段录音"),
    Phrase("not heard to the end yet: {names}", "尚未听完：{names}"),
    Phrase("Play it to its end", "请播放到结尾"),
    Phrase("an answer is missing: {names}", "尚未回答：{names}"),
    Phrase(
        "one person can store {changes} changes of one item, and {signs} signs in all of them",
        "一个人对一个条目最多可保存 {changes} 次修改，合计 {signs} 个字符",
    ),
    Phrase(
        "Load the page again: the answers that it shows are stored, and can be submitted",
        "请重新加载页面：页面上显示的回答都已保存，可以提交",
    ),
    Phrase("at most {limit} changes a request, got {count}", "每次请求最多 {limit} 处修改，收到 {count} 处"),
    Phrase("the id of a change is a UUID", "修改的编号须为 UUID"),
    Phrase("a sequence number is a whole number up to {limit}", "序号为整数，最大 {limit}"),
    Phrase("a change with this id was stored before, with other contents", "此编号的修改已保存过，内容不同"),
    Phrase("Give every change an id of its own", "请给每次修改一个独有的编号"),
    Phrase("a note is text of up to {limit} signs", "备注为文本，最多 {limit} 个字符"),
    Phrase(
        "{name}: expected a number from {low} to {high} in steps of {step}",
        "{name}：应为 {low} 至 {high}、步长为 {step} 的数字",
    ),
    Phrase("{name}: expected a number from {low} to {high}", "{name}：应为 {low} 至 {high} 的数字"),
    Phrase("{name}: expected one of {count} choices", "{name}：应为 {count} 个选项之一"),
    Phrase("{name}: expected one of the clips that are shown", "{name}：应为所播放的录音之一"),
    Phrase(
        "{name}: expected text of up to {limit} signs, without control signs",
        "{name}：应为最多 {limit} 个字符的文本，不含控制字符",
    ),
    Phrase(
        "{name}: expected [start, end] with 0 ≤ start < end ≤ {limit} seconds",
        "{name}：应为 [开始, 结束]，0 ≤ 开始 < 结束 ≤ {limit} 秒",
    ),
    Phrase(
        "{name}: expected up to {lines} lines of {signs} signs in all", "{name}：最多 {lines} 行，合计 {signs} 个字符"
    ),
    # clips that are sent, and what is taken away
    Phrase("This is no sound that can be kept: {why}", "这不是可以保存的录音：{why}"),
    Phrase("the sound is longer than {seconds} s; cut it into clips", "录音超过 {seconds} 秒；请切成片段"),
    Phrase("{name}: the recording cannot be opened ({what})", "{name}：无法打开录音（{what}）"),
    Phrase("Mend that in the project folder", "请在项目文件夹中修正"),
    Phrase(
        "{name}: cannot be read ({what}); the clip belongs to the task", "{name}：无法读取（{what}）；任务需要这段录音"
    ),
    Phrase(
        "{name}: cannot be written ({what}). Mend that and run the same command",
        "{name}：无法写入（{what}）。请修正后重试",
    ),
    Phrase(
        "{name}: cannot be made ({what}); name another folder for the run", "{name}：无法建立（{what}）；请换一个文件夹"
    ),
    # the machine
    Phrase("The project folder cannot be written to", "无法写入项目文件夹"),
    Phrase("Make room on its disk, and see that the studio may write", "请腾出磁盘空间，并确认工作室有写入权限"),
    Phrase("the database cannot be read right now", "暂时无法读取数据库"),
    Phrase("the database cannot be written to right now", "暂时无法写入数据库"),
    Phrase("too many changes wait to be written", "等待写入的修改过多"),
    Phrase("Try again in a few seconds", "请在几秒后重试"),
    Phrase("Send this again in a few seconds", "请在几秒后重新发送"),
    Phrase("the studio is closing", "工作室正在关闭"),
    Phrase("Wait until it is back; nothing on this page is lost", "请等它恢复；此页的内容不会丢失"),
    Phrase("Something failed here (number {number})", "此处出错（编号 {number}）"),
    Phrase("Look into the server's log", "请查看服务器日志"),
    Phrase("The studio is not known by this name", "工作室不使用这个域名"),
    Phrase(
        "Use the address that the studio printed, or start it with --public-url and this address",
        "请使用工作室显示的地址，或用 --public-url 加上此地址启动",
    ),
    # requests
    Phrase("The request cannot be understood", "无法理解此请求"),
    Phrase("The request comes from a page of another site", "请求来自其他网站的页面"),
    Phrase("The header {header} is missing or is not that of this session", "缺少请求头 {header}，或与本次登录不符"),
    Phrase("Load the page again", "请重新加载页面"),
    Phrase("This address takes other methods", "此地址不接受这种方法"),
    Phrase("The body did not arrive within {seconds} seconds", "内容没有在 {seconds} 秒内到达"),
    Phrase("Send it again", "请重新发送"),
    Phrase("At most {limit} bytes are taken here", "此处最多接受 {limit} 字节"),
    Phrase("Send less at a time", "请每次少发一些"),
    Phrase("The body must be of the type {kind}", "内容类型须为 {kind}"),
    Phrase("The file has {count} bytes", "文件有 {count} 字节"),
    Phrase("Ask for a part of it", "请只请求其中的一部分"),
    Phrase("{name}: expected a whole number from {low} to {high}", "{name}：应为 {low} 至 {high} 的整数"),
    Phrase("{name}: expected one of {names}", "{name}：应为 {names} 之一"),
    Phrase("The body is not valid JSON: {why}", "内容不是有效的 JSON：{why}"),
    Phrase("it nests too deep", "嵌套过深"),
    Phrase("it cannot be parsed as UTF-8 JSON", "无法按 UTF-8 JSON 解析"),
    Phrase("The body nests deeper than {count} levels", "内容嵌套超过 {count} 层"),
    Phrase("The body names one key twice", "内容中有重复的键"),
    Phrase("{literal} is not JSON; write null for an undefined number", "{literal} 不是 JSON；未定义的数请写 null"),
    Phrase("A whole number in the body has more than 64 bits", "内容中有超过 64 位的整数"),
    Phrase("A number in the body is beyond what a float can hold", "内容中有超出浮点范围的数"),
    Phrase("A text in the body holds the character NUL", "内容中的文本含有 NUL 字符"),
    Phrase(
        "A text in the body holds half a character (a lone surrogate)", "内容中的文本含有半个字符（孤立的代理码位）"
    ),
    # fields of requests, as pydantic calls them
    Phrase("{field}: Field required", "{field}：必填"),
    Phrase("{field}: Extra inputs are not permitted", "{field}：不接受此字段"),
    Phrase("{field}: Input should be a valid string", "{field}：应为文本"),
    Phrase("{field}: Input should be a valid boolean", "{field}：应为 true 或 false"),
    Phrase("{field}: Input should be a valid number", "{field}：应为数字"),
    Phrase("{field}: Input should be a valid integer", "{field}：应为整数"),
    Phrase("{field}: Input should be a valid list", "{field}：应为列表"),
    Phrase("{field}: Input should be a valid dictionary", "{field}：应为对象"),
    Phrase("{field}: Input should be a valid dictionary or instance of {kind}", "{field}：应为对象"),
    Phrase("{field}: Input should be a finite number", "{field}：应为有限的数"),
    Phrase("{field}: Input should be greater than {limit}", "{field}：应大于 {limit}"),
    Phrase("{field}: Input should be greater than or equal to {limit}", "{field}：应不小于 {limit}"),
    Phrase("{field}: Input should be less than or equal to {limit}", "{field}：应不大于 {limit}"),
    Phrase("{field}: Input should be {names}", "{field}：应为 {names}"),
    Phrase("{field}: String should have at least {limit} character", "{field}：至少 {limit} 个字符"),
    Phrase("{field}: String should have at most {limit} characters", "{field}：最多 {limit} 个字符"),
    Phrase("{field}: String should match pattern {name}", "{field}：格式应为 {name}"),
    Phrase(
        "{field}: List should have at most {limit} items after validation, not {count}",
        "{field}：最多 {limit} 项，收到 {count} 项",
    ),
)
"""English without its full stop, and what Mandarin says; blanks as in `aptone.report.told`."""
