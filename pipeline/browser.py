"""A folder served over http to this machine alone, and Chromium to look at it."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# For wait_for_function, which goes on at the new page where one leads to another.
TYPESET = """document.readyState == 'complete' && Promise.all(
    [window.MathJax?.startup.promise, document.fonts.ready]).then(() => true)"""
HANGS = 180_000  # milliseconds; a busy machine needs 30 seconds for the longest page
MISSING = "no Chromium on this machine: apt-get install chromium"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(folder: str | Path) -> Iterator[str]:
    """The address at which the files of a folder are, as long as the context lasts."""
    handler = functools.partial(Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


# The shell draws the same pages without a browser around them, in three fifths of the work.
PROGRAMS = "chromium-headless-shell", "chromium", "google-chrome"
ALONE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"


def program() -> str | None:
    """Where Chromium is; None where it is not."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window, and with nothing but this machine in reach; FileNotFoundError
    where there is no Chromium.
    """
    from playwright.sync_api import sync_playwright  # most tasks need no browser

    if not program():
        raise FileNotFoundError(MISSING)
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", ALONE]
        yield playwright.chromium.launch(executable_path=program(), args=flags)


def show(page: Page, url: str) -> None:
    """Open an address and wait until its scripts have run, its formulas stand and its fonts are
    there.
    """
    page.set_default_timeout(HANGS)
    page.goto(url)  # to the end of loading: until then MathJax may not have begun
    page.wait_for_function(TYPESET)
