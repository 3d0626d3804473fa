"""Score one recording by a running service: python score_clip.py take.wav "Is anybody there?" [story.txt]."""

import base64
import json
import os
import sys
import urllib.request
from pathlib import Path

clip, line, *story = sys.argv[1:]
audio = {"name": Path(clip).name, "base64": base64.b64encode(Path(clip).read_bytes()).decode()}
body = {"audio": audio, "line": line, "story": Path(story[0]).read_text(encoding="utf-8") if story else None}
address = os.environ.get("APTONE_SERVICE", "http://127.0.0.1:8788")
headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ.get('APTONE_VIEW_TOKEN', '')}"}
with urllib.request.urlopen(urllib.request.Request(f"{address}/v1/score", json.dumps(body).encode(), headers)) as reply:
    outcome = json.load(reply)["outcome"]
print(outcome["scores"]["aptness"]["value"], outcome["rationale"] or outcome["reason"])
