"""The whole book as one PDF: the pages of the site in one document, printed by Chromium."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.browser import MISSING, chromium, program, served, show
from pipeline.files import BUILD
from pipeline.site import SITE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PDF = BUILD / "companion.pdf"
# Sphinx's own single page repeats hundreds of anchors (every chapter has "the-verdict"), so that
# links of the one chapter lead into another. Here each anchor carries the name of its page.
ONE_PAGE = """async names => {
    const root = new URL(document.documentElement.dataset.content_root, location).href;
    const container = document.querySelector('.bd-article-container');
    const contents = document.querySelector('nav.bd-docs-nav');
    const name = url => url.pathname.slice(new URL(root).pathname.length);
    const anchor = (page, id) => id ? page + '--' + id : page;
    const parts = await Promise.all(names.map(async page => {
        const text = await (await fetch(root + page)).text();
        const article = new DOMParser().parseFromString(text, 'text/html').querySelector('article');
        article.querySelectorAll('[id]').forEach(node => { node.id = anchor(page, node.id) });
        article.id = page;
        // Names and punctuation have no colour of their own: untagged, a third is saved.
        for (const node of article.querySelectorAll('.highlight :is(.n, .p, .w)'))
            node.replaceWith(...node.childNodes);
        article.normalize();
        return [page, article];
    }));
    const moved = (part, page) => part.querySelectorAll('*').forEach(node => {
        for (const {name: key, value} of [...node.attributes]) {
            if (['href', 'xlink:href', 'src'].includes(key)) {
                const url = new URL(value, root + page);
                const inside = url.href.startsWith(root) && names.includes(name(url));
                const part = decodeURIComponent(url.hash.slice(1));
                if (inside) node.setAttribute(key, '#' + anchor(name(url), part));
                // what is not in this book
                else if (key == 'href' && url.href.startsWith(root)) node.removeAttribute(key);
                else node.setAttribute(key, url.href);
            }
            const here = 'url(#' + anchor(page, ' ').trim();
            if (value.includes('url(#')) node.setAttribute(key, value.replaceAll('url(#', here));
        }
    });
    for (const [page, article] of parts) moved(article, page);
    moved(contents, name(new URL(location)));
    container.replaceChildren(...parts.map(([_, article]) => article));
    container.firstChild.append(contents);
    await MathJax.typesetPromise();
    measureFormulas();
    await document.fonts.ready;
}"""


def names() -> list[str]:
    """The pages in the book's order, the landing page first."""
    return [
        f"{name}.html"
        for name in re.findall(r"^(?:root:|\s*- file:) (\S+)", Path("_toc.yml").read_text(), re.M)
    ]


def one_page(browser: Browser, address: str, names: Sequence[str]) -> Page:
    """A browser's page that holds all of the named pages of a site, typeset and in its printed
    form.
    """
    page = browser.new_page(color_scheme="light")
    show(page, address + names[0])
    page.evaluate(ONE_PAGE, names)
    page.emulate_media(media="print")
    return page


def write() -> None:
    """Print the site to _build/companion.pdf; say so and do nothing where there is no Chromium."""
    if not program():
        print(f"No PDF was made: {MISSING}")
        return
    partial = Path(f"{PDF}.{os.getpid()}")
    with served(SITE) as address, chromium() as browser:
        one_page(browser, address, names()).pdf(
            path=partial, format="A4", outline=True, tagged=True
        )
    os.replace(partial, PDF)
    print(f"The book on paper is ready: {PDF}")
