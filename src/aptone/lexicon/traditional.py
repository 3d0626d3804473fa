"""Traditional characters read as simplified ones, one for one: the words for cues are listed in simplified characters.

Only characters that stand in such words are here; it is no converter.
"""

_PAIRS = (
    "電电 話话 機机 聽听 裡里 裏里 聲声 響响 遠远 處处 傳传 來来 說说 問问 嘆叹 歎叹 氣气 輕轻 嚴严 肅肃 溫温 靜静 "
    "緩缓 緊紧 張张 顫颤 結结 雜杂 轟轰 鳴鸣 風风 門门 牆墙 樓楼 對对 講讲 線线 網网 絡络 訊讯 號号 斷断 續续 廣广 "
    "無无 麥麦 視视 頻频 畫画 掛挂 撥拨 鈴铃 語语 調调 這这 邊边 頭头 從从 隱隐 約约 飄飘 應应 吶呐 囂嚣 鬧闹 兒儿 "
    "開开 關关 著着 禱祷 內内 獨独 腦脑 筆笔 覺觉 嗎吗 態态 驚惊 懼惧 憂忧 傷伤 愴怆 淚泪 啞哑 憊惫 軟软 懶懒 閒闲 "
    "閑闲 樂乐 興兴 奮奋 歡欢 靈灵 諷讽 嬌娇 揚扬 啟启 斬斩 釘钉 鐵铁 決决 麼么 罵骂 寫写 見见 點点 過过 還还 與与 "
    "擾扰 壓压 貼贴 衝冲 槍枪 砲炮 殺杀 馬马 車车 輪轮 艙舱 艦舰 廳厅 戶户 陣阵 陰阴 陽阳 沒没 別别 並并 彷仿 彿佛 "
    "個个 們们 時时 會会 為为 緒绪 嘯啸 譁哗 嘩哗 滾滚 塵尘 嘰叽 聳耸 韻韵 飛飞 舊旧 壞坏 爛烂 卻却 則则 難难 喪丧 "
    "歲岁 憐怜 憤愤 殘残 鬱郁 寧宁 穩稳 順顺 綿绵 細细 聖圣 裝装 樣样 學学 強强 勁劲 顆颗 煩烦 惱恼 慘惨 獸兽 戰战 "
    "鬥斗 爭争 戲戏 劇剧 鑼锣 雲云 霧雾 靂雳 嘔呕 諒谅 謔谑 譏讥 鬆松 鎮镇 閱阅 讀读 讓让 誰谁 談谈 論论 認认 識识 "
    "詢询 請请 諾诺 譴谴 責责 徹彻 盪荡 蕩荡 迴回 "
)

SIMPLIFIED = str.maketrans({pair[0]: pair[1] for pair in _PAIRS.split()})
"""For `str.translate`; the text keeps its length."""
