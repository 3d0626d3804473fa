"""Book files for tests: EPUBs and Word documents written part by part."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

CONTAINER = """<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""

NAV = """<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>
<nav epub:type="toc"><ol><li><a href="one.xhtml">One</a>
<ol><li><a href="one.xhtml#two">Two</a></li></ol></li></ol></nav>
<nav epub:type="landmarks"><ol><li><a epub:type="copyright-page" href="rights.xhtml">Rights</a></li></ol></nav>
</body></html>"""

NCX = """<?xml version="1.0"?><!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://x/ncx.dtd">
<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>
<navPoint><navLabel><text>One&nbsp;</text></navLabel><content src="one.xhtml"/></navPoint></navMap></ncx>"""

ONE = """<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"
xmlns:epub="http://www.idpf.org/2007/ops"><head><title>x</title></head><body><h2>One</h2>
<p id="p1"><span id="s1">“Go,”</span> <span id="s2">said Tom.</span></p>
<p>It rained<a epub:type="noteref" href="#n">1</a> all day.</p><h2 id="two">Two</h2><p>“No!” cried Ann.</p>
<aside epub:type="footnote" id="n"><p>In May.</p></aside></body></html>"""

RIGHTS = "<html><body><p>Copyright 2026. All rights reserved.</p></body></html>"

OPF = """<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Rain</dc:title><dc:language>en-GB</dc:language></metadata>
<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="r" href="rights.xhtml" media-type="application/xhtml+xml"/>
<item id="o" href="one.xhtml" media-type="application/xhtml+xml" media-overlay="m"/>
<item id="m" href="one.smil" media-type="application/smil+xml"/>{more}</manifest>
<spine{toc}><itemref idref="r"/><itemref idref="o"/></spine></package>"""

SMIL = """<smil xmlns="http://www.w3.org/ns/SMIL" version="3.0"><body><par><text src="one.xhtml#s1"/>
<audio src="audio/one.mp3" clipBegin="0s" clipEnd="0:00:01.250"/></par><par><text src="one.xhtml#s2"/>
<audio src="audio/one.mp3" clipBegin="1250ms" clipEnd="2.5s"/></par></body></smil>"""

PARTS = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": CONTAINER,
    "OEBPS/book.opf": OPF.format(more="", toc=""),
    "OEBPS/nav.xhtml": NAV,
    "OEBPS/rights.xhtml": RIGHTS,
    "OEBPS/one.xhtml": ONE,
    "OEBPS/one.smil": SMIL,
}
"""A whole EPUB 3."""

ENCRYPTION = """<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"
xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod Algorithm="{algorithm}"/>
<enc:CipherData><enc:CipherReference URI="OEBPS/one.xhtml"/></enc:CipherData></enc:EncryptedData></encryption>"""


def write_zip(path: Path, parts: Mapping[str, str | bytes]) -> Path:
    """Write an archive and return its path."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path
