"""Links: whether those inside the site and the README lead somewhere, and what the servers outside
answer.
"""

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import unquote, urldefrag, urlsplit
from urllib.request import Request, urlopen

from doit.exceptions import TaskFailed

from pipeline.site import SITE

REFERRING = ("href", "src", "poster", "data", "action", "xlink:href")
INERT = {"data", "mailto", "javascript"}  # schemes that ask no server
CLOSED = {401, 403, 429}  # many publishers to any program: the page may well be there
SECONDS, THREADS = 20, 8
AGENT = {"User-Agent": "Mozilla/5.0 (compatible; link check of a book)"}


class Page(HTMLParser):
    """The references of an HTML page and the anchors that it offers."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.references: list[str] = []
        self.anchors = {"", "top"}  # these two lead to the top of any page
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        if "id" in given:
            self.anchors.add(given["id"])
        self.references += [given[name] for name in REFERRING if name in given]
        self.references += [
            part.split()[0] for part in given.get("srcset", "").split(",") if part.strip()
        ]
        self.references += [
            found for value in given.values() for found in urls(value)
        ]  # clips and fills of a drawing
        if given.get("http-equiv", "").lower() == "refresh":
            self.references.append(given["content"].partition("url=")[2])


def urls(style: str) -> list[str]:
    """What a style sheet or an attribute names by url(…).

    >>> urls("fill: url(#dots); src: url('a.woff2')")
    ['#dots', 'a.woff2']
    """
    return [
        quoted or bare
        for _, quoted, bare in re.findall(r"""url\(\s*(?:(["'])(.*?)\1|([^"')\s]+))\s*\)""", style)
    ]


def pages(folder: str | Path) -> dict[str, Page]:
    """The pages of a site by path, without the templates that the theme leaves among its static
    files.
    """
    names = sorted(path.relative_to(folder).as_posix() for path in Path(folder).rglob("*.html"))
    return {
        name: Page(Path(folder, name).read_text(encoding="utf-8"))
        for name in names
        if not name.startswith("_static/")
    }


def is_external(reference: str) -> bool:
    return reference.startswith("//") or urlsplit(reference).scheme in ("http", "https")


def broken(folder: str | Path) -> list[tuple[str, str, str]]:
    """What in the pages and style sheets of a folder leads nowhere, as (file, reference, reason).

    Names are compared to the letter, as a server on the web does, whatever this file system makes
    of capitals.
    """
    known = pages(folder)
    files = {
        path.relative_to(folder).as_posix(): path
        for path in Path(folder).rglob("*")
        if path.is_file()
    }
    references = [
        (name, reference) for name, page in known.items() for reference in page.references
    ]
    for name, path in files.items():
        if name.endswith(".css"):
            references += [(name, found) for found in urls(path.read_text(encoding="utf-8"))]
    return [
        (name, reference, reason)
        for name, reference in dict.fromkeys(references)
        if (reason := fault(name, reference, files, known))
    ]


def fault(
    name: str, reference: str, files: Mapping[str, Path], known: Mapping[str, Page]
) -> str | None:
    """Why a reference in the file ``name`` does not resolve; None when it does."""
    address, anchor = urldefrag(reference)
    parts = urlsplit(address)
    if is_external(reference) or parts.scheme in INERT:
        return None
    if parts.scheme or reference.startswith("/"):
        return "absolute path"
    target = (
        posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(parts.path)))
        if parts.path
        else name
    )
    if parts.path.endswith(("/", "..")) or target == ".":
        target = posixpath.normpath(f"{target}/index.html")
    if target not in files:
        return "no such file"
    if target in known and unquote(anchor) not in known[target].anchors:
        return "no such anchor"
    return None


def broken_in_markdown(path: Path) -> list[str]:
    """The references of a Markdown file of the repository that lead to no file and no heading."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    faults = []
    for reference in re.findall(r"\]\(([^)\s]+)\)", text):
        target, anchor = urldefrag(reference)
        other = path.parent / target if target else path
        if not is_external(reference) and not (
            other.exists() and (not anchor or anchor in headings(other))
        ):
            faults.append(reference)
    return faults


def headings(path: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a Markdown file."""
    titles = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


# Servers outside, asked only by `make links`


def external(folder: str | Path, texts: Iterable[Path] = ()) -> list[str]:
    """The addresses outside of a site that its pages and some text files name, without their
    anchors.
    """
    found = [
        reference
        for page in pages(folder).values()
        for reference in page.references
        if is_external(reference)
    ]
    for path in texts:
        found += re.findall(r"https?://[^\s<>()\[\]\"'`]*[\w/]", path.read_text(encoding="utf-8"))
    return sorted({urldefrag(re.sub("^//", "https://", address))[0] for address in found})


def answer(address: str, seconds: float = SECONDS) -> int | str | None:
    """None when the server has the page; else the status or the reason. HEAD first, then GET: some
    know only that.
    """
    said: int | str | None = None
    for method in ("HEAD", "GET"):
        try:
            with urlopen(Request(address, method=method, headers=AGENT), timeout=seconds):
                return None
        except HTTPError as error:
            said = error.code
        except (OSError, ValueError, HTTPException) as error:
            said = str(error)
    return said


def ask(addresses: Sequence[str], seconds: float = SECONDS) -> TaskFailed | None:
    """Refuse unless every address is there; a server that is closed to programs is named and not
    counted.
    """
    with ThreadPoolExecutor(THREADS) as pool:
        answers = dict(
            zip(addresses, pool.map(lambda address: answer(address, seconds), addresses))
        )
    failed = {address: said for address, said in answers.items() if said and said not in CLOSED}
    for address, said in answers.items():
        if said in CLOSED:
            print(f"{said}: closed to programs, look yourself: {address}")
    for address, said in failed.items():
        print(f"{said}: {address}")
    if failed:
        return TaskFailed(
            f"Of {len(answers)} links that lead out of the book, {len(failed)} failed; they stand "
            "above."
        )
    print(f"Links that lead out of the book, none of them broken: {len(answers)}")
    return None


def ask_all() -> TaskFailed | None:
    """Ask for every link out of the book, but for those into its own repository."""
    addresses = external(SITE, [*Path().glob("*.md"), Path("CITATION.cff")])
    # Of these some exist only once a version is published, and Binder would build an environment
    # for each page.
    own = re.findall(r"^  url: https://[^/]+/(\S+)", Path("_config.yml").read_text(), re.M)[0]
    print(
        f"Links into the book's own repository, {own}, which are not asked: "
        f"{sum(own in address for address in addresses)}"
    )
    return ask([address for address in addresses if own not in address])
