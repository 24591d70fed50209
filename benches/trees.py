#!/usr/bin/env python3
"""Makes the two trees that the resident index is measured on, from Debian's linux-source package (Python 3.11, no packages).

    benches/trees.py FOLDER

`FOLDER/linux` is the whole source: about 79,000 files, 1.3 GB. `FOLDER/medium` has its files of at most 11,500 bytes: about 59,000 files
with 190 MB of text, which fit the default budget together with their signatures. The ignore files come along, and beside some sources lie
the objects that a build would have left, which they ignore. A tree that is there already is left as it is.
"""

import argparse
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

PACKAGE = "linux-source-6.1"
LARGEST = 11_500
# Every so many sources, one has an object beside it.
OBJECTS = 20


def linux(folder):
    """The whole source, fetched with apt-get."""
    tree = folder / "linux"
    if not tree.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".new-") as place:
            subprocess.run(["apt-get", "-qq", "download", PACKAGE], cwd=place, check=True, stderr=subprocess.DEVNULL)
            package = next(Path(place).glob("*.deb"))
            subprocess.run(["dpkg-deb", "-x", package.name, "package"], cwd=place, check=True)
            new = Path(place, "linux")
            new.mkdir()
            archive = Path(place, "package/usr/src", f"{PACKAGE}.tar.xz")
            subprocess.run(["tar", "-C", new, "--strip-components=1", "-xf", archive], check=True)
            new.rename(tree)
    rules = tree / ".gitignore"
    # Debian adds a line that ignores everything.
    kept = "".join(line for line in rules.read_text().splitlines(True) if line.strip() != "/*")
    if kept != rules.read_text():
        rules.write_text(kept)
    return tree


def medium(folder, source):
    """The smaller files of the source, with some objects of a build."""
    tree = folder / "medium"
    if tree.exists():
        return tree
    new = folder / ".medium"
    shutil.rmtree(new, ignore_errors=True)
    sources = 0
    for path, folders, names in os.walk(source):
        folders.sort()
        place = new / os.path.relpath(path, source)
        place.mkdir(parents=True, exist_ok=True)
        for name in sorted(names):
            old = Path(path, name)
            if old.is_symlink() or old.stat().st_size > LARGEST:
                continue
            shutil.copy2(old, place / name)
            if old.suffix == ".c":
                sources += 1
                if sources % OBJECTS == 0:
                    (place / name).with_suffix(".o").write_bytes(b"\x7fELF\0\0" + old.read_bytes())
    new.rename(tree)
    return tree


def counted(tree):
    sizes = [os.lstat(Path(path, name)).st_size for path, _, names in os.walk(tree) for name in names]
    return f"{tree}: {len(sizes):,} files, {sum(sizes) / 1e6:.0f} MB"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder.resolve()
    source = linux(folder)
    print(counted(source))
    print(counted(medium(folder, source)))


if __name__ == "__main__":
    main()
