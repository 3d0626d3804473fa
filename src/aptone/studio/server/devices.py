"""Names of devices in the list of sessions: the browser and the system, and nothing else that a browser tells."""

BROWSERS = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrome": "Chrome", "Safari": "Safari"}
"""Mark in a ``User-Agent`` to name; the first that is found counts, for each of them names others, too."""
SYSTEMS = {
    "Android": "Android",
    "iPhone": "iOS",
    "iPad": "iPadOS",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


def device_name(user_agent: str) -> str:
    """Name the browser and the system of a ``User-Agent`` header; empty if neither is known.

    >>> device_name("Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0")
    'Firefox, Linux'
    """
    found = (next((name for mark, name in names.items() if mark in user_agent), "") for names in (BROWSERS, SYSTEMS))
    return ", ".join(filter(None, found))
