"""Every link, anchor and asset of the site and of README resolves; the servers outside are asked
only on request.
"""

import http.server
import threading
from pathlib import Path

import pytest
from doit.exceptions import TaskFailed

from pipeline import links

ROOT = Path(__file__).parents[1]
SITE = ROOT / "_build/html"
PAGE = """\
<html><head><meta http-equiv="refresh" content="0; url=part/b.html">
<link href="style.css?v=1" rel="stylesheet"></head>
<body><h1 id="top-of-a">A</h1><a href="#">top</a> <a href="part/b.html#caf%C3%A9">b</a>
<a href="part/">its index</a> <a href="https://example.org/a#b">out</a>
<a href="//example.org/c">out</a> <a href="mailto:x@example.org">write</a>
<img src="part/a%20b.png" srcset="part/a%20b.png 1x, part/a%20b.png 2x" alt="">
<svg><g id="dot"/><use xlink:href="#dot"/><rect clip-path="url(#dot)"/></svg></body></html>
"""


@pytest.fixture
def tree(tmp_path):
    """A little site in which everything resolves."""
    (tmp_path / "part").mkdir()
    (tmp_path / "a.html").write_text(PAGE)
    back = '<p id="café"><a href="../a.html#top-of-a">back</a> <a href="b.html">here</a></p>'
    (tmp_path / "part/b.html").write_text(back, encoding="utf-8")
    (tmp_path / "part/index.html").write_text("<p>")
    (tmp_path / "part/a b.png").touch()
    (tmp_path / "style.css").write_text(
        "p { background: url('part/a b.png'), url(data:image/png;base64,AA) }"
    )
    return tmp_path


def test_whole_tree_has_no_fault(tree):
    assert links.broken(tree) == []
    assert (
        len(links.pages(tree)["a.html"].references) == 13
    )  # all that stand in PAGE, so that none is overlooked


@pytest.mark.parametrize(
    ("right", "wrong", "reason"),
    [
        ('"part/b.html#caf%C3%A9"', '"part/c.html"', "no such file"),
        ('"part/b.html#caf%C3%A9"', '"part/B.html"', "no such file"),
        ('"part/b.html#caf%C3%A9"', '"part/b.html#tea"', "no such anchor"),
        ('"part/b.html#caf%C3%A9"', '"part/b.html#CAF%C3%89"', "no such anchor"),
        ('"part/b.html#caf%C3%A9"', '"/part/b.html"', "absolute path"),
        ('"part/b.html#caf%C3%A9"', '"file:///part/b.html"', "absolute path"),
        (
            '"part/b.html#caf%C3%A9"',
            '"../a.html"',
            "no such file",
        ),  # a browser at the root would find it
        ('"part/b.html#caf%C3%A9"', '".."', "no such file"),
        ('"#"', '"#bottom"', "no such anchor"),
        ('"part/"', '"style.css/"', "no such file"),
        ("url=part/b.html", "url=nowhere", "no such file"),
        ("style.css?v=1", "old.css?v=1", "no such file"),
        ('src="part/a%20b.png"', 'src="a.png"', "no such file"),
        ("part/a%20b.png 2x", "b.png 2x", "no such file"),
        ('xlink:href="#dot"', 'xlink:href="#dash"', "no such anchor"),
        ("url(#dot)", "url(#clip)", "no such anchor"),
    ],
)
def test_a_planted_fault_is_found(tree, right, wrong, reason):
    assert PAGE.count(right) == 1
    (tree / "a.html").write_text(PAGE.replace(right, wrong))
    [(page, reference, why)] = links.broken(tree)
    assert (page, why) == ("a.html", reason) and reference in wrong


def test_a_style_sheet_without_its_picture_is_found(tree):
    (tree / "part/a b.png").rename(tree / "part/c.png")
    assert ("style.css", "part/a b.png", "no such file") in links.broken(tree)


@pytest.mark.site
def test_everything_in_the_site_resolves():
    assert len([*SITE.rglob("*.html")]) > 50, "there is no site; run: make book"
    assert links.broken(SITE) == []


@pytest.mark.parametrize("name", sorted(path.name for path in ROOT.glob("*.md")))
def test_everything_in_the_text_of_the_repository_resolves(name):
    assert links.broken_in_markdown(ROOT / name) == []


def test_a_planted_fault_in_markdown_is_found(tmp_path):
    readme = tmp_path / "README.md"
    sound = "# What is it?\n\n[a](#what-is-it) [b](README.md#what-is-it) ![c](https://example.org/c.png)\n"
    readme.write_text(sound + "```\n[not a link](nowhere)\n```\n")
    assert links.broken_in_markdown(readme) == []
    readme.write_text(sound + "[d](notes.md) ![e](e.png) [f](#what-it-is) [g](README.md#g)\n")
    assert links.broken_in_markdown(readme) == ["notes.md", "e.png", "#what-it-is", "README.md#g"]


class Moody(http.server.BaseHTTPRequestHandler):
    """/404 answers 404 and so on; /get knows only GET; /200slow never answers."""

    def do_HEAD(self):
        self.send(405 if self.path == "/get" else int(self.path[1:4]))

    def do_GET(self):
        self.send(200 if self.path == "/get" else int(self.path[1:4]))

    def send(self, status):
        if self.path == "/200slow":
            self.server.patience.wait()
        self.server.asked.append((self.command, self.path))
        self.send_response(status)
        if status == 302:
            self.send_header("Location", self.path[4:])
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Moody) as server:
        server.asked, server.patience = [], threading.Event()
        server.address = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.patience.set()
        server.shutdown()


def test_servers_that_have_the_page(server, capsys):
    has_it = "/200", "/302/200", "/get", "/401", "/403", "/429"
    assert links.ask([server.address + path for path in has_it]) is None
    assert [method for method, path in server.asked if path == "/get"] == ["HEAD", "GET"]
    assert ("GET", "/302/200") not in server.asked
    assert (
        f"403: closed to programs, look yourself: {server.address}/403" in capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("path", "said"),
    [
        *((f"/{code}", str(code)) for code in (400, 402, 404, 428, 430, 500)),
        *(("/302/410", "410"), ("/200slow", "timed out")),
    ],
)
def test_a_page_that_is_gone_fails(server, path, said, capsys):
    failed = links.ask([f"{server.address}/200", server.address + path], seconds=0.5)
    assert (
        isinstance(failed, TaskFailed)
        and "Of 2 links that lead out of the book, 1 failed" in failed.message
    )
    assert capsys.readouterr().out == f"{said}: {server.address}{path}\n"


def test_a_server_that_is_not_there_fails(server, capsys):
    server.server_close()
    assert isinstance(links.ask([server.address]), TaskFailed)
    assert f": {server.address}\n" in capsys.readouterr().out


def test_addresses_are_collected_once_without_their_anchors(tree):
    (tree / "README.md").write_text(
        "[x](https://example.org/a) <https://example.org/d>, https://example.org/e.\n"
    )
    assert links.external(tree, [tree / "README.md"]) == [
        f"https://example.org/{name}" for name in "acde"
    ]


def test_the_repository_of_the_book_is_not_asked(tree, monkeypatch, capsys):
    (tree / "_config.yml").write_text("repository:\n  url: https://example.org/me/book\n")
    (tree / "CITATION.cff").write_text(
        "url: https://example.org/me/book\nother: https://mybinder.org/v2/gh/me/book/main\n"
    )
    monkeypatch.chdir(tree)
    monkeypatch.setattr(links, "SITE", tree)
    monkeypatch.setattr(links, "ask", lambda addresses: addresses)
    assert links.ask_all() == ["https://example.org/a", "https://example.org/c"]
    assert "me/book, which are not asked: 2" in capsys.readouterr().out
