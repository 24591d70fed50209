#!/usr/bin/env python3
"""Installs lancet as a plugin of Claude Code, an extension of Gemini CLI and a plugin of Codex, and drives them with a scripted model.

    plugins.py DIST PACKAGES

DIST is the folder that `cargo xtask package` wrote. Tools and hooks of the plugin must work as those that `lancet install` puts there;
`lancet install` must notice the plugin, and the plugin a lancet that was installed before it. The last line is `N passed, N failed`.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import cases
import drive
import drivers
import hooks
from model import Model


def unpack(archive, folder):
    """Unpacks a zip or tar file with its permissions."""
    if archive.suffix != ".zip":
        with tarfile.open(archive) as opened:
            opened.extractall(folder)
        return
    with zipfile.ZipFile(archive) as opened:
        for entry in opened.infolist():
            Path(opened.extract(entry, folder)).chmod(entry.external_attr >> 16 & 0o777)


class ClaudeCode(drivers.ClaudeCode):
    archive = "lancet-claude-code-plugin-*-linux-x64.zip"
    prefix = "mcp__plugin_lancet_lancet__"
    hooked = (*drivers.ClaudeCode.hooked, "--allowedTools", "mcp__plugin_lancet_lancet")

    def add(self, shop, place):
        place.agent(self.executable(), "plugin", "marketplace", "add", shop)
        place.agent(self.executable(), "plugin", "install", "lancet@lancet")


class Codex(drivers.Codex):
    archive = "lancet-codex-plugin-*.zip"

    def add(self, shop, place):
        place.agent("node", self.executable(), "plugin", "marketplace", "add", shop)
        place.agent("node", self.executable(), "plugin", "add", "lancet@lancet")
        # What its user answers with "always".
        with open(place.home / ".codex/config.toml", "a") as settings:
            settings.write('\n[plugins."lancet@lancet".mcp_servers.lancet]\ndefault_tools_approval_mode = "approve"\n')


class Gemini(drivers.Gemini):
    archive = "linux.x64.lancet.tar.gz"
    hooked = ("--yolo",)  # It gives an extension's server no trust of its own.
    reads_itself = False  # The extension switches its own tools off.

    def add(self, shop, place):
        place.agent("node", self.executable(), "extensions", "install", shop, "--consent")


class Place:
    """A home folder, with the packaged program in PATH."""

    def __init__(self, dist, base, agent):
        self.home, self.folder = base / "home", cases.Folder(base / "home" / "work" / "project")
        unpack(next(dist.glob("lancet-*-x86_64-unknown-linux-*.tar.gz")), base / "out")
        self.programs = next((base / "out").glob("*/bin"))
        self.lancet = str(self.programs / "lancet")
        agent.path = "%s:%s" % (self.programs, os.environ["PATH"])
        self.environment = {"HOME": str(self.home), "PATH": agent.path, **agent.environment("http://127.0.0.1:1")}

    def agent(self, *words):
        """A command of the agent that must succeed."""
        subprocess.run([str(word) for word in words], env=self.environment, cwd=self.folder.path, stdin=subprocess.DEVNULL,
                       capture_output=True, text=True, timeout=120, check=True)


def converse(agent, model, place, checks):
    """The conversation with hooks; what the agent printed."""
    agent.flags, before = agent.hooked, os.environ["PATH"]
    os.environ["PATH"] = agent.path
    try:
        script = agent.prepared(hooks.conversation(agent, place.folder, checks, {}))
        _, printed = agent.run(model, place.home, place.folder.path, script, prompt=hooks.PROMPT)
    finally:
        os.environ["PATH"] = before
    checks.that(model.finished and model.failure is None, "the conversation runs to its end", printed[-1500:])
    hooks.check(place.lancet, agent, place.home, place.folder, printed, checks, {})
    return printed


def attempt(dist, agent, installed_before):
    checks, model = cases.Checks(agent.title + (", installed before" if installed_before else "")), Model()
    base = Path(os.path.realpath(tempfile.mkdtemp(prefix="lancet-plugin-")))
    try:
        place = Place(dist, base, agent)
        if installed_before:
            done, printed = drive.install(place.lancet, agent, place.home, place.folder.path, "allow")
            checks.that(done, "lancet install", printed)
        unpack(next(dist.glob(agent.archive)), base / "shop")
        agent.add(base / "shop", place)
        if not installed_before:
            done, printed = drive.install(place.lancet, agent, place.home, place.folder.path, "ask")
            checks.that(not done and "as a plugin already" in printed, "lancet install notices the plugin", printed)
        printed = converse(agent, model, place, checks)
        if installed_before and agent.name != "codex":  # Codex prints no message of a hook without a terminal.
            checks.that("twice" in printed, "the plugin says that lancet is there twice", printed[-1500:])
    except Exception as error:  # noqa: BLE001  One agent that cannot be driven leaves the others to be tried.
        checks.that(False, "it can be driven", "%r %s" % (error, getattr(error, "stderr", "")))
    finally:
        model.close()
        shutil.rmtree(base, ignore_errors=True)
    return checks


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dist", type=Path)
    parser.add_argument("packages", type=Path)
    chosen = parser.parse_args()
    passed = failed = 0
    for kind in (ClaudeCode, Codex, Gemini):
        for installed_before in (False, True):
            checks = attempt(chosen.dist.resolve(), kind(chosen.packages.resolve()), installed_before)
            print("  %s: %d checks" % (checks.title, checks.passed), flush=True)
            passed, failed = passed + checks.passed, failed + checks.failed
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
