"""The page that shows the explorer in a browser; everything that it loads comes from the same server."""

from __future__ import annotations

import html
from string import Template

POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
    "img-src 'self' data:; connect-src 'self' ws: wss:; base-uri 'none'; frame-ancestors 'none'"
)
"""What the page may load (Content-Security-Policy)."""

_PAGE = Template("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>$title</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="static/css/xterm.css">
<style>
@font-face { font-family: "Roboto Mono"; src: url("static/fonts/RobotoMono-VariableFont_wght.ttf"); }
@font-face {
  font-family: "Roboto Mono"; font-style: italic; src: url("static/fonts/RobotoMono-Italic-VariableFont_wght.ttf");
}
html, body { margin: 0; height: 100%; background: #10151c; color: #d7dfe8; font-family: "Roboto Mono", monospace; }
.notice { position: fixed; inset: 0; display: flex; align-items: center; justify-content: center; gap: 1.5em; }
.notice.ended { display: none; z-index: 1; background: rgba(16, 21, 28, .85); }
body.-first-byte .starting { display: none; }
body.-closed .notice.ended { display: flex; }
button { font: inherit; padding: .5em 1.2em; border: 0; background: #6cb2eb; color: #10151c; cursor: pointer; }
#start { display: none; }
</style>
<script src="static/js/textual.js"></script>
</head>
<body>
<div class="notice starting">stormscope is starting …<button id="start">Start</button></div>
<div class="notice ended">stormscope has ended.<button onclick="location.reload()">Start again</button></div>
<div id="terminal" class="textual-terminal" data-session-websocket-url="$socket" data-font-size="$size"></div>
</body>
</html>
""")


def page(title: str, socket: str, size: int) -> str:
    """Return the page; `socket` is the WebSocket's URL, `size` the font's in pixels."""
    return _PAGE.substitute(title=html.escape(title), socket=html.escape(socket, quote=True), size=size)
