"""A hub on loopback: one file, and the faults that a test wants."""

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Hub:
    """What it serves, how it misbehaves, and what it was asked."""

    content: bytes
    etag: str | None = None
    linked_size: int | None = None
    status: int = 200
    ranges: bool = True
    moves_to: str | None = None
    """A path that every HEAD for another path is sent to, relatively, as after a renaming."""
    cut_after: list[int] = field(default_factory=list)
    """For each GET in turn, after how many bytes of its body the connection is cut."""
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    """Method and Range header of every request."""
    url: str = ""


@contextmanager
def serving(hub):
    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self):
            hub.asked.append(("HEAD", None))
            if hub.moves_to and self.path != hub.moves_to:
                self.send_response(307)
                self.send_header("Location", hub.moves_to)
            elif hub.status != 200:
                self.send_response(hub.status)
            else:
                # The hub describes a large file in the redirect to where its bytes are.
                self.send_response(302)
                self.send_header("Location", "http://127.0.0.1:9/never-followed")
                if hub.etag:
                    self.send_header("X-Linked-Etag", f'"{hub.etag}"')
                if hub.linked_size is not None:
                    self.send_header("X-Linked-Size", str(hub.linked_size))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def do_GET(self):
            wanted = self.headers.get("Range")
            hub.asked.append(("GET", wanted))
            start = int(wanted[len("bytes=") : -1]) if wanted and hub.ranges else 0
            body = hub.content[start:]
            self.send_response(206 if start else 200)
            if start:
                end = len(hub.content)
                self.send_header("Content-Range", f"bytes {start}-{end - 1}/{end}")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: hub.cut_after.pop(0)] if hub.cut_after else body)
            self.close_connection = True

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
