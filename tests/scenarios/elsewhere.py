"""A web server with content to import, and small exports of other systems."""

from __future__ import annotations

import http.server
import io
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

Handler = Callable[[http.server.BaseHTTPRequestHandler], None]
Pages = dict[str, "tuple[str, bytes] | Handler | int"]
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000a49444154789c63000100000500010d0a2db40000000049454e44ae426082"
)


class Elsewhere:
    """A server: `pages` has by their paths a type and content, a status, or what answers."""

    def __init__(self) -> None:
        self.pages: Pages = {}
        self.asked: list[str] = []
        outer = self

        class Answering(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                page = outer.pages.get(self.path, 404)
                if callable(page):
                    page(self)
                    return
                kind, content = page if isinstance(page, tuple) else ("text/plain", b"")
                self.send_response(page if isinstance(page, int) else 200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answering)
        self.authority = f"127.0.0.1:{self._server.server_port}"
        self.url = f"http://{self.authority}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def put(self, path: str, content: str | bytes, kind: str = "text/html") -> str:
        """Serve a page; gives its address."""
        self.pages[path] = (kind, content.encode() if isinstance(content, str) else content)
        return self.url + path


@contextmanager
def elsewhere() -> Iterator[Elsewhere]:
    """Serve pages for a while."""
    server = Elsewhere()
    try:
        yield server
    finally:
        server.close()


def encoded(encoding: str, content: bytes) -> Handler:
    """Answer with a body that is packed, unasked."""

    def answer(request: http.server.BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "text/html")
        request.send_header("Content-Encoding", encoding)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content)

    return answer


def redirect(to: str) -> Handler:
    """Answer with a redirect."""

    def answer(request: http.server.BaseHTTPRequestHandler) -> None:
        request.send_response(302)
        request.send_header("Location", to)
        request.send_header("Content-Length", "0")
        request.end_headers()

    return answer


def endless(request: http.server.BaseHTTPRequestHandler) -> None:
    """Answer without an end, slowly."""
    request.send_response(200)
    request.send_header("Content-Type", "text/html")
    request.end_headers()
    try:
        for _ in range(600):
            request.wfile.write(b"<p>more</p>" * 2000)
            time.sleep(0.1)
    except OSError:
        pass


def lying(request: http.server.BaseHTTPRequestHandler) -> None:
    """Answer with less than is said."""
    request.send_response(200)
    request.send_header("Content-Length", "1000000")
    request.end_headers()
    request.wfile.write(b"# Short")
    request.wfile.flush()
    request.close_connection = True


def packed(files: Mapping[str, str | bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Pack files."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", how) as zipped:
        for name, content in files.items():
            zipped.writestr(name, content)
    return made.getvalue()


def word_document(body: str, **more: str | bytes) -> bytes:
    """Make a document of Word of paragraphs in its XML."""
    names = (
        'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
        'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
        'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"'
    )
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    files: dict[str, str | bytes] = {
        "[Content_Types].xml": (
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="png" ContentType="image/png"/>'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Override PartName="/word/document.xml" ContentType='
            '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
        ),
        "_rels/.rels": (
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            f'<Relationship Id="r1" Type="{office}/officeDocument" Target="word/document.xml"/></Relationships>'
        ),
        "word/_rels/document.xml.rels": (
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            f'<Relationship Id="p1" Type="{office}/image" Target="media/image1.png"/>'
            f'<Relationship Id="l1" Type="{office}/hyperlink" Target="javascript:alert(1)" TargetMode="External"/>'
            "</Relationships>"
        ),
        "word/media/image1.png": PIXEL,
        "word/document.xml": f"<w:document {names}><w:body>{body}</w:body></w:document>",
    }
    return packed(files | more)


def paragraph(text: str, style: str | None = None) -> str:
    """Write a paragraph of Word."""
    styled = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{styled}<w:r><w:t>{text}</w:t></w:r></w:p>"


PICTURE = (
    '<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="P" descr="A pixel"/><a:graphic><a:graphicData>'
    '<pic:pic><pic:blipFill><a:blip r:embed="p1"/></pic:blipFill></pic:pic></a:graphicData></a:graphic>'
    "</wp:inline></w:drawing></w:r></w:p>"
)
