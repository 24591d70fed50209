"""The tests of `lancet_mcp`, on the installed package: `python clients.py`. The last line is `N passed, N failed`."""

import asyncio
import base64
import importlib.util
import inspect
import os
import pathlib
import re
import signal
import struct
import sys
import tempfile
import threading
import time
import typing
import unittest
import zlib
from types import SimpleNamespace

import lancet_mcp
from lancet_mcp import (
    AsyncLancet, BinaryNotFound, CallTimeout, Lancet, LancetError, No, ProtocolError, Refused, ServerDied,
)  # fmt: skip

HERE = pathlib.Path(__file__).resolve().parent
PIXEL = b"".join(b"\0" + b"\xff\0\0" * 2 for _ in range(2))


def picture():
    """A PNG of two by two pixels."""
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(PIXEL)) + chunk(b"IEND", b"")


class Case(unittest.TestCase):
    def setUp(self):
        base = tempfile.TemporaryDirectory(prefix="lancet-client-")
        self.addCleanup(base.cleanup)
        self.base = pathlib.Path(os.path.realpath(base.name))
        self.root = self.base / "root"
        self.root.mkdir()
        self.notes = self.root / "notes.txt"
        self.notes.write_text("one\ntwo\nthree\n")
        # The settings and the history of whoever runs the tests are left alone.
        self.env = {"HOME": str(self.base), "PATH": os.environ["PATH"]}

    def lancet(self, kind=Lancet, **options):
        return kind(self.root, env=self.env, **options)

    def open(self, **options):
        lancet = self.lancet(**options)
        self.addCleanup(lancet.close)
        return lancet


class Methods(Case):
    def test_read_edit_and_what_the_answers_tell(self):
        session = self.open().session()
        read = session.read("notes.txt", offset=2, limit=1)
        self.assertIn("2\u2192two", read.text)
        self.assertEqual(read.data["totalLines"], 3)
        edit = session.edit(self.notes, "two", "zwei \U0001f600")
        self.assertEqual(self.notes.read_text(), "one\nzwei \U0001f600\nthree\n")
        self.assertIn("-two\n+zwei \U0001f600\n", edit.diff)
        self.assertRegex(edit.revision, "^[0-9a-f]{16}$")
        self.assertTrue(edit.operation)

    def test_every_method(self):
        session = self.open().session()
        session.write("new/a.py", "a = 1\nb = 2\n", mode="create")
        session.multi_edit(
            [{"old_string": "a = 1", "new_string": "a = 10"}, {"file_path": "new/a.py", "old_string": "b", "new_string": "c"}],
            file_path="new/a.py",
        )
        self.assertEqual((self.root / "new/a.py").read_text(), "a = 10\nc = 2\n")
        self.assertEqual(session.glob("*.py").files, ["new/a.py"])
        self.assertEqual(session.grep("A = ", ignore_case=True, path="new").files, ["new/a.py"])
        self.assertIn("c = 2", session.grep("a = 10", output_mode="content", after=1).text)
        cells = '{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":5}'
        (self.root / "n.ipynb").write_text(cells)
        session.read("n.ipynb")
        session.notebook_edit("n.ipynb", "x = 1", cell_type="code", edit_mode="insert")
        self.assertIn("x = 1", (self.root / "n.ipynb").read_text())

    def test_the_methods_have_the_arguments_of_the_tools(self):
        shortened = {"-A": "after", "-B": "before", "-C": "context", "-n": "line_numbers", "-i": "ignore_case"}
        methods = {"Read": "read", "Edit": "edit", "MultiEdit": "multi_edit", "Write": "write",
                   "NotebookEdit": "notebook_edit", "Glob": "glob", "Grep": "grep"}
        tools = {tool["name"]: tool["input_schema"] for tool in self.open().tools("anthropic")}
        self.assertEqual(set(tools), set(methods))
        for tool, schema in tools.items():
            given = inspect.signature(getattr(lancet_mcp.Session, methods[tool])).parameters
            listed = {shortened.get(name, name) for name in schema["properties"]}
            self.assertEqual(set(given) - {"self"}, listed, tool)
            needed = {name for name, one in given.items() if one.default is one.empty} - {"self"}
            self.assertEqual(needed, set(schema.get("required", [])), tool)

    def test_refusals_have_name_code_and_the_next_step(self):
        session = self.open().session()
        for name, code, call in [
            ("not_read", 6, lambda: session.edit("notes.txt", "one", "1")),
            ("missing", 4, lambda: session.read("nots.txt")),
            ("outside", 21, lambda: session.read("/etc/passwd")),
            ("declined", 25, lambda: session.write(".git/config", "x")),
        ]:
            with self.assertRaises(Refused) as caught:
                call()
            self.assertEqual((caught.exception.name, caught.exception.code), (name, code))
            self.assertEqual(str(caught.exception), caught.exception.text)
        with self.assertRaisesRegex(Refused, "Did you mean .*notes.txt"):
            session.read("nots.txt")
        self.assertEqual(self.notes.read_text(), "one\ntwo\nthree\n")

    @unittest.skipUnless((HERE / "../../../docs/errors.md").exists(), "needs the repository")
    def test_the_names_of_refusals_are_those_of_the_documentation(self):
        page = (HERE / "../../../docs/errors.md").read_text()
        named = re.findall(r"^\| \d* *\| \d* *\| `(\w+)`", page, re.M)
        self.assertEqual(list(typing.get_args(lancet_mcp.RefusalName)), named)

    def test_what_the_host_showed_counts_as_read(self):
        session = self.open().session()
        session.seen("notes.txt", self.notes.read_text())
        session.edit("notes.txt", "one", "1")
        self.assertIn("1\u21921", session.read("notes.txt", force=True).text)
        session.shortened()
        self.assertIn("1\u21921", session.read("notes.txt").text)

    def test_sessions_are_apart_and_go_on_by_name(self):
        lancet = self.open()
        lancet.session("first").read("notes.txt")
        with self.assertRaises(Refused) as caught:
            lancet.session("second").edit("notes.txt", "one", "1")
        self.assertEqual(caught.exception.name, "not_read")
        lancet.close()
        self.open().session("first").edit("notes.txt", "one", "1")
        self.assertEqual(self.notes.read_text(), "1\ntwo\nthree\n")

    def test_a_lone_surrogate_is_refused_and_the_connection_lives(self):
        session = self.open().session()
        with self.assertRaises(Refused):
            session.write("new.txt", "\ud800")
        self.assertIn("one", session.read("notes.txt").text)

    def test_a_call_over_the_limit_is_told_and_not_sent(self):
        session = self.open().session()
        with self.assertRaises(ProtocolError):
            session.write("big.txt", "x" * (65 << 20))
        self.assertIn("one", session.read("notes.txt").text)


class Asking(Case):
    def test_yes_no_words_and_session(self):
        answers, questions = [], []

        def approve(question):
            questions.append(question)
            return answers.pop(0)

        session = self.open(approve=approve).session("mine")
        session.read("notes.txt")

        def edit(old, new, *given):
            answers[:] = given
            answer = session.call("Edit", {"file_path": str(self.notes), "old_string": old, "new_string": new})
            self.assertEqual(answers, [])
            return answer

        self.assertFalse(edit("one", "1", "yes").is_error)
        asked = questions[0]
        self.assertIn("-one\n+1\n", asked.text)
        self.assertEqual((asked.tool, asked.session, asked.protected), ("Edit", "mine", False))
        self.assertEqual(asked.arguments["old_string"], "one")
        self.assertEqual(asked.choices, ("yes", "no", "session", "always"))
        for no in ("no", None, "maybe", True):
            refused = edit("two", "2", no).refused
            self.assertEqual((refused.name, refused.code), ("declined", 25))
        self.assertIn("Use tabs.", edit("two", "2", No("Use tabs.")).text)
        by_policy = edit("two", "2", No("Not on Fridays.", by="policy")).text
        self.assertIn("The program policy declined", by_policy)
        self.assertIn("Not on Fridays.", by_policy)
        self.assertEqual(self.notes.read_text(), "1\ntwo\nthree\n")
        self.assertFalse(edit("two", "2", "session").is_error)
        self.assertFalse(edit("three", "3").is_error)
        self.assertEqual(self.notes.read_text(), "1\n2\n3\n")

    def test_protected_names_are_asked_about_in_every_mode(self):
        questions = []
        session = self.open(approve=lambda question: questions.append(question) or "yes", mode="accept-edits").session()
        session.write("plain.txt", "x\n")
        self.assertEqual(questions, [])
        session.write(".vscode/settings.json", "{}\n")
        self.assertEqual([question.protected for question in questions], [True])
        self.assertNotIn("always", questions[0].choices)

    def test_what_the_callback_raises_reaches_the_caller_and_nothing_is_written(self):
        def approve(question):
            raise KeyError("closed")

        session = self.open(approve=approve).session()
        with self.assertRaises(KeyError):
            session.write("new.txt", "x")
        self.assertFalse((self.root / "new.txt").exists())
        self.assertIn("one", session.read("notes.txt").text)


class Models(Case):
    def test_tools_in_every_format(self):
        lancet = self.open(tools="Read,Edit")
        names = {
            "anthropic": lambda tools: [tool["name"] for tool in tools],
            "openai": lambda tools: [tool["function"]["name"] for tool in tools],
            "responses": lambda tools: [tool["name"] for tool in tools],
            "gemini": lambda tools: [tool["name"] for tool in tools[0]["functionDeclarations"]],
        }
        for format, of in names.items():
            for strict in (False, True):
                self.assertEqual(of(lancet.tools(format, strict=strict)), ["Read", "Edit"])
        self.assertTrue(lancet.tools("responses", strict=True)[0]["strict"])
        with self.assertRaises(ValueError):
            lancet.tools("cobol")
        with self.assertRaises(ValueError):
            lancet.session().dispatch("cobol", [])
        self.assertIn(str(self.root), lancet.instructions())

    def test_calls_of_every_format_are_answered(self):
        (self.root / "dot.png").write_bytes(picture())
        session = self.open().session()
        read, gone, dot = ({"file_path": str(self.root / name)} for name in ("notes.txt", "gone.txt", "dot.png"))
        pixels = lambda data: self.assertEqual(base64.b64decode(data), picture())

        use = lambda number, given: {"type": "tool_use", "id": number, "name": "Read", "input": given}
        message = [{"type": "text", "text": "Let me look."}, use("a", read), SimpleNamespace(**use("b", gone)), use("c", dot)]
        first, second, third = session.dispatch("anthropic", message)
        self.assertEqual((first["type"], first["tool_use_id"], first["is_error"]), ("tool_result", "a", False))
        self.assertIn("1\u2192one", first["content"][0]["text"])
        self.assertEqual((second["tool_use_id"], second["is_error"]), ("b", True))
        self.assertEqual(third["content"][1]["source"]["media_type"], "image/png")
        pixels(third["content"][1]["source"]["data"])

        text = lambda given: '{"force":true,"file_path":"%s"}' % given["file_path"]
        use = lambda number, given: {"id": number, "type": "function", "function": {"name": "Read", "arguments": given}}
        *told, pictures = session.dispatch("openai", [use("a", text(read)), use("b", "{broken"), use("c", text(dot))])
        self.assertEqual([(one["role"], one["tool_call_id"]) for one in told], [("tool", "a"), ("tool", "b"), ("tool", "c")])
        self.assertIn("1\u2192one", told[0]["content"])
        self.assertIn("JSON", told[1]["content"])
        self.assertEqual(pictures["role"], "user")
        pixels(pictures["content"][1]["image_url"]["url"].split(",")[1])
        self.assertEqual(session.dispatch("openai", None), [])

        use = lambda number, given: {"type": "function_call", "call_id": number, "name": "Read", "arguments": text(given)}
        first, second = session.dispatch("responses", [{"type": "reasoning"}, use("a", read), use("c", dot)])
        self.assertEqual((first["type"], first["call_id"]), ("function_call_output", "a"))
        self.assertIn("1\u2192one", first["output"])
        self.assertEqual([part["type"] for part in second["output"]], ["input_text", "input_image"])

        use = lambda given: {"functionCall": {"name": "Read", "args": {**given, "force": True}}}
        first, second, third, data = session.dispatch("gemini", [{"text": "So."}, use(read), use(gone), use(dot)])
        self.assertIn("1\u2192one", first["functionResponse"]["response"]["output"])
        self.assertIn("is not there", second["functionResponse"]["response"]["error"])
        pixels(data["inlineData"]["data"])

    def test_a_prefix_and_the_nulls_of_a_strict_model(self):
        lancet = self.open(prefix="files_", tools="Read,Edit")
        self.assertEqual([tool["name"] for tool in lancet.tools("anthropic")], ["files_Read", "files_Edit"])
        session = lancet.session()
        given = {"file_path": str(self.notes), "offset": None, "limit": None}
        [result] = session.dispatch("anthropic", [{"type": "tool_use", "id": "a", "name": "files_Read", "input": given}])
        self.assertIn("1\u2192one", result["content"][0]["text"])
        session.edit("notes.txt", "one", "1")

    def test_a_tool_that_does_not_exist_is_told_to_the_model(self):
        [result] = self.open().session().dispatch("anthropic", [{"type": "tool_use", "id": "a", "name": "Bash", "input": {}}])
        self.assertTrue(result["is_error"])
        self.assertIn("Read", result["content"][0]["text"])

    def test_the_example_agent(self):
        spec = importlib.util.spec_from_file_location("agent", HERE / "../examples/agent.py")
        example = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(example)
        path = str(self.notes)
        script = [
            [("Read", {"file_path": path})],
            [("Edit", {"file_path": path, "old_string": "two", "new_string": "2"})],
            [("Edit", {"file_path": path, "old_string": "two", "new_string": "zwei"})],
        ]
        requests, seen = [], []

        def create(**request):
            requests.append(request)
            if len(requests) > len(script):
                return SimpleNamespace(content=[SimpleNamespace(type="text", text="Done.")])
            made = [SimpleNamespace(type="tool_use", id="t%d" % len(requests), name=name, input=given)
                    for name, given in script[len(requests) - 1]]
            return SimpleNamespace(content=made)

        def approve(question):
            seen.append(question)
            return "yes" if "+zwei" in question.text else No("In German, please.")

        previous, os.environ["HOME"] = os.environ.get("HOME", ""), str(self.base)
        self.addCleanup(os.environ.__setitem__, "HOME", previous)
        client = SimpleNamespace(messages=SimpleNamespace(create=create))
        self.assertEqual(example.agent(client, "Translate it.", str(self.root), approve), "Done.")
        self.assertEqual(self.notes.read_text(), "one\nzwei\nthree\n")
        refused = requests[-1]["messages"][4]["content"][0]
        self.assertTrue(refused["is_error"])
        self.assertIn("In German, please.", refused["content"][0]["text"])
        self.assertEqual(len(seen), 2)


class History(Case):
    def test_undo_by_turn_session_and_operation(self):
        lancet = self.open()
        session, other = lancet.session(), lancet.session()
        self.assertEqual(session.changes(), [])
        with self.assertRaises(Refused) as caught:
            session.undo()
        self.assertEqual((caught.exception.name, caught.exception.code), ("not_found", 8))
        first = session.begin_turn()
        session.read("notes.txt")
        session.call("Edit", {"file_path": str(self.notes), "old_string": "one", "new_string": "1"}, call="toolu_1")
        second = session.begin_turn()
        session.write("new.txt", "x\n")
        other.write("other.txt", "y\n")
        self.assertEqual([change.turn for change in session.changes()], [second, first])
        self.assertEqual(session.changes(first)[0].call, "toolu_1")
        self.assertEqual(session.changes(first)[0].files, [str(self.notes)])
        self.assertIn("-x", session.undo(second, dry_run=True).text)
        self.assertTrue((self.root / "new.txt").exists())
        session.undo(second)
        self.assertFalse((self.root / "new.txt").exists())
        self.assertEqual(self.notes.read_text(), "1\ntwo\nthree\n")
        session.undo()
        self.assertEqual(self.notes.read_text(), "one\ntwo\nthree\n")
        lancet.undo(other.changes()[0].operation)
        self.assertFalse((self.root / "other.txt").exists())
        with self.assertRaises(Refused) as caught:
            session.undo()
        self.assertEqual(caught.exception.name, "not_found")

    def test_what_was_changed_since_is_left_alone(self):
        session = self.open().session()
        session.read("notes.txt")
        session.edit("notes.txt", "one", "1")
        self.notes.write_text("1\ntwo\nthree\nfour\n")
        with self.assertRaises(Refused) as caught:
            session.undo()
        self.assertEqual(caught.exception.name, "conflict")
        session.undo(merge=True)
        self.assertEqual(self.notes.read_text(), "one\ntwo\nthree\nfour\n")


class Processes(Case):
    def test_many_threads_share_one_client(self):
        lancet = self.open()
        failed = []

        def work(number):
            try:
                session = lancet.session()
                for turn in range(5):
                    session.write("file%d.txt" % number, "%d %d\n" % (number, turn))
            except Exception as error:
                failed.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])
        self.assertEqual([(self.root / ("file%d.txt" % n)).read_text() for n in range(16)], ["%d 4\n" % n for n in range(16)])

    def test_a_killed_server_is_told_to_those_who_wait_and_those_who_come(self):
        def approve(question):
            os.kill(lancet.pid, signal.SIGKILL)
            time.sleep(0.2)
            return "yes"

        lancet = self.open(approve=approve)
        session = lancet.session()
        for _ in range(2):
            with self.assertRaises(ServerDied) as caught:
                session.write("new.txt", "x")
            self.assertEqual(caught.exception.status, -signal.SIGKILL)
            self.assertIn("signal 9", str(caught.exception))
        self.assertFalse((self.root / "new.txt").exists())

    def test_a_server_that_cannot_start_says_why(self):
        with Lancet(self.base / "nowhere", env=self.env) as lancet:
            with self.assertRaisesRegex(ServerDied, "status 2(.|\n)*nowhere"):
                lancet.session().read("a.txt")
        for binary in ("/nowhere/lancet", str(self.notes)):
            with self.assertRaises(BinaryNotFound):
                Lancet(self.root, binary=binary)

    def test_a_stopped_server_runs_into_the_time_limit(self):
        lancet = self.open(timeout=30)
        session = lancet.session()
        session.read("notes.txt")
        os.kill(lancet.pid, signal.SIGSTOP)
        try:
            with self.assertRaises(CallTimeout):
                session.call("Glob", {"pattern": "*"}, timeout=0.2)
        finally:
            os.kill(lancet.pid, signal.SIGCONT)
        self.assertEqual(session.glob("*").files, ["notes.txt"])

    def test_the_log_is_passed_on_and_a_raising_callback_stops_nothing(self):
        lines = []

        def on_log(line):
            lines.append(line)
            raise KeyError(line)

        stderr, sys.stderr = sys.stderr, open(os.devnull, "w")
        try:
            with self.lancet(on_log=on_log, log="debug") as lancet:
                lancet.session().read("notes.txt")
        finally:
            sys.stderr.close()
            sys.stderr = stderr
        self.assertTrue(any("read " + str(self.notes) in line for line in lines), lines)
        self.assertTrue(any("the client left" in line for line in lines), lines)

    def test_a_long_call_tells_its_progress(self):
        settings = self.base / "slow.toml"
        settings.write_text('[read.converters]\n"*.slow" = ["sh", "-c", "sleep 0.8; echo text"]\n')
        (self.root / "a.slow").write_bytes(bytes(range(256)))
        told = []
        session = self.open(config=settings, on_progress=told.append).session("mine")
        self.assertIn("text", session.read("a.slow").text)
        self.assertEqual({(one.session, one.tool) for one in told}, {("mine", "Read")})
        self.assertIn("Read", told[0].message)

    def test_closing_ends_the_process_and_twice_is_harmless(self):
        lancet = self.lancet()
        lancet.session().read("notes.txt")
        pid = lancet.pid
        lancet.close()
        lancet.close()
        with self.assertRaises(ProcessLookupError):
            os.kill(pid, 0)
        with self.assertRaises(ServerDied):
            lancet.session().read("notes.txt")


class Async(Case):
    def run_async(self, work, **options):
        async def running():
            async with self.lancet(AsyncLancet, **options) as lancet:
                return await asyncio.wait_for(work(lancet), 30)

        return asyncio.run(running())

    def test_the_same_methods(self):
        async def work(lancet):
            session = lancet.session()
            turn = session.begin_turn()
            self.assertIn("1\u2192one", (await session.read("notes.txt")).text)
            await session.edit("notes.txt", "one", "1")
            with self.assertRaises(Refused):
                await session.edit("notes.txt", "one", "1")
            self.assertEqual([change.turn for change in await session.changes()], [turn])
            use = {"type": "tool_use", "id": "a", "name": "Glob", "input": {"pattern": "*"}}
            [result] = await session.dispatch("anthropic", [use])
            self.assertIn("notes.txt", result["content"][0]["text"])
            self.assertEqual(len(await lancet.tools("anthropic")), 7)
            self.assertIn(str(self.root), await lancet.instructions())
            await session.undo(turn)
            self.assertEqual(self.notes.read_text(), "one\ntwo\nthree\n")

        self.run_async(work)

    def test_many_calls_at_once(self):
        async def work(lancet):
            writes = [lancet.session().write("file%d.txt" % number, "x\n") for number in range(50)]
            answers = await asyncio.gather(*writes)
            self.assertEqual(len({answer.operation for answer in answers}), 50)

        self.run_async(work)

    def test_questions_of_several_sessions_are_open_at_once(self):
        asked = []

        async def approve(question):
            asked.append(question.session)
            while len(asked) < 6:
                await asyncio.sleep(0.01)
            return "yes" if question.session != "s3" else No("Not s3.")

        async def work(lancet):
            writes = [lancet.session("s%d" % n).write("%d.txt" % n, "x\n") for n in range(6)]
            return await asyncio.gather(*writes, return_exceptions=True)

        answers = self.run_async(work, approve=approve)
        self.assertEqual([isinstance(answer, Refused) for answer in answers], [n == 3 for n in range(6)])
        self.assertIn("Not s3.", str(answers[3]))
        self.assertEqual(sorted(path.name for path in self.root.glob("?.txt")), ["%d.txt" % n for n in (0, 1, 2, 4, 5)])

    def test_a_cancelled_task_cancels_its_call_and_nothing_is_written(self):
        async def work(lancet):
            task = asyncio.ensure_future(lancet.session().write("new.txt", "x"))
            while not questions:
                await asyncio.sleep(0.01)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            self.assertIn("one", (await lancet.session().read("notes.txt")).text)

        questions = []

        async def approve(question):
            questions.append(question)
            await asyncio.sleep(60)
            return "yes"

        self.run_async(work, approve=approve)
        self.assertFalse((self.root / "new.txt").exists())

    def test_a_killed_server_fails_every_call(self):
        async def work(lancet):
            os.kill(lancet.pid, signal.SIGSTOP)
            calls = [asyncio.ensure_future(lancet.session().read("notes.txt")) for _ in range(5)]
            await asyncio.sleep(0.05)
            os.kill(lancet.pid, signal.SIGKILL)
            answers = await asyncio.gather(*calls, return_exceptions=True)
            self.assertEqual([type(answer) for answer in answers], [ServerDied] * 5)

        self.run_async(work)


if __name__ == "__main__":
    # Those who want one cause for all of it can catch one class.
    assert all(issubclass(kind, LancetError) for kind in (BinaryNotFound, CallTimeout, ProtocolError, Refused, ServerDied))
    run = unittest.main(exit=False).result
    bad = len(run.failures) + len(run.errors)
    print("%d passed, %d failed" % (run.testsRun - bad, bad))
    sys.exit(1 if bad else 0)
