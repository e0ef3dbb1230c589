"""The server of the site, which needs no browser."""

from urllib.error import URLError
from urllib.request import urlopen

import pytest

from pipeline import browser


def test_a_folder_is_served_to_this_machine_as_long_as_somebody_looks(tmp_path):
    (tmp_path / "page.html").write_text("here")
    with browser.served(tmp_path) as address:
        assert address.startswith("http://127.0.0.1:")
        assert urlopen(address + "page.html").read() == b"here"
    with pytest.raises(URLError):
        urlopen(address + "page.html")
