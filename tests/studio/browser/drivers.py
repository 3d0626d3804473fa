"""Two browsers behind one small interface: Chromium by playwright, Firefox by WebDriver BiDi, which it speaks itself.

Playwright drives only its own build of Firefox; a Firefox of the system needs no driver program for BiDi.
"""

import json
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any, Protocol

from playwright.sync_api import Browser, BrowserContext, Error
from websockets.sync.client import ClientConnection, connect

from tests.studio.browser.room import PATIENCE

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
SIZE = {"width": 1280, "height": 900}
PREFERENCES = {
    "media.autoplay.default": 0,
    "media.autoplay.blocking_policy": 0,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
}
KEYS = {"Enter": "\ue007", "Tab": "\ue004", "Space": " "}


class LeavingPageError(Exception):
    """The page was left while a script ran in it; the next page may be asked again."""


class Tab(Protocol):
    """A page that a person sits in front of."""

    def goto(self, url: str) -> None: ...
    def run(self, script: str) -> Any: ...
    def press(self, key: str) -> None: ...
    def click_at(self, x: float, y: float) -> None: ...
    def close(self) -> None: ...


class ChromiumTab:
    """A page of Chromium."""

    def __init__(self, browser: Browser) -> None:
        self._context: BrowserContext = browser.new_context(locale="en-GB", viewport=SIZE)  # type: ignore[arg-type]
        self._page = self._context.new_page()

    def goto(self, url: str) -> None:
        self._page.goto(url)

    def run(self, script: str) -> Any:
        try:
            return self._page.evaluate(script)
        except Error as error:
            raise LeavingPageError from error

    def press(self, key: str) -> None:
        self._page.keyboard.press(key)

    def click_at(self, x: float, y: float) -> None:
        self._page.mouse.click(x, y)

    def close(self) -> None:
        self._context.close()


class Firefox:
    """A Firefox without a window, with a profile of its own."""

    def __init__(self, folder: Path) -> None:
        assert FIREFOX is not None
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()]
        (folder / "user.js").write_text("\n".join(lines), encoding="utf-8")
        command = [FIREFOX, "--headless", "--remote-debugging-port", "0", "--no-remote", "--profile", str(folder)]
        self._log = (folder / "firefox.log").open("w+b")
        self._process = subprocess.Popen(command, stdout=self._log, stderr=subprocess.STDOUT)
        self._number = 0
        self._socket: ClientConnection = connect(self._address(folder), max_size=None)
        self.send("session.new", {"capabilities": {}})

    def _address(self, folder: Path) -> str:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            for line in (folder / "firefox.log").read_text(encoding="utf-8", errors="replace").splitlines():
                if "WebDriver BiDi listening on" in line:
                    return line.rpartition(" ")[2] + "/session"
            assert self._process.poll() is None, "firefox ended"
            time.sleep(0.05)
        raise AssertionError("firefox does not listen")

    def send(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """Send a command, and return its result."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            reply = json.loads(self._socket.recv(timeout=PATIENCE))
            if reply.get("id") == self._number:
                if reply["type"] != "success":
                    raise LeavingPageError(str(reply))
                result: dict[str, Any] = reply["result"]
                return result

    def stop(self) -> None:
        """End the browser."""
        self._socket.close()
        self._process.terminate()
        self._process.wait(timeout=PATIENCE)
        self._log.close()


class FirefoxTab:
    """A page of Firefox, with cookies of its own."""

    def __init__(self, firefox: Firefox) -> None:
        self._firefox = firefox
        self._person = firefox.send("browser.createUserContext", {})["userContext"]
        made = firefox.send("browsingContext.create", {"type": "tab", "userContext": self._person})
        self._context = made["context"]
        firefox.send("browsingContext.setViewport", {"context": self._context, "viewport": SIZE})
        firefox.send("browsingContext.activate", {"context": self._context})

    def goto(self, url: str) -> None:
        self._firefox.send("browsingContext.navigate", {"context": self._context, "url": url, "wait": "complete"})

    def run(self, script: str) -> Any:
        found = self._firefox.send(
            "script.evaluate",
            {
                "expression": f"Promise.resolve({script}).then((one) => JSON.stringify(one ?? null))",
                "target": {"context": self._context},
                "awaitPromise": True,
            },
        )
        if found["type"] != "success":
            raise LeavingPageError(str(found))
        return json.loads(found["result"]["value"])

    def press(self, key: str) -> None:
        value = KEYS.get(key, key)
        actions = [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self._act({"type": "key", "id": "keys", "actions": actions})

    def click_at(self, x: float, y: float) -> None:
        moves = [{"type": "pointerMove", "x": round(x), "y": round(y)}, {"type": "pointerDown", "button": 0}]
        self._act({"type": "pointer", "id": "mouse", "actions": [*moves, {"type": "pointerUp", "button": 0}]})

    def _act(self, source: dict[str, Any]) -> None:
        self._firefox.send("input.performActions", {"context": self._context, "actions": [source]})

    def close(self) -> None:
        self._firefox.send("browsingContext.close", {"context": self._context})
