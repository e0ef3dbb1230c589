"""The landing page and the heaviest chapter: what they weigh, and how long until their formulas
stand.
"""

from contextlib import contextmanager
from pathlib import Path

from benchmarks.measure import Row, medians, seconds
from pipeline.browser import TYPESET, chromium, served

LANDING, BARE = (
    "book/index.html",
    "genindex.html",
)  # the second has the theme's scripts and styles, and no text


def heaviest(site):
    """The chapter with the longest HTML."""
    longest = max(Path(site).glob("notebooks/*.html"), key=lambda path: path.stat().st_size)
    return longest.relative_to(site).as_posix()


@contextmanager
def opened(browser, url):
    """The requests that a page made until its formulas stood; nothing is in the browser's cache
    before.
    """
    context, requests = browser.new_context(), []
    page = context.new_page()
    page.on("requestfinished", lambda request: requests.append(request))
    page.goto(url)
    page.wait_for_function(TYPESET)
    yield requests
    context.close()


def weight(browser, url):
    """Bytes that the server sent for a page, uncompressed."""
    with opened(browser, url) as requests:
        return sum(request.sizes()["responseBodySize"] for request in requests)


def load(browser, url):
    """Open a page and wait until its formulas stand."""
    with opened(browser, url):
        pass


def rows(site="_build/html", repeats=5):
    names = {
        "The landing page": LANDING,
        f"The heaviest chapter, `{heaviest(site)}`": heaviest(site),
        "": BARE,
    }
    with served(site) as address, chromium() as browser:
        urls = [address + name for name in names.values()]
        *weights, bare = [weight(browser, url) for url in urls]
        *times, limit = medians(
            *(lambda url=url: load(browser, url) for url in urls), repeats=repeats
        )
    peer = f"the theme without a text, `{BARE}`: {seconds(limit)}, {bare / 1e6:.2g} MB"
    return [
        Row(
            f"{name}, loaded and typeset",
            seconds(taken),
            peer,
            f"{taken / limit:.1f} times as slow; {sent / 1e6:.2g} MB in all",
        )
        for name, taken, sent in zip(names, times, weights)
    ]
