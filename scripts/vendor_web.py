"""Bundle the page's libraries into one committed script: run by hand, needs npm.

    python scripts/vendor_web.py

Nobody who uses or tests the project needs it. The versions are pinned here; the sha256 and the
licences go beside the script.
"""

import json
import subprocess
import tarfile
import tempfile
from hashlib import sha256
from pathlib import Path

HOME = Path(__file__).parents[1] / "src" / "contextwright" / "inspect" / "web"
PACKAGES = {"preact": "11.2.0", "htm": "3.1.1", "esbuild": "0.28.2", "@esbuild/linux-x64": "0.28.2"}
ENTRY = """
import {h, render, Fragment} from "preact";
import {useState, useEffect, useLayoutEffect, useRef, useMemo} from "preact/hooks";
import htm from "htm";
globalThis.Vendor = {html: htm.bind(h), render, Fragment,
  useState, useEffect, useLayoutEffect, useRef, useMemo};
"""


def run(command: list[str], folder: Path) -> bytes:
    """What a command prints."""
    return subprocess.run(command, cwd=folder, check=True, capture_output=True).stdout  # noqa: S603


def unpacked(folder: Path, name: str, version: str) -> Path:
    """A package of the registry, in node_modules."""
    command = ["npm", "pack", "--silent", "--json", f"{name}@{version}"]
    answer = json.loads(run(command, folder))
    home = folder / "node_modules" / name
    home.mkdir(parents=True)
    entries = answer.values() if isinstance(answer, dict) else answer
    with tarfile.open(folder / next(iter(entries))["filename"]) as archive:
        for member in archive.getmembers():
            member.name = member.name.partition("/")[2]
            archive.extract(member, home, filter="data")
    return home


def main() -> None:
    """Write `vendor.js` and its licences."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        homes = {one: unpacked(folder, one, version) for one, version in PACKAGES.items()}
        (folder / "entry.js").write_text(ENTRY)
        binary = homes["@esbuild/linux-x64"] / "bin" / "esbuild"
        binary.chmod(0o755)
        options = ("--bundle", "--minify", "--format=iife", "--legal-comments=none")
        made = run([str(binary), "entry.js", *options], folder)
        licences = [
            f"{one} {PACKAGES[one]}\n\n{(homes[one] / 'LICENSE').read_text().strip()}\n"
            for one in ("preact", "htm")
        ]
    (HOME / "vendor.js").write_bytes(made)
    head = f"vendor.js, sha256 {sha256(made).hexdigest()}, holds:\n\n"
    (HOME / "vendor.LICENSES").write_text(head + "\n\n".join(licences))
    print(f"{len(made):,} bytes")


if __name__ == "__main__":
    main()
