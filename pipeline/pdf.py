"""The whole book as one PDF: the pages of the site put one after another, and printed by Chromium."""

import os
import re
from pathlib import Path

from pipeline.browser import MISSING, chromium, program, served, show
from pipeline.files import BUILD
from pipeline.site import SITE

PDF = BUILD / "companion.pdf"
# Sphinx's own single page repeats hundreds of anchors (every chapter has "the-verdict"), so that links of the
# one chapter lead into another. Here each anchor carries the name of its page.
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
        // Names and punctuation have no colour of their own; without their tags the file is a third smaller.
        article.querySelectorAll('.highlight :is(.n, .p, .w)').forEach(node => node.replaceWith(...node.childNodes));
        article.normalize();
        return [page, article];
    }));
    const moved = (part, page) => part.querySelectorAll('*').forEach(node => {
        for (const {name: key, value} of [...node.attributes]) {
            if (['href', 'xlink:href', 'src'].includes(key)) {
                const url = new URL(value, root + page);
                const inside = url.href.startsWith(root) && names.includes(name(url));
                if (inside) node.setAttribute(key, '#' + anchor(name(url), decodeURIComponent(url.hash.slice(1))));
                else if (key == 'href' && url.href.startsWith(root)) node.removeAttribute(key);  // not in this book
                else node.setAttribute(key, url.href);
            }
            if (value.includes('url(#')) node.setAttribute(key, value.replaceAll('url(#', 'url(#' + anchor(page, ' ').trim()));
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


def names():
    """The pages in the book's order, the landing page first."""
    return [f"{name}.html" for name in re.findall(r"^(?:root:|\s*- file:) (\S+)", Path("_toc.yml").read_text(), re.M)]


def one_page(browser, address, names):
    """A browser's page that holds all of the named pages of a site, typeset and in its printed form."""
    page = browser.new_page(color_scheme="light")
    show(page, address + names[0])
    page.evaluate(ONE_PAGE, names)
    page.emulate_media(media="print")
    return page


def write():
    """Print the site to _build/companion.pdf; say so and do nothing where there is no Chromium."""
    if not program():
        print(f"No PDF was made: {MISSING}")
        return
    partial = Path(f"{PDF}.{os.getpid()}")
    with served(SITE) as address, chromium() as browser:
        one_page(browser, address, names()).pdf(path=partial, format="A4", outline=True, tagged=True)
    os.replace(partial, PDF)
    print(f"The book on paper is ready: {PDF}")
