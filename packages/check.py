#!/usr/bin/env python3
"""Installs each package of a folder into a clean place and uses it: `lancet --version`, and an Edit over MCP as an agent's settings start it.

    check.py FOLDER [MCPB]

FOLDER is what `cargo xtask package` wrote; MCPB is the checker of bundles from npm (`@anthropic-ai/mcpb`). Packages for another processor
than this machine's are checked by other_processors.py. The last line is `N passed, N failed`, and the exit status 0 when all holds.
"""
import gzip
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import other_processors


def run(command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}: {done.stderr}{done.stdout}")
    return done.stdout


class Place:
    """An empty folder with a home of its own, and what is installed there."""

    def __init__(self, base):
        self.base = pathlib.Path(base)
        self.home, self.project = self.base / "home", self.base / "project"
        self.home.mkdir()
        self.project.mkdir()

    def environment(self, path=()):
        folders = [*map(str, path), os.environ["PATH"]]
        kept = {name: os.environ[name] for name in ("npm_config_userconfig",) if name in os.environ}
        return {**kept, "HOME": str(self.home), "PATH": ":".join(folders), "LC_ALL": "C.UTF-8"}

    def version(self, program):
        told = run([program, "--version"], env=self.environment(), cwd=self.project)
        assert told == f"lancet {VERSION}\n", told

    def edits(self, command, path=()):
        """Talks to a server as an agent does: it reads a file and changes one word."""
        file = self.project / "notes.txt"
        file.write_bytes(b"one\r\ntwo\r\n")
        call = lambda number, tool, arguments: {
            "id": number, "method": "tools/call", "params": {"name": tool, "arguments": {"file_path": str(file), **arguments}}}
        messages = [
            {"id": 0, "method": "initialize", "params": {
                "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "check", "version": "1"}}},
            {"method": "notifications/initialized"},
            call(1, "Read", {}),
            call(2, "Edit", {"old_string": "two", "new_string": "three"}),
        ]
        server = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  text=True, env=self.environment(path), cwd=self.project)
        try:
            for message in messages:
                server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
                server.stdin.flush()
                while "id" in message:
                    line = server.stdout.readline()
                    assert line, f"{command} ended before its answer to {message}"
                    answer = json.loads(line)
                    if answer.get("id") == message["id"]:
                        assert "error" not in answer and not answer["result"].get("isError"), answer
                        break
            server.stdin.close()
            assert server.wait(timeout=30) == 0
        finally:
            server.kill()
        assert file.read_bytes() == b"one\r\nthree\r\n", file.read_bytes()


def unzip(archive, folder):
    with zipfile.ZipFile(archive) as opened:
        for entry in opened.infolist():
            path = pathlib.Path(opened.extract(entry, folder))
            path.chmod(entry.external_attr >> 16 & 0o777)


def the_one(pattern):
    """The package of this name for this machine."""
    found = [path for path in DIST.glob(pattern) if other_processors.processor_of(path.name) in (None, other_processors.HERE)]
    assert len(found) == 1, f"{pattern}: {found}"
    return found[0]


def expanded(server, values):
    """The command line of a server in an agent's settings."""
    words = [server["command"], *server["args"]]
    for name, value in values.items():
        words = [word.replace("${" + name + "}", str(value)) for word in words]
    assert not any("${" in word for word in words), words
    return words


def wheel(place):
    target = place.base / "target"
    run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check",
         "--root-user-action", "ignore", "--no-compile", "--target", target, the_one("*.whl")])
    programs = target / "bin"
    place.version(programs / "lancet")
    place.version(programs / "lancet-mcp")
    place.edits([programs / "lancet-mcp"])
    # `uv tool install` links to the programs from elsewhere.
    elsewhere = place.base / "linked"
    elsewhere.symlink_to(programs / "lancet-mcp")
    place.edits([elsewhere, "--root", place.project])
    assert (target / "share/man/man1/lancet.1").read_text().startswith(".")
    assert (target / "share/bash-completion/completions/lancet").exists()


def npm(place):
    archives = [the_one(f"lancet-mcp-{VERSION}.tgz"), the_one("lancet-mcp-linux-*.tgz")]
    folder = place.base / "node"
    folder.mkdir()
    run(["npm", "install", "--offline", "--no-audit", "--no-fund", "--loglevel", "error", "--prefix", folder, *archives],
        cwd=folder, env=place.environment())
    programs = folder / "node_modules/.bin"
    place.version(programs / "lancet")
    place.version(programs / "lancet-mcp")
    place.edits([programs / "lancet-mcp"])
    settings = json.loads((folder / "node_modules/lancet-mcp/package.json").read_text())
    assert all((folder / "node_modules/lancet-mcp" / page).exists() for page in settings["man"])


def npm_without_the_platform(place):
    folder = place.base / "node"
    folder.mkdir()
    run(["npm", "install", "--offline", "--no-audit", "--no-fund", "--omit=optional", "--loglevel", "error", "--prefix", folder,
         the_one(f"lancet-mcp-{VERSION}.tgz")], cwd=folder, env=place.environment())
    done = subprocess.run([folder / "node_modules/.bin/lancet-mcp"], capture_output=True, text=True, env=place.environment())
    assert done.returncode == 1 and "is not installed" in done.stderr, done


def debian(place):
    package = the_one("*.deb")
    root = place.base / "root"
    run(["dpkg-deb", "--extract", package, root])
    assert run(["dpkg-deb", "--field", package, "Package", "Version"]) == f"Package: lancet-mcp\nVersion: {VERSION}\n"
    place.version(root / "usr/bin/lancet")
    place.edits([root / "usr/bin/lancet-mcp"])
    page = gzip.decompress((root / "usr/share/man/man1/lancet-mcp.1.gz").read_bytes())
    assert page.startswith(b"."), page[:80]
    for name in ["bash-completion/completions/lancet", "zsh/vendor-completions/_lancet", "fish/vendor_completions.d/lancet.fish",
                 "doc/lancet-mcp/copyright", "doc/lancet-mcp/THIRD-PARTY-LICENSES"]:
        assert (root / "usr/share" / name).stat().st_size > 0, name
    entries = run(["dpkg-deb", "--contents", package]).splitlines()
    assert all(" root/root " in entry for entry in entries), entries


def archive(place):
    package = the_one("lancet-*-unknown-linux-*.tar.gz")
    with tarfile.open(package) as opened:
        opened.extractall(place.base / "out")
    # `cargo binstall` looks there, by the metadata in crates/cli/Cargo.toml.
    folder = place.base / "out" / package.name.removesuffix(".tar.gz")
    place.version(folder / "bin/lancet")
    place.edits([folder / "bin/lancet-mcp"])


def mcpb(place):
    folder = place.base / "bundle"
    unzip(the_one("*.mcpb"), folder)
    if MCPB:
        run([MCPB, "validate", folder / "manifest.json"])
    manifest = json.loads((folder / "manifest.json").read_text())
    assert {"Read", "Edit", "Write"} <= {tool["name"] for tool in manifest["tools"]}
    assert manifest["version"] == VERSION
    values = {"__dirname": folder, "user_config.root": place.project}
    place.edits(expanded(manifest["server"]["mcp_config"], values))


def hooks(place, folder, values, path=()):
    """Runs each hook of a plugin as its agent does, by a shell: what it is told is not known, so that it ends well and says nothing."""
    events = json.loads((folder / "hooks/hooks.json").read_text())["hooks"]
    assert {"SessionStart"} < set(events), events
    for groups in events.values():
        for hook in (hook for group in groups for hook in group["hooks"]):
            line = hook["command"]
            for name, value in values.items():
                line = line.replace("${" + name + "}", str(value))
            done = subprocess.run(["sh", "-c", line], input="{}", capture_output=True, text=True, timeout=60,
                                  env=place.environment(path), cwd=place.project)
            assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), (line, done)


def claude_code(place):
    unzip(the_one("lancet-claude-code-plugin-*.zip"), place.base / "shop")
    shop = json.loads((place.base / "shop/.claude-plugin/marketplace.json").read_text())
    folder = place.base / "shop" / shop["plugins"][0]["source"]
    plugin = json.loads((folder / ".claude-plugin/plugin.json").read_text())
    assert plugin["version"] == VERSION
    place.edits(expanded(plugin["mcpServers"]["lancet"], {"CLAUDE_PLUGIN_ROOT": folder}))
    hooks(place, folder, {"CLAUDE_PLUGIN_ROOT": folder})


def gemini(place):
    folder = place.base / "extension"
    with tarfile.open(the_one("linux.*.lancet.tar.gz")) as opened:
        opened.extractall(folder)
    extension = json.loads((folder / "gemini-extension.json").read_text())
    assert extension["version"] == VERSION and (folder / extension["contextFileName"]).exists()
    place.edits(expanded(extension["mcpServers"]["lancet"], {"extensionPath": folder, "/": "/"}))
    hooks(place, folder, {"extensionPath": folder, "/": "/"})


def codex(place):
    unzip(the_one("lancet-codex-plugin-*.zip"), place.base / "shop")
    shop = json.loads((place.base / "shop/.agents/plugins/marketplace.json").read_text())
    folder = place.base / "shop" / shop["plugins"][0]["source"]["path"]
    plugin = json.loads((folder / ".codex-plugin/plugin.json").read_text())
    assert plugin["version"] == VERSION
    servers = json.loads((folder / plugin["mcpServers"]).read_text())["mcpServers"]
    # It is metadata: the program is the one in PATH.
    with tarfile.open(the_one("lancet-*-unknown-linux-*.tar.gz")) as opened:
        opened.extractall(place.base / "out")
    programs = next((place.base / "out").glob("*/bin"))
    place.edits(["env", *expanded(servers["lancet"], {})], path=[programs])
    hooks(place, folder, {}, path=[programs])


def sums(place):
    lines = (DIST / "SHA256SUMS").read_text().splitlines()
    told = {name: digest for digest, name in (line.split("  ") for line in lines)}
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in DIST.iterdir() if path.name != "SHA256SUMS"}
    assert told == found


DIST = pathlib.Path(sys.argv[1]).resolve()
MCPB = sys.argv[2] if len(sys.argv) > 2 else None
VERSION = the_one("lancet-mcp_*.deb").name.split("_")[1]

failed = 0
CHECKS = [wheel, npm, npm_without_the_platform, debian, archive, mcpb, claude_code, gemini, codex, sums]
if not shutil.which("dpkg-deb"):
    print("left out: debian, which needs dpkg-deb")
    CHECKS.remove(debian)
for processor in other_processors.others(DIST):
    def check(place, processor=processor):
        other_processors.check(place, DIST, processor)
    check.__name__ = processor
    CHECKS.append(check)
for check in CHECKS:
    with tempfile.TemporaryDirectory(prefix="lancet-package-") as base:
        try:
            check(Place(os.path.realpath(base)))
            print(f"ok      {check.__name__}")
        except Exception as error:
            failed += 1
            print(f"FAILED  {check.__name__}: {error}")
print(f"{len(CHECKS) - failed} passed, {failed} failed")
sys.exit(1 if failed else 0)
