"""The built site at an address of this machine alone: python -m pipeline.serve"""

import functools
import os
import sys
import webbrowser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from pipeline.site import SITE

PORT = 8000


class Handler(SimpleHTTPRequestHandler):
    """Serves _build/html, whichever site it leads to by then, and reports only what it could not
    find.
    """

    def log_request(self, *_: object) -> None:
        pass


def server(port: int = PORT) -> ThreadingHTTPServer:
    """A server on ``port``, or on a free one where that is taken."""
    handler = functools.partial(Handler, directory=SITE)
    try:
        return ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError:
        return ThreadingHTTPServer(("127.0.0.1", 0), handler)


def has_browser() -> bool:
    """Whether a window can open; a browser inside of the terminal would only be in the way."""
    return sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )


def serve() -> None:
    with server() as site:
        address = f"http://127.0.0.1:{site.server_port}/"
        print(f"The book is at {address} until you press Ctrl-C.", flush=True)
        if has_browser():
            webbrowser.open(address)
        try:
            site.serve_forever()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    serve()
