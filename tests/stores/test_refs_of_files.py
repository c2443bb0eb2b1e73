"""`file://` refs where files can not be opened by their folder, and roots with a drive."""

import os
import sys
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from contextwright.errors import RefError
from contextwright.session import Session
from contextwright.stores import Refs
from contextwright.stores.refs import segments_beneath

WINDOWS_LACKS = ("O_NOFOLLOW", "O_DIRECTORY", "O_NONBLOCK")


@pytest.fixture
def on_windows(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    for name in WINDOWS_LACKS:
        monkeypatch.delattr(os, name)


@pytest.fixture
def refs(tmp_path):
    root = tmp_path / "root"
    (root / "a").mkdir(parents=True)
    (root / "a" / "ok.txt").write_text("fine")
    (root / "ok.txt").write_text("fine")
    (tmp_path / "secret.txt").write_text("secret")
    (root / "link").symlink_to(tmp_path / "secret.txt")
    (root / "out").symlink_to(tmp_path)
    (root / "hard").hardlink_to(tmp_path / "secret.txt")
    (root / "dot.").write_text("Windows reads another name")
    return Refs(Session("s").snapshot(), roots=[root])


def test_a_file_is_read_and_no_link_is_followed(on_windows, refs, tmp_path):
    for path in ("ok.txt", "a/ok.txt", f"{tmp_path}/root/a/ok.txt"):
        assert refs.read(f"file://{path}") == "fine"
    for path in (
        "link",
        "out/secret.txt",
        "hard",
        "a",
        "dot.",
        "../secret.txt",
        "none.txt",
        "a\\ok.txt",
    ):
        with pytest.raises(RefError):
            refs.read(f"file://{path}")


def test_what_takes_the_place_of_a_file_that_was_looked_at_is_not_read(
    on_windows, refs, monkeypatch
):
    def opened(path, flags):
        return really(Path(path).parent / "a" / "ok.txt", flags)

    really = os.open
    monkeypatch.setattr(os, "open", opened)
    with pytest.raises(RefError):
        refs.read("file://ok.txt")


@pytest.mark.parametrize(
    ("path", "root", "segments"),
    [
        ("C:/docs/a.txt", PureWindowsPath("C:\\docs"), ["a.txt"]),
        ("/c:/Docs/b/a.txt", PureWindowsPath("C:\\docs\\"), ["b", "a.txt"]),
        ("b/a.txt", PureWindowsPath("C:\\docs"), ["b", "a.txt"]),
        ("/a.txt", PureWindowsPath("docs"), ["a.txt"]),
        ("/docs/a.txt", PurePosixPath("/docs"), ["a.txt"]),
        ("/Docs/a.txt", PurePosixPath("/docs"), ["Docs", "a.txt"]),
        ("a.txt", PurePosixPath("/"), ["a.txt"]),
    ],
)
def test_a_path_may_begin_with_its_root(path, root, segments):
    assert segments_beneath(path, root) == segments
