"""Checks the packages that are for another processor than this machine's, for check.py: what they hold, what they say that they need, that
pip and npm take them for that machine alone, and, where qemu can start it (Debian: qemu-user, libc6-arm64-cross), that the program edits.
"""
import json
import pathlib
import platform
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import zipfile

# Of each processor: its names in the names of packages, as `platform.machine()` says it, and its number in an ELF header.
PROCESSORS = {
    "x64": {"names": {"x64", "x86_64", "amd64"}, "machine": "x86_64", "elf": 62},
    "arm64": {"names": {"arm64", "aarch64"}, "machine": "aarch64", "elf": 183},
}
HERE = next((name for name, known in PROCESSORS.items() if known["machine"] == platform.machine()), None)
SYSTEM = "/usr/%s-linux-gnu"


def processor_of(name):
    """The processor in the name of a package; None for one that fits all."""
    words = set(re.split(r"[-_.]", name.replace("x86_64", "x64")))
    return next((processor for processor, known in PROCESSORS.items() if words & known["names"]), None)


def run(command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, **options)
    assert done.returncode == 0, f"{command} ended with {done.returncode}: {done.stderr}{done.stdout}"
    return done.stdout


def unpacked(package, folder):
    if package.suffix in (".whl", ".mcpb", ".zip"):
        zipfile.ZipFile(package).extractall(folder)
    elif package.suffix == ".deb":
        run(["dpkg-deb", "--extract", package, folder])
    else:
        with tarfile.open(package) as opened:
            opened.extractall(folder)
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def general(text):
    """A name without the processor's, and without the glibc that the program for it needs."""
    text = re.sub(r"manylinux_\d+_\d+", "manylinux", text)
    for processor, known in PROCESSORS.items():
        for name in known["names"]:
            text = text.replace(name, "PROCESSOR")
    return text


def contents(package, folder):
    """The files of a package by their names without the processor's, and its program."""
    files, programs = {}, []
    for path in unpacked(package, folder):
        head = path.open("rb").read(20)
        if head.startswith(b"\x7fELF"):
            machine, = struct.unpack("<H", head[18:20])
            assert machine == PROCESSORS[processor_of(package.name)]["elf"], f"{package.name}: {path.name} is for {machine}"
            programs.append(path)
        files[general(str(path.relative_to(folder)))] = path
    assert len(programs) == 1, f"{package.name}: {programs}"
    return files, programs[0]


def newest_glibc(program):
    told = re.findall(r"GLIBC_2\.(\d+)", run(["readelf", "--version-info", "--wide", program]))
    return max(map(int, told))


def others(dist):
    """The processors other than this machine's that the folder has packages for."""
    found = {processor_of(path.name) for path in dist.iterdir()}
    return sorted(found - {None, HERE})


def check(place, dist, processor):
    known = PROCESSORS[processor]
    packages = {general(path.name): path for path in dist.iterdir() if processor_of(path.name) == processor}
    own = {general(path.name): path for path in dist.iterdir() if processor_of(path.name) == HERE}
    if own:
        assert set(packages) == set(own), set(packages) ^ set(own)
    digests, program = set(), None
    for name, package in packages.items():
        files, program = contents(package, place.base / "other" / name)
        digests.add(program.read_bytes())
        if own:
            expected = contents(own[name], place.base / "own" / name)[0]
            assert set(files) == set(expected), f"{package.name}: {set(files) ^ set(expected)}"
    assert len(digests) == 1, "the packages hold several programs"
    glibc = newest_glibc(program)
    wheel, = (path for path in packages.values() if path.suffix == ".whl")
    tag = f"manylinux_2_{glibc}_{known['machine']}"
    assert wheel.name.endswith(f"-py3-none-{tag}.whl"), f"{wheel.name} needs {tag}"
    deb, = (path for path in packages.values() if path.suffix == ".deb")
    told = run(["dpkg-deb", "--field", deb, "Architecture", "Depends"])
    assert f"Architecture: {processor}\n" in told and f"libc6 (>= 2.{glibc})" in told, told
    pip_takes_it(place, wheel, tag)
    npm_takes_it(place, dist, processor)
    qemu = shutil.which(f"qemu-{known['machine']}")
    libraries = pathlib.Path(SYSTEM % known["machine"]) / "lib"
    loader = next(libraries.glob("ld-linux-*.so.*"), None)
    if qemu and loader:
        # With qemu's `-L` the folder "/" would be that of the libraries, and lancet refuses roots that it cannot find from there.
        command = [qemu, loader, "--library-path", libraries, program]
        told = run([*command, "--version"], env=place.environment(), cwd=place.project)
        assert told.startswith("lancet "), told
        place.edits([*command, "mcp"])
    else:
        print(f"left out: the program for {processor}, which qemu does not start here")


def pip_takes_it(place, wheel, tag):
    target = place.base / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check",
               "--root-user-action", "ignore", "--no-compile", "--target", target, wheel]
    refused = subprocess.run([str(word) for word in install], capture_output=True, text=True, timeout=120)
    assert refused.returncode != 0 and "not a supported wheel on this platform" in refused.stderr, refused
    run([*install, "--only-binary", ":all:", "--platform", tag])
    assert (target / "lancet_mcp/__init__.py").exists()


def npm_takes_it(place, dist, processor):
    folder = place.base / "modules"
    folder.mkdir()
    main, = dist.glob("lancet-mcp-[0-9]*.tgz")
    own, = dist.glob(f"lancet-mcp-linux-{processor}-*.tgz")
    install = ["npm", "install", "--offline", "--no-audit", "--no-fund", "--loglevel", "error", "--prefix", folder, main, own]
    # npm compares a package that is named with the machine itself, whatever `--cpu` says: it refuses, for this reason alone.
    refused = subprocess.run(install, capture_output=True, text=True, timeout=120, cwd=folder, env=place.environment())
    assert refused.returncode != 0 and re.search(rf"Valid cpu: +{processor}\b", refused.stderr), refused
    run([*install, "--force"], cwd=folder, env=place.environment())
    modules = folder / "node_modules"
    settings = json.loads((modules / "lancet-mcp/package.json").read_text())
    assert settings["optionalDependencies"][f"lancet-mcp-linux-{processor}"] == settings["version"]
    assert (modules / f"lancet-mcp-linux-{processor}/bin/lancet").exists()
