"""Why a recording cannot be read, in both languages.

The readers of `aptone.audio` say so in English, with the name of the file in front. `aptone.report.told` says it in
Mandarin, for reports whose items failed and for the studio, where people send recordings.
"""

from aptone.report.phrase import Phrase

RECORDINGS_TOLD: tuple[Phrase, ...] = (
    # the file
    Phrase(
        "{name}: no such file; check the path, and the folder that it is relative to",
        "{name}：没有这个文件；请检查路径，以及它所相对的文件夹",
    ),
    Phrase(
        "{name}: this is a folder; expected one recording. Name a file in it",
        "{name}：这是文件夹；请指定其中的一个录音文件",
    ),
    Phrase(
        "{name}: this is a device or a pipe; expected a file. Save the recording to a file first",
        "{name}：这是设备或管道，不是文件；请先把录音存为文件",
    ),
    Phrase(
        "{name}: the file is empty (0 bytes); record, export or copy it again",
        "{name}：文件是空的（0 字节）；请重新录制、导出或复制",
    ),
    Phrase(
        "{name}: no permission to read it; change its permissions or its owner",
        "{name}：没有读取权限；请修改其权限或所有者",
    ),
    Phrase(
        "{name}: no permission to look it up; change the permissions of its folder",
        "{name}：没有查看权限；请修改其文件夹的权限",
    ),
    Phrase(
        "{name}: cannot be opened ({what}); check the disk and the path", "{name}：无法打开（{what}）；请检查磁盘和路径"
    ),
    Phrase(
        "{name}: cannot be read ({what}); check the disk and copy it again",
        "{name}：无法读取（{what}）；请检查磁盘并重新复制",
    ),
    Phrase(
        "{name}: the file has changed: expected SHA-256 {expected}, got {digest}; restore the file, or make the "
        "reference again",
        "{name}：文件已改变：SHA-256 应为 {expected}，实为 {digest}；请恢复文件，或重新引用",
    ),
    # what it is instead
    Phrase(
        "{name}: this is a Git LFS pointer and not the recording; fetch it with: git lfs pull",
        "{name}：这是 Git LFS 指针，不是录音；请用 git lfs pull 取得录音",
    ),
    Phrase(
        "{name}: this is a web page and not a recording; the download probably failed, so fetch it again",
        "{name}：这是网页，不是录音；可能下载失败，请重新下载",
    ),
    Phrase(
        "{name}: not a recording that can be read; expected wav, flac, ogg, mp3, m4a, mp4, aac or webm. "
        "Convert it with: ffmpeg -i IN OUT.wav",
        "{name}：不是可以读取的录音；可用 wav、flac、ogg、mp3、m4a、mp4、aac 或 webm。转换：ffmpeg -i IN OUT.wav",
    ),
    Phrase(
        "{name}: no audio stream found; expected sound. Export it again with its sound track",
        "{name}：没有音轨；请连同声音重新导出",
    ),
    Phrase(
        "{name}: expected one sound track, got {count}; take one out, for instance the first, with: "
        "ffmpeg -i IN -map 0:a:0 OUT.wav",
        "{name}：应有一条音轨，实有 {count} 条；请取出一条，例如第一条：ffmpeg -i IN -map 0:a:0 OUT.wav",
    ),
    Phrase(
        "{name}: its sound is in a coding that FFmpeg does not know; convert it to wav first",
        "{name}：FFmpeg 不认识它的编码；请先转换为 wav",
    ),
    Phrase(
        '{what} needs the extra "{extra}". Install it with: pip install "aptone[{extra_too}]"',
        '{what} 需要扩展 "{extra}"。安装：pip install "aptone[{extra_too}]"',
    ),
    # damaged
    Phrase(
        "{name}: the {container} file cannot be decoded ({what}); it is damaged or in a rare coding. "
        "Convert it with: ffmpeg -i IN OUT.wav",
        "{name}：{container} 文件无法解码（{what}）；文件已损坏或编码少见。转换：ffmpeg -i IN OUT.wav",
    ),
    Phrase(
        "{name}: the {container} file is damaged or truncated ({what}); copy it again from its source",
        "{name}：{container} 文件已损坏或不完整（{what}）；请从来源重新复制",
    ),
    Phrase(
        "{name}: the {container} file is damaged or truncated after {seconds} s ({what}); "
        "copy it again from its source",
        "{name}：{container} 文件在第 {seconds} 秒之后损坏或不完整（{what}）；请从来源重新复制",
    ),
    Phrase(
        "{name}: the {container} file is truncated: it promises {stated} s, {decoded} s could be decoded; "
        "copy it again from its source",
        "{name}：{container} 文件不完整：应有 {stated} 秒，只能解码 {decoded} 秒；请从来源重新复制",
    ),
    Phrase(
        "{name}: the {container} file holds no samples; record or export it again",
        "{name}：{container} 文件没有采样；请重新录制或导出",
    ),
    Phrase(
        "{name}: the recording holds no samples; record or export it again", "{name}：录音没有采样；请重新录制或导出"
    ),
    Phrase(
        "{name}: the {container} file is truncated or damaged in its header; make or copy it again",
        "{name}：{container} 文件的文件头不完整或已损坏；请重新生成或复制",
    ),
    Phrase(
        "{name}: the WAV file has no data chunk, so it is truncated or damaged; make or copy it again",
        "{name}：WAV 文件没有数据块，不完整或已损坏；请重新生成或复制",
    ),
    Phrase(
        "{name}: the WAV file is truncated: its header promises {stated} bytes of samples, {there} are there; "
        "copy it again from its source",
        "{name}：WAV 文件不完整：文件头写明有 {stated} 字节采样，实有 {there} 字节；请从来源重新复制",
    ),
    Phrase(
        "{name}: the WAV file is truncated: it ends inside a sample, {count} bytes short; "
        "copy it again from its source",
        "{name}：WAV 文件不完整：在一个采样中间结束，缺 {count} 字节；请从来源重新复制",
    ),
    Phrase(
        "{name}: the WAV file goes on for {count} bytes behind the end that its header states, so the header is out of "
        "date; mend it with: ffmpeg -ignore_length 1 -i IN OUT.wav",
        "{name}：WAV 文件在文件头写明的结尾之后还有 {count} 字节，文件头已过时；"
        "修复：ffmpeg -ignore_length 1 -i IN OUT.wav",
    ),
    Phrase(
        "{name}: the WAV file holds MP3, which cannot be read in this wrapping; take it out with: "
        "ffmpeg -i IN -c copy OUT.mp3",
        "{name}：WAV 文件里装的是 MP3，无法这样读取；请取出：ffmpeg -i IN -c copy OUT.mp3",
    ),
    Phrase(
        "{name}: the FLAC file does not say how long it is and its last frame is not whole, so it is truncated; "
        "copy it again from its source",
        "{name}：FLAC 文件没有写明长度，最后一帧也不完整，因此文件不完整；请从来源重新复制",
    ),
    Phrase(
        "{name}: an MP3 file of free bit rate, which cannot be read; convert it with: lame --decode IN OUT.wav",
        "{name}：无法读取自由比特率的 MP3 文件；转换：lame --decode IN OUT.wav",
    ),
    Phrase(
        "{name}: no MP3 frames found; expected audio behind the tags. Make or copy the file again",
        "{name}：没有找到 MP3 帧；标签之后应有声音。请重新生成或复制文件",
    ),
    Phrase(
        "{name}: the MP3 file is truncated or damaged: {count} frames are whole; copy it again from its source",
        "{name}：MP3 文件不完整或已损坏：只有 {count} 帧完整；请从来源重新复制",
    ),
    Phrase(
        "{name}: the MP3 file is truncated or damaged: {count} of {all} frames are whole; "
        "copy it again from its source",
        "{name}：MP3 文件不完整或已损坏：{all} 帧中只有 {count} 帧完整；请从来源重新复制",
    ),
    Phrase(
        "{name}: the MP3 file is damaged: some {count} bytes of it are no sound, and no tag says how much there should "
        "be; copy it again from its source",
        "{name}：MP3 文件已损坏：约有 {count} 字节不是声音，也没有标签写明应有多少；请从来源重新复制",
    ),
    Phrase(
        "{name}: several Ogg recordings are chained in one file, and only the first would be heard; "
        "split them, or join them with: ffmpeg -i IN OUT.flac",
        "{name}：一个文件里连着几段 Ogg 录音，只会听到第一段；请分开，或合并：ffmpeg -i IN OUT.flac",
    ),
    Phrase(
        "{name}: the Ogg file is damaged: a page has a wrong sum. Copy it again from its source",
        "{name}：Ogg 文件已损坏：有一页校验和不对。请从来源重新复制",
    ),
    Phrase(
        "{name}: the Ogg file is damaged: pages are missing or out of order. Copy it again from its source; "
        "if it was recorded so, renumber them with: ffmpeg -i IN -c copy OUT.ogg",
        "{name}：Ogg 文件已损坏：有页缺失或次序错乱。请从来源重新复制；"
        "若原本就是这样录的，可重新编号：ffmpeg -i IN -c copy OUT.ogg",
    ),
    Phrase(
        "{name}: the Ogg file is truncated: it has no end-of-stream page. Copy it again from its source; if a recorder "
        "left it so, mend it with: ffmpeg -i IN -c copy OUT.ogg",
        "{name}：Ogg 文件不完整：没有结束页。请从来源重新复制；"
        "若录音机就是这样留下的，可修复：ffmpeg -i IN -c copy OUT.ogg",
    ),
    Phrase(
        "{name}: the AAC file is truncated inside its last frame; copy it again from its source",
        "{name}：AAC 文件在最后一帧中间结束；请从来源重新复制",
    ),
    Phrase(
        "{name}: the MP4 file has no index (box 'moov'), so its end is missing or its recording was cut off; "
        "copy it again from its source",
        "{name}：MP4 文件没有索引（moov 盒），结尾缺失或录制中断；请从来源重新复制",
    ),
    Phrase(
        "{name}: the MP4 file is truncated: its box {box} needs {count} bytes more; copy it again from its source",
        "{name}：MP4 文件不完整：盒 {box} 还缺 {count} 字节；请从来源重新复制",
    ),
    Phrase(
        "{name}: the WebM file is truncated: {count} bytes are missing at its end; copy it again from its source",
        "{name}：WebM 文件不完整：结尾缺 {count} 字节；请从来源重新复制",
    ),
    Phrase(
        "{name}: the WebM file is truncated or damaged: the bytes from {position} on are no part of a recording; "
        "copy it again from its source",
        "{name}：WebM 文件不完整或已损坏：从第 {position} 字节起不是录音；请从来源重新复制",
    ),
    Phrase(
        "{name}: expected a sample rate between {low} and {high} Hz, a whole number, got {rate}; "
        "the header is damaged, or the rate was given wrongly",
        "{name}：采样率应为 {low} 至 {high} Hz 的整数，得到 {rate}；文件头已损坏，或采样率写错了",
    ),
    Phrase(
        "{name}: expected 1 to {most} channels, got {channels}; the header is damaged, or the array has to be turned "
        "round to frames × channels",
        "{name}：声道数应为 1 至 {most}，得到 {channels}；文件头已损坏，或数组需要转成 帧 × 声道",
    ),
    Phrase(
        "{name}: some samples are NaN, infinite or absurdly large (peak {peak} times full scale); "
        "find out where they come from and repair them",
        "{name}：有采样是 NaN、无穷大或大得离谱（峰值为满幅的 {peak} 倍）；请查明来源并修复",
    ),
    # a part of it
    Phrase(
        "{name}: a clip cannot start at {start} s; give 0 or more",
        "{name}：片段不能从 {start} 秒开始；请给出 0 或更大的数",
    ),
    Phrase(
        "{name}: a clip that starts at {start} s cannot end at {end} s; give a later end",
        "{name}：从 {start} 秒开始的片段不能在 {end} 秒结束；请给出更晚的结尾",
    ),
    Phrase(
        "{name}: from {start} s to {end} s there is no sample at {rate} Hz; give a later end",
        "{name}：{start} 秒至 {end} 秒之间在 {rate} Hz 下没有采样；请给出更晚的结尾",
    ),
    Phrase(
        "{name}: asked for {what}, but the recording lasts {seconds} s; give a part that lies in it",
        "{name}：要的是 {what}，而录音只有 {seconds} 秒；请给出其中的一段",
    ),
    Phrase(
        "{name}: the clip is longer than {seconds} s; choose a part (start and end, also in a manifest), or in Python "
        "allow more with max_seconds",
        "{name}：片段超过 {seconds} 秒；请选取一段（start 和 end，清单中也可写），或在 Python 中用 max_seconds 放宽",
    ),
    Phrase(
        "{name}: the clip has more than {count} samples at {rate} Hz; "
        "choose a part with start and end, or a lower rate",
        "{name}：片段在 {rate} Hz 下超过 {count} 个采样；请用 start 和 end 选取一段，或降低采样率",
    ),
    Phrase(
        "{name}: the clip is too short to leave a sample at {rate} Hz; give a longer one",
        "{name}：片段太短，在 {rate} Hz 下不剩一个采样；请给出更长的片段",
    ),
)
"""English as it is raised, without the full stop, and what Mandarin says; blanks as in `aptone.report.told`."""
