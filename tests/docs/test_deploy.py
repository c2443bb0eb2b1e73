"""The files by which a service is run name options, extras and files that are there."""

import re
import tomllib
from pathlib import Path

import pytest

from contextwright.cli.serve_command import serve_command

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
OPTIONS = {name for option in serve_command.params for name in option.opts}


def test_the_image_installs_extras_that_are_there_and_starts_with_options_that_are_known():
    text = (DEPLOY / "Dockerfile").read_text()
    extras = re.search(r"/source\[(.+?)\]", text).group(1).split(",")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(extras) <= set(project["optional-dependencies"])
    for line in re.findall(r"^COPY (?!--from)(.+)$", text, re.MULTILINE):
        for name in line.split()[:-1]:
            assert (ROOT / name).exists(), name
    assert set(re.findall(r'"(--[a-z-]+)"', text)) <= OPTIONS
    assert f":{re.search('EXPOSE ([0-9]+)', text).group(1)}/readyz" in text


def test_the_services_name_options_files_and_each_other():
    yaml = pytest.importorskip("yaml")
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    flags = {flag.partition("=")[0] for flag in services["proxy"]["command"]}
    assert {"--upstream", "--data", "--cache"} == flags <= OPTIONS
    hosts = re.findall(r"(?:@|://)(\w+)(?=[:/]\w)", " ".join(services["proxy"]["command"]))
    assert {"postgres", "redis"} <= set(hosts)
    assert {"postgres", "redis", "collector", "balancer"} <= set(services)
    for service in services.values():
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert not source.startswith(".") or (DEPLOY / source).exists(), source
        assert set(service.get("depends_on", ())) <= set(services)
    collector = yaml.safe_load((DEPLOY / "collector.yaml").read_text())
    pipeline = collector["service"]["pipelines"]["metrics"]
    assert set(pipeline["receivers"]) <= set(collector["receivers"])
    assert set(pipeline["exporters"]) <= set(collector["exporters"])
