"""Chromium as tests start it: which program, and without what no test looks at.

Chromium draws parts of its own window with pages of their own, each in a process of its own, and keeps a spare process
for a page that may come. Without these a page opens in four fifths of the processor's time. A later
``--disable-features`` replaces an earlier one, so the list begins with what Playwright leaves out by itself.
"""

import shutil

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
"""Path of the browser; ``None`` where none is installed."""

_LEFT_OUT_BY_PLAYWRIGHT = (
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
)
_OF_ITS_WINDOW = (
    "InitialWebUI",
    "SpareRendererForSitePerProcess",
    "TopChromeWebUI",
    "WebUIAppMenuButton",
    "WebUIAvatarButton",
    "WebUIBackForwardButton",
    "WebUIExtensionsContainer",
    "WebUIHomeButton",
    "WebUILocationBar",
    "WebUIOmniboxPopup",
    "WebUIReloadButton",
    "WebUITabStrip",
    "WebUIToolbar",
    "Webium",
)

LEAN = ("--no-sandbox", f"--disable-features={','.join([*_LEFT_OUT_BY_PLAYWRIGHT, *_OF_ITS_WINDOW])}")
"""Options of every start."""
SOUNDING = "--autoplay-policy=no-user-gesture-required"
"""Option under which a page may play before anybody has clicked."""
