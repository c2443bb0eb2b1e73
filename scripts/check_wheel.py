"""Check a built wheel as its user gets it, and list what it brings.

    python scripts/check_wheel.py dist

Installs it into a fresh environment, runs its command on an example, and writes an SBOM (CycloneDX)
of that environment beside it.
"""

import subprocess
import sys
import venv
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

NEEDED = {"contextwright/py.typed", "contextwright/words.pyi", "contextwright/__init__.py"}


def check_contents(wheel: Path) -> None:
    """The package, typed, with its licence, and nothing else."""
    names = set(ZipFile(wheel).namelist())
    strange = {
        name
        for name in names
        if not name.startswith("contextwright/") and ".dist-info/" not in name
    }
    if strange or not names >= NEEDED or not any(name.endswith("LICENSE") for name in names):
        sys.exit(f"{wheel.name}: {sorted(strange)} too many, {sorted(NEEDED - names)} missing")


def check_installed(wheel: Path, sbom: Path) -> None:
    """It installs, its command runs, and all that came with it is listed."""
    with TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        commands = Path(folder, "Scripts" if sys.platform == "win32" else "bin")
        python = str(commands / "python")
        run([python, "-m", "pip", "install", "--quiet", str(wheel)])
        run([str(commands / "ctx"), "demo", "--save", "support.jsonl"], cwd=folder)
        spec = ["--spec", "C.compaction(8000)", "--model", "gpt-5"]
        run([str(commands / "ctx"), "compile", "support.jsonl", *spec], cwd=folder)
        made = ["cyclonedx_py", "environment", python, "--output-file", str(sbom)]
        run([sys.executable, "-m", *made])


def run(command: list[str], cwd: str | None = None) -> None:
    """Run a command that must end well."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)  # noqa: S603 -- ours
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    (wheel,) = Path(sys.argv[1]).glob("*.whl")
    sbom = wheel.with_suffix(".cdx.json")
    check_contents(wheel)
    check_installed(wheel, sbom)
    print(f"{wheel.name}: {wheel.stat().st_size:,} bytes; what it brings: {sbom.name}")
