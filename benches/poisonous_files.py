#!/usr/bin/env python3
"""Reads two hundred poisonous files over MCP, and checks that no answer would be refused by a model's API.

    benches/poisonous_files.py                  lancet and the reference filesystem server, with time and memory
    benches/poisonous_files.py --short LANCET   lancet alone, without the largest files and without time: for the tests

What the APIs document is in `refused`. The files are made here, from the standard library alone.
"""

import argparse
import base64
import json
import os
import select
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
# Each answer of lancet has to come within these.
MOST_SECONDS = 5.0
MOST_MEMORY = 512 << 20
# After this time a server is taken for dead.
PATIENCE = 60.0

JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8yb"
    "qmx5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCAAI"
    "ABADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAAAwX/xA"
    "AUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCEACw//9k="
)
CMYK_JPEG = base64.b64decode(
    "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAbEhQXFBEbFxYXHhwbIChCKyglJShROj0wQmBVZWRfVV1baniZgWpxkHNbXYW1hpCeo6utq2eAvMm6ps"
    "eZqKuk/8AAFAgACAAIBEMRAE0RAFkRAEsRAP/EABUAAQEAAAAAAAAAAAAAAAAAAAUG/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAA4EQwBNAFkA"
    "SwAAPwCgEnVG/9k="
)
WEBP = base64.b64decode(
    "UklGRjAAAABXRUJQVlA4ICQAAABwAQCdASoQAAgAB0CWJaACdAF1AAD+4uBIw1uv6u/O36ntgAA="
)
ANIMATED_WEBP = base64.b64decode(
    "UklGRuIAAABXRUJQVlA4WAoAAAACAAAABwAABwAAQU5JTQYAAAAAAAAAAABBTk1GMgAAAAAAAAAAAAcAAAcAAAAAAAJWUDggGgAAADABAJ0BKg"
    "gACAAHQJYlnAADcAD+71De9CAAQU5NRjgAAAAAAAAAAAAHAAAHAAAAAAAAVlA4ICAAAABUAQCdASoIAAgAAACWJZAABGGAAP7uCmXq/zxvNEAA"
    "AEFOTUY8AAAAAAAAAAAABwAABwAAAAAAAFZQOCAkAAAANAEAnQEqCAAIAAAAliWgAANwAP7sJl+g+Ll//UrCG7JkAAAA"
)
ANIMATED_GIF = base64.b64decode(
    "R0lGODdhCAAIAIEAAAAKCgAAAAAAAAAAACwAAAAACAAIAAAIDwABCBxIsKDBgwgTKkwYEAAh+QQBAAABACwAAAAACAAIAIE8CgoAAAAAAAAAAA"
    "AIDwABCBxIsKDBgwgTKkwYEAAh+QQBAAABACwAAAAACAAIAIF4CgoAAAAAAAAAAAAIDwABCBxIsKDBgwgTKkwYEAA7"
)
TIFF = base64.b64decode(
    "SUkqAAgAAAAJAAABBAABAAAABAAAAAEBBAABAAAABAAAAAIBAwABAAAACAAAAAMBAwABAAAAAQAAAAYBAwABAAAAAQAAABEBBAABAAAAegAAAB"
    "YBBAABAAAABAAAABcBBAABAAAAEAAAABwBAwABAAAAAQAAAAAAAAAJCQkJCQkJCQkJCQkJCQkJ"
)
CMYK_TIFF = base64.b64decode(
    "SUkqAAgAAAAKAAABBAABAAAABAAAAAEBBAABAAAABAAAAAIBAwAEAAAAhgAAAAMBAwABAAAAAQAAAAYBAwABAAAABQAAABEBBAABAAAAjgAAAB"
    "UBAwABAAAABAAAABYBBAABAAAABAAAABcBBAABAAAAQAAAABwBAwABAAAAAQAAAAAAAAAIAAgACAAIAAkIBwYJCAcGCQgHBgkIBwYJCAcGCQgH"
    "BgkIBwYJCAcGCQgHBgkIBwYJCAcGCQgHBgkIBwYJCAcGCQgHBgkIBwY="
)


# What a model's API refuses

KINDS = ("image/png", "image/jpeg", "image/gif", "image/webp")  # of all three
MOST_PICTURE = 5 << 20  # the base64 text of a picture, in bytes (Anthropic)
MOST_SIDE = 2_000  # pixels, where a request has more than 20 pictures (Anthropic)
MOST_REQUEST = 20 << 20  # the whole request, in bytes (Gemini 20 MB, Anthropic 32 MB)


def refused(result):
    """Why an API would refuse a conversation with this result of a tool; none where it would not."""
    blocks = result.get("content")
    if not isinstance(blocks, list) or not blocks:
        return "no content"
    if len(json.dumps(result)) > MOST_REQUEST:
        return "larger than a request may be"
    for block in blocks:
        if block["type"] == "text":
            try:
                block["text"].encode()
            except UnicodeEncodeError:
                return "half a surrogate pair"
            if not block["text"].strip():
                return "a block of text without text"
        elif block["type"] == "image":
            why = refused_picture(block)
            if why:
                return why
        else:
            return f"a block of the type {block['type']}"
    return None


def refused_picture(block):
    if block["mimeType"] not in KINDS:
        return f"a picture of the type {block['mimeType']}"
    if len(block["data"]) > MOST_PICTURE:
        return "a picture of more than 5 MiB"
    try:
        data = base64.b64decode(block["data"], validate=True)
        kind, width, height = decoded(data)
    except (ValueError, struct.error, IndexError, zlib.error) as error:
        return f"a damaged picture: {error}"
    if kind != block["mimeType"]:
        return f"{kind} as {block['mimeType']}"
    if not (0 < width < MOST_SIDE and 0 < height < MOST_SIDE):
        return f"a picture of {width}x{height} px"
    return None


def decoded(data):
    """The type and the size of a picture, as far as the standard library can decode it."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png", *decoded_png(data)
    if data.startswith(b"\xff\xd8"):
        return "image/jpeg", *decoded_jpeg(data)
    if data[:6] in (b"GIF87a", b"GIF89a"):
        if not data.endswith(b";"):
            raise ValueError("a GIF without its end")
        return "image/gif", *struct.unpack("<HH", data[6:10])
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        if struct.unpack("<I", data[4:8])[0] + 8 != len(data):
            raise ValueError("a WebP without its end")
        return "image/webp", 1, 1
    raise ValueError("no picture")


def decoded_png(data):
    at, pixels, size = 8, b"", None
    while True:
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        if zlib.crc32(kind + body) != struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0]:
            raise ValueError("a chunk with a wrong sum")
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
            size = height * (1 + (width * channels * depth + 7) // 8)
            if width * height > 100_000_000 or interlaced:
                raise ValueError(f"{width}x{height} px")
        if kind == b"IDAT":
            pixels += body
        if kind == b"IEND":
            break
        at += 12 + length
    # More than the pixels is passed over by libpng with a warning.
    if len(zlib.decompress(pixels)) < size:
        raise ValueError("pixels are missing")
    return width, height


def decoded_jpeg(data):
    if not data.rstrip(b"\0").endswith(b"\xff\xd9"):
        raise ValueError("a JPEG without its end")
    at = 2
    while data[at] == 0xFF:
        marker, length = struct.unpack(">BH", data[at + 1 : at + 4])
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            _, height, width, components = struct.unpack(">BHHB", data[at + 4 : at + 10])
            if components not in (1, 3):
                raise ValueError("a JPEG in CMYK")
            return width, height
        at += 2 + length
    raise ValueError("a JPEG without a frame")


# The files


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width, height, colour=2, depth=8, pixels=None, extra=b""):
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    if pixels is None:
        pixels = bytes(height * (1 + (width * channels * depth + 7) // 8))
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    palette = chunk(b"PLTE", bytes([9, 8, 7] * 2)) if colour == 3 else b""
    body = chunk(b"IHDR", head) + extra + palette + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def gif(width, height):
    head = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes(6)
    return head + b"," + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\x02\x02\x4c\x01\0;"


def bmp(width, height, pixels=None):
    pixels = bytes(abs(height) * ((width * 3 + 3) // 4 * 4)) if pixels is None else pixels
    return b"BM" + struct.pack("<IHHIIiiHHIIiiII", 54 + len(pixels), 0, 0, 54, 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0) + pixels


def stream(content, fields=""):
    return b"<< %s /Length %d >>\nstream\n" % (fields.encode(), len(content)) + content + b"\nendstream"


def pdf(objects):
    out, places = b"%PDF-1.4\n%\x80\x81\x82\x83\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + (content if isinstance(content, bytes) else content.encode()) + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    end = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (count, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % count + table + end


def one_page(drawn=b"", resources="", further=(), box="0 0 90 60"):
    page = f"<< /Type /Page /Parent 2 0 R /MediaBox [{box}] /Resources << {resources} >> /Contents 4 0 R >>"
    content = drawn if drawn.startswith(b"<<") else stream(drawn)
    return pdf(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page, content, *further])


def nested_forms(depth, times):
    form = "/Type /XObject /Subtype /Form /BBox [0 0 90 60]"
    forms = [
        stream(b"/F Do " * times, f"{form} /Resources << /XObject << /F {number} 0 R >> >>") for number in range(6, 5 + depth)
    ]
    return one_page(b"/F Do", "/XObject << /F 5 0 R >>", [*forms, stream(b"0 0 9 9 re f", form)])


def notebook(outputs="[]", source='"x"'):
    cell = f'{{"cell_type": "code", "metadata": {{}}, "execution_count": null, "source": {source}, "outputs": {outputs}}}'
    return f'{{"nbformat": 4, "nbformat_minor": 4, "metadata": {{}}, "cells": [{cell}]}}'.encode()


def shown(kind, data):
    return f'[{{"output_type": "display_data", "metadata": {{}}, "data": {{"{kind}": {json.dumps(data)}}}}}]'


def poisonous(is_short):
    """All files: name and content."""
    plain = png(16, 8)
    document = one_page(b"BT ET")
    text = b"<html>plain text</html>\n"
    real = {
        "png": plain, "jpg": JPEG, "gif": gif(8, 8), "bmp": bmp(8, 8), "webp": WEBP, "tiff": TIFF, "pdf": document, "txt": text,
    }  # fmt: skip
    files = {}
    for is_really, content in real.items():
        for named in ("png", "jpg", "gif", "webp", "pdf", "txt", "ipynb", "bmp"):
            if is_really != named:
                files[f"lying-{is_really}.{named}"] = content
    sizes = [(60_000, 60_000), (60_000, 1), (1, 60_000), (0, 0), (0, 9), (1 << 31, 1 << 31), (9_000, 9_000), (2_000, 2_000)]
    for width, height in sizes:
        files[f"header-{width}x{height}.png"] = png(width, height, pixels=b"\0" * 64)
    for width, height in [(65_535, 65_535), (60_000, 1), (0, 0)]:
        files[f"header-{width}x{height}.gif"] = gif(width, height)
    for width, height in [(60_000, 60_000), (1 << 30, -(1 << 30)), (0, 0), (-9, 9)]:
        files[f"header-{width}x{height}.bmp"] = bmp(width, height, b"\0" * 64)
    files["header.jpg"] = JPEG.replace(struct.pack(">HH", 8, 16), struct.pack(">HH", 60_000, 60_000))
    cells = notebook(shown("image/png", base64.b64encode(plain).decode()))
    cut = {**real, "ipynb": cells, "animated.gif": ANIMATED_GIF}
    for name, content in cut.items():
        for tenths in (1, 3, 5, 7, 9):
            files[f"cut-{tenths}.{name}"] = content[: len(content) * tenths // 10]
        files[f"cut-last.{name}"] = content[:-1]
    for colour, depth in [(0, 1), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 8), (4, 8), (6, 8), (6, 16)]:
        files[f"tiny-{colour}-{depth}.png"] = png(1, 1, colour, depth)
    files["tiny.gif"], files["narrow.png"] = gif(1, 1), png(1, 1_999, 0)
    files |= {"cmyk.jpg": CMYK_JPEG, "cmyk.tiff": CMYK_TIFF, "animated.gif": ANIMATED_GIF, "animated.webp": ANIMATED_WEBP}
    files["animated.png"] = png(8, 8, extra=chunk(b"acTL", struct.pack(">II", 2, 0)))
    files["sum.png"] = plain[:-6] + b"\0" + plain[-5:]
    for name in real:
        files[f"empty.{name}"] = b""
        files[f"zeros.{name}"] = bytes(4_096)
    files["empty.ipynb"] = b""
    large = 4 << 20 if is_short else 256 << 20
    files["comment.png"] = png(8, 8, extra=chunk(b"iTXt", b"a\0\1\0\0\0" + zlib.compress(bytes(large))))
    files["bomb.png"] = png(8, 8, pixels=bytes(large))
    files["bomb.pdf"] = one_page(stream(zlib.compress(b"0 0 m " * (large >> 5)), "/Filter /FlateDecode"))
    twice = zlib.compress(zlib.compress(bytes(large)))
    files["bomb-twice.pdf"] = one_page(stream(twice, "/Filter [/FlateDecode /FlateDecode]"))
    catalog = "<< /Type /Catalog /Pages 2 0 R >>"
    files["pages-of-themselves.pdf"] = pdf([catalog, "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>"])
    files["many-pages.pdf"] = pdf([catalog, "<< /Type /Pages /Kids [3 0 R] /Count 1000000000 >>", "<< /Type /Page /Parent 2 0 R >>"])
    files["no-pages.pdf"] = pdf([catalog, "<< /Type /Pages /Kids [] /Count 0 >>"])
    files["form-of-itself.pdf"] = one_page(
        b"/F Do", "/XObject << /F 5 0 R >>",
        [stream(b"/F Do /F Do", "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F 5 0 R >> >>")],
    )  # fmt: skip
    files["wide.pdf"], files["flat.pdf"] = one_page(box="0 0 1e9 1e9"), one_page(box="0 0 0 0")
    files["odd-box.pdf"], files["thin.pdf"] = one_page(box="9 9 -9 nan"), one_page(box="0 0 90000 1")
    files["table-of-itself.pdf"] = document.replace(b"/Root 1 0 R", b"/Root 1 0 R /Prev 9")
    files["deep.pdf"] = one_page(b"q " * 200_000)
    files["arrays.pdf"] = one_page(b"[" * 100_000)
    for name, output in {
        "mislabelled": shown("image/png", base64.b64encode(JPEG).decode()), "no-base64": shown("image/png", "@@@@"),
        "cut": shown("image/png", base64.b64encode(plain[:40]).decode()), "empty-picture": shown("image/png", ""),
        "large-header": shown("image/png", base64.b64encode(png(60_000, 60_000, pixels=b"\0")).decode()),
        "cmyk": shown("image/jpeg", base64.b64encode(CMYK_JPEG).decode()), "number": '[{"output_type": 7}]',
        "long": shown("text/plain", "x" * (4 << 20)), "half-pair": shown("text/plain", "\ud800"),
        "many": "[" + ",".join([shown("image/png", base64.b64encode(plain).decode())[1:-1]] * 60) + "]",
    }.items():  # fmt: skip
        files[f"output-{name}.ipynb"] = notebook(output)
    files["deep.ipynb"] = notebook("[" * 100_000 + "]" * 100_000)
    files["odd.ipynb"], files["cells.ipynb"] = b"[NaN, Infinity]", b'{"nbformat": 4, "cells": {"a": null}}'
    files["long-line.txt"], files["controls.txt"] = b"x" * (10 << 20), bytes(range(1, 32)) * 40
    files["blank.txt"], files["breaks.txt"] = b" \n\t\n", b"\r\n" * 9
    files["half-pair.txt"], files["utf-16.txt"] = b"\xed\xa0\x80 \xff\n", "no mark".encode("utf-16-le")
    files["archive.docx"] = b"PK\3\4" + bytes(40)
    if not is_short:
        files["large.ipynb"] = notebook(source=json.dumps("x = 1\n" * (15 << 20)))
        files["large-output.ipynb"] = notebook(shown("image/png", "A" * (100 << 20)))
        # It takes the whole time that the reader of PDFs has.
        files["endless.pdf"] = nested_forms(12, 10)
        files["bomb-large.png"] = png(20_000, 20_000, 0)
    return files


# The servers


class Server:
    """A server that may hang or die, spoken to over its standard input and output."""

    def __init__(self, command, home):
        self.command, self.home, self.deaths = command, home, 0
        self.start()

    def start(self):
        environment = dict(os.environ, HOME=self.home, XDG_STATE_HOME=self.home, XDG_CONFIG_HOME=self.home)
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
        self.rest, self.id = b"", 0
        client = {"name": "poisonous-files", "version": "1"}
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def line(self, until):
        parts = [self.rest]
        while b"\n" not in parts[-1]:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, until - time.monotonic()))
            part = os.read(self.process.stdout.fileno(), 1 << 20) if ready else b""
            if not part:
                return None
            parts.append(part)
        line, _, self.rest = b"".join(parts).partition(b"\n")
        return line

    def request(self, method, params):
        """The result; none where the server hangs or has died."""
        self.id += 1
        self.send({"id": self.id, "method": method, "params": params})
        until = time.monotonic() + PATIENCE
        while (line := self.line(until)) is not None:
            answer = json.loads(line)
            if "method" in answer and "id" in answer:
                self.send({"id": answer["id"], "error": {"code": -32601, "message": "not here"}})
            elif answer.get("id") == self.id:
                return answer.get("result") or {"content": [{"type": "text", "text": json.dumps(answer["error"])}], "isError": True}
        return None

    def call(self, tool, arguments):
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        if result is None:
            self.deaths += 1
            self.process.kill()
            self.process.wait()
            self.start()
        return result

    def peak_memory(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM"))


def read_by_ours(server, path):
    return server.call("Read", {"file_path": str(path)})


def read_by_the_reference(server, path):
    """As an agent would: the tool for media where the name is that of a picture, and the tool for text otherwise."""
    is_picture = path.suffix in (".png", ".jpg", ".gif", ".webp", ".bmp", ".tiff")
    return server.call("read_media_file" if is_picture else "read_text_file", {"path": str(path)})


def run(name, command, read, folder, files):
    """Reads all files in one session: which answers an API would refuse, and the time of each."""
    with tempfile.TemporaryDirectory() as home:
        server = Server(command, home)
        wrong, times, errors = {}, {}, 0
        for file in files:
            began = time.monotonic()
            result = read(server, folder / file)
            times[file] = time.monotonic() - began
            why = "no answer: it hangs or died" if result is None else refused(result)
            errors += bool(result and result.get("isError"))
            if why:
                wrong[file] = why
        memory = server.peak_memory()
        server.process.stdin.close()
        server.process.wait(30)
    slowest = max(times, key=times.get)
    print(
        f"{name}: {len(files)} files, {len(wrong)} answers that an API would refuse, {server.deaths} times dead, {errors} refusals; "
        f"slowest {times[slowest]:.2f} s ({slowest}), all {sum(times.values()):.1f} s, {memory / (1 << 20):.0f} MiB at most"
    )
    return wrong, times, memory, server.deaths


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--short", action="store_true", help="without the largest files, the reference, and limits of time")
    parser.add_argument("--no-reference", action="store_true", help="without the reference server")
    parser.add_argument("--list", action="store_true", help="name each answer that an API would refuse")
    parser.add_argument("lancet", nargs="?", type=Path, default=TOP / "target" / "release" / "lancet")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place).resolve()
        files = poisonous(options.short)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        names = list(files)
        del files
        ours = [options.lancet.resolve(), "mcp", "--root", folder]
        wrong, times, memory, deaths = run("lancet", ours, read_by_ours, folder, names)
        for name, why in wrong.items():
            print(f"  {name}: {why}")
        is_bad = bool(wrong or deaths)
        if not options.short:
            late = [name for name, taken in times.items() if taken > MOST_SECONDS]
            is_bad |= bool(late) or memory > MOST_MEMORY
            print(f"  later than {MOST_SECONDS:.0f} s: {', '.join(late) or 'none'}")
        if not (options.short or options.no_reference):
            sys.path.insert(0, str(TOP / "benches"))
            from side_by_side import install_reference

            entry, version = install_reference()
            reference, *_ = run(f"reference {version}", ["node", entry, folder], read_by_the_reference, folder, names)
            for name, why in reference.items() if options.list else ():
                print(f"  {name}: {why}")
    return 1 if is_bad else 0


if __name__ == "__main__":
    sys.exit(main())
