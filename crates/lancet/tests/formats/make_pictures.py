"""Writes pictures of many kinds into a folder, whole ones and ones that other programs stumble over.

usage: make_pictures.py FOLDER

The name says what may happen: `ok-` must be sent, `bad-` must not, `any-` may be either.
"""

import io
import struct
import sys
import zlib
from pathlib import Path

from PIL import Image, PngImagePlugin

folder = Path(sys.argv[1])


def gradient(width, height, mode="RGB"):
    image = Image.linear_gradient("L").resize((width, height))
    return Image.merge("RGB", (image, image.rotate(90), image.rotate(180))).convert(mode)


def encoded(image, kind, **options):
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def put(name, data):
    (folder / name).write_bytes(data)


KINDS = ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF"]
MODES = {"PNG": ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"], "JPEG": ["L", "RGB", "CMYK"], "GIF": ["P", "L"], "WEBP": ["RGB", "RGBA"], "BMP": ["1", "L", "P", "RGB", "RGBA"], "TIFF": ["1", "L", "RGB", "RGBA", "CMYK"]}
for kind in KINDS:
    for mode in MODES[kind]:
        image = gradient(70, 50, "L").convert("I;16") if mode == "I;16" else gradient(70, 50, mode)
        # CMYK in TIFF is rare, and a decoder may lack it: an error is as good as a picture.
        hope = "any" if (kind, mode) == ("TIFF", "CMYK") else "ok"
        put(f"{hope}-{kind}-{mode.replace(';', '')}.dat", encoded(image, kind))

whole = {kind: encoded(gradient(70, 50), kind) for kind in KINDS}
for kind, data in whole.items():
    put(f"ok-{kind}-lying-name.txt", data)
    for part in range(1, 10):
        # What lacks its end is damaged; formats without an end marker may have lost nothing that shows.
        hope = "bad" if kind in ("PNG", "JPEG") else "any"
        put(f"{hope}-{kind}-cut-{part}.png", data[: len(data) * part // 10])
    put(f"any-{kind}-trailing", data + b"trailing bytes\n" * 9)
    put(f"any-{kind}-noise", bytes(byte ^ (0x55 if at % 97 == 60 else 0) for at, byte in enumerate(data)))
    put(f"any-{kind}-tiny", encoded(gradient(1, 1), kind))
    put(f"any-{kind}-narrow", encoded(gradient(1, 3000), kind))
    put(f"any-{kind}-long", encoded(gradient(9000, 4), kind))
    if kind in ("PNG", "JPEG"):
        put(f"ok-{kind}-large", encoded(gradient(2600, 1900), kind))
    put(f"any-{kind}-head-alone", data[:16])

for orientation in range(1, 9):
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010E] = "Secret Road 7"
    put(f"ok-orientation-{orientation}.jpg", encoded(gradient(80, 40), "JPEG", exif=exif))
    put(f"ok-orientation-{orientation}.webp", encoded(gradient(80, 40), "WEBP", exif=exif))
info = PngImagePlugin.PngInfo()
info.add_text("Comment", "Secret Road 7")
info.add_itxt("XML:com.adobe.xmp", "<x>Secret Road 7</x>")
put("ok-comment.png", encoded(gradient(60, 60), "PNG", pnginfo=info))
frames = [gradient(40, 40).rotate(angle) for angle in (0, 90, 180)]
for kind in ("GIF", "PNG", "WEBP", "TIFF"):
    put(f"ok-animated-{kind}", encoded(frames[0], kind, save_all=True, append_images=frames[1:]))
put("ok-progressive.jpg", encoded(gradient(300, 200), "JPEG", progressive=True))
put("ok-interlaced.gif", encoded(gradient(300, 200, "P"), "GIF", interlace=True))
noise = Image.effect_noise((1900, 1900), 90).convert("RGB")
put("ok-noise.png", encoded(noise, "PNG"))


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width, height, data):
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")


put("bad-60000.png", png(60_000, 60_000, b"\0" * 1000))
put("bad-2-31.png", png(2**31 - 1, 2**31 - 1, b""))
put("bad-no-pixels.png", png(0, 10, b""))
put("bad-no-data.png", png(50, 50, b""))
put("bad-half-data.png", png(50, 50, b"\0" * 1000))
put("any-bomb.png", png(5_000, 5_000, b"\0" * (5_000 * 3 + 1) * 5_000))
put("bad-60000.gif", b"GIF89a" + struct.pack("<HH", 60_000, 60_000) + b"\0\0\0,\0\0\0\0" + struct.pack("<HH", 60_000, 60_000) + b"\0\x02\x00;")
put("bad-60000.bmp", whole["BMP"][:18] + struct.pack("<ii", 60_000, 60_000) + whole["BMP"][26:])
put("bad-text-after-mark.png", b"\x89PNG\r\n\x1a\nthis is no picture\0\n")
put("bad-mark-alone.jpg", b"\xff\xd8\xff\xd9\0")
