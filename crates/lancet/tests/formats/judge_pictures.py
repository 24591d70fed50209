"""Judges the pictures that were sent: Pillow opens each and loads it whole, and each keeps the limits that the APIs of
models document.

usage: judge_pictures.py FOLDER < a line of JSON for each: {"file", "media_type", "width", "height"}
"""

import json
import sys
from pathlib import Path

from PIL import Image

folder = Path(sys.argv[1])
count = wrong = 0
for line in sys.stdin:
    sent = json.loads(line)
    data = (folder / sent["file"]).read_bytes()
    found = []
    try:
        image = Image.open(folder / sent["file"])
        image.load()
    except Exception as error:
        found.append(f"Pillow: {error}")
    else:
        if Image.MIME[image.format] != sent["media_type"]:
            found.append(f"it is {image.format}")
        if max(image.size) >= 2000 or min(image.size) < 1:
            found.append(f"its size is {image.size}")
        if image.mode not in ("1", "L", "LA", "P", "RGB", "RGBA"):
            found.append(f"its mode is {image.mode}")
        if getattr(image, "n_frames", 1) != 1:
            found.append("it is animated")
        if image.getexif() or set(image.info) - {"jfif", "jfif_version", "jfif_unit", "jfif_density", "dpi", "gamma", "srgb", "transparency", "progressive", "progression", "aspect"}:
            found.append(f"it has metadata: {sorted(image.info)}")
    if len(data) > 3_840 * 1024:
        found.append(f"it has {len(data)} bytes")
    if b"Secret Road" in data:
        found.append("it tells a secret")
    count += 1
    for words in found:
        wrong += 1
        print(f"{sent['file']}: {words}")
print(f"{wrong} wrong")
