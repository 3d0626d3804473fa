"""Score one recording by a running service: python score_clip.py take.wav "Is anybody there?" [story.txt]."""

import base64
import json
import sys
import urllib.request
from pathlib import Path

clip, line, *story = sys.argv[1:]
audio = {"name": Path(clip).name, "base64": base64.b64encode(Path(clip).read_bytes()).decode()}
body = {"audio": audio, "line": line, "story": Path(story[0]).read_text() if story else None}
request = urllib.request.Request("http://127.0.0.1:8788/v1/score", json.dumps(body).encode())
request.add_header("Content-Type", "application/json")
with urllib.request.urlopen(request) as reply:
    print(json.load(reply)["outcome"]["scores"]["aptness"])
