"""How each agent is started against the scripted model, in a home folder of its own, and how it names its tools.

Nothing is written into an agent's settings here: environment and arguments point it at the model and switch off what would
go to the network.
"""
import json
import os
import signal
import subprocess
from pathlib import Path

from wire import Call


NAMES = ("Read", "Edit", "MultiEdit", "Write", "NotebookEdit", "Glob", "Grep")

# What a model would search for that is used to other tools.
SEARCHES = ("cat", "sed", "apply_patch", "grep", "create file")


def searching(agent, checks):
    """Each of these words finds a tool of lancet's."""
    for words in SEARCHES:
        found = yield agent.search(words)
        checks.that("mcp__lancet" in json.dumps(found.raw), "a search for %r finds lancet" % words, found.text or found.raw)


class Agent:
    name = ""  # as `lancet install` knows it
    variant = ""  # what else is particular about the run
    title = ""
    package = ""  # of npm
    program = ""  # below node_modules
    prefix = ""  # of lancet's tools, as the model sees them
    flags = ()  # further arguments
    ends_when_asked = False  # whether a question without a terminal ends its whole run
    hooked = None  # where it has hooks: the further arguments with which it runs them, and prints what they say if it can
    read_only = None  # the further arguments with which it allows no writing, where it tells its servers so
    reads_itself = False  # whether its own reading tool is reported to its hooks
    sub_agent_tool = ""  # its own tool that starts a sub-agent, where it has one that is tried

    def __init__(self, packages):
        self.folder = Path(packages) / self.name

    @property
    def key(self):
        """The name in the table of what was recorded."""
        return self.name + self.variant

    def tool(self, name, arguments):
        """A call of a tool of lancet's."""
        return Call(self.prefix + name, arguments)

    def own_read(self, path, lines=None):
        """A call of the agent's own reading tool, for the lines from the first to the last one of `lines`."""
        raise NotImplementedError

    def sub_agent(self, prompt):
        """A call that starts a sub-agent and waits for it."""
        return Call(self.sub_agent_tool, {"description": "part of the work", "prompt": prompt, "subagent_type": "general-purpose"})

    def named(self, name):
        """A tool of lancet's as a text names it that lists tools to search for."""
        return self.prefix + name

    def prepared(self, inner):
        """The script after what the agent needs before lancet's tools can be called."""
        return inner

    def script(self, inner, checks):
        """The script, with checks of the agent's own before it."""
        return self.prepared(inner)

    def deferred(self, requests):
        """Whether lancet's tools are left out of the first list and have to be searched for."""
        return not self.offered(requests[0]) if requests else None

    def version(self):
        described = self.folder / "node_modules" / self.package / "package.json"
        return json.loads(described.read_text())["version"]

    def executable(self):
        return str(self.folder / "node_modules" / self.program)

    def command(self, address, prompt):
        raise NotImplementedError

    def environment(self, address):
        return {}

    def is_main(self, request):
        """Whether a request belongs to the conversation, and not to a title, a summary or the like."""
        return bool(request.tools)

    def offered(self, request):
        """Lancet's tools in the list of a request, by lancet's own names."""
        return {n[len(self.prefix):]: t for n, t in request.tools.items() if n.startswith(self.prefix)}

    def run(self, model, home, project, script, prompt="Go on.", seconds=120, sub_agents=()):
        """Runs the agent through a script; the exit status and what it printed."""
        model.play(script, self.is_main, sub_agents)
        model.prompt = prompt
        keep = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "TMPDIR", "LD_LIBRARY_PATH")}
        environment = {**keep, "HOME": str(home), "NO_COLOR": "1", "CI": "1", "TERM": "dumb", "SHELL": "/bin/sh",
                       "NO_PROXY": "127.0.0.1", **self.environment(model.address)}
        process = subprocess.Popen(
            self.command(model.address, prompt), cwd=project, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            printed, _ = process.communicate(timeout=seconds)
            status = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            printed, _ = process.communicate()
            status = "ran for more than %d s" % seconds
        return status, printed.decode("utf-8", "replace")


class ClaudeCode(Agent):
    name, title = "claude-code", "Claude Code"
    package = "@anthropic-ai/claude-code"
    program = "@anthropic-ai/claude-code-linux-x64/claude"
    prefix = "mcp__lancet__"
    hooked = ("--output-format", "stream-json", "--verbose", "--include-hook-events")
    reads_itself = True
    sub_agent_tool = "Agent"

    def own_read(self, path, lines=None):
        part = {"offset": lines[0], "limit": lines[1] - lines[0] + 1} if lines else {}
        return Call("Read", {"file_path": path, **part})

    def environment(self, address):
        return {
            "ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "scripted",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1", "IS_SANDBOX": "1",
        }

    def command(self, address, prompt):
        return [self.executable(), "-p", prompt, "--output-format", "text", *self.flags]


class Codex(Agent):
    name, title = "codex", "Codex"
    package = "@openai/codex"
    program = ".bin/codex"
    prefix = "mcp__lancet/"
    # Its user trusts new hooks at its terminal; here this flag stands for that.
    hooked = ("-s", "workspace-write", "--dangerously-bypass-hook-trust")
    read_only = ("-s", "read-only")
    model = "scripted"

    def environment(self, address):
        return {"SCRIPTED_KEY": "scripted"}

    def command(self, address, prompt):
        settings = [
            "model_provider=\"scripted\"", "model_providers.scripted.name=\"scripted\"",
            "model_providers.scripted.base_url=\"%s/v1\"" % address, "model_providers.scripted.env_key=\"SCRIPTED_KEY\"",
            "model_providers.scripted.wire_api=\"responses\"", "model_providers.scripted.requires_openai_auth=false",
            "check_for_update_on_startup=false", "analytics.enabled=false",
        ]
        flags = [word for setting in settings for word in ("-c", setting)]
        return ["node", self.executable(), "exec", "--skip-git-repo-check", *(self.flags or ("-s", "workspace-write")),
                "-m", self.model, *flags, prompt]


class CodexKnownModel(Codex):
    """With a model that Codex knows, it cuts no answer, and other servers' tools have to be searched for."""
    variant, model = " (gpt-5.5)", "gpt-5.5"
    hooked = read_only = None  # as with the other model

    def named(self, name):
        return '"name": "%s"' % name

    def search(self, words):
        return Call("tool_search", {"query": words}, kind="search")

    def prepared(self, inner):
        yield self.search("read and edit file")
        yield from inner

    def script(self, inner, checks):
        yield from searching(self, checks)
        yield from self.prepared(inner)


class Opencode(Agent):
    name, title = "opencode", "opencode"
    package = "opencode-ai"
    program = "opencode-linux-x64/bin/opencode"
    prefix = "lancet_"
    ends_when_asked = True

    def environment(self, address):
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "scripted",
                    "options": {"baseURL": address + "/v1", "apiKey": "scripted"},
                    "models": {"scripted": {"name": "scripted", "tool_call": True, "limit": {"context": 1000000, "output": 32000}}}}
        settings = {"provider": {"scripted": provider}, "model": "scripted/scripted", "small_model": "scripted/scripted",
                    "autoupdate": False, "share": "disabled"}
        return {"OPENCODE_CONFIG_CONTENT": json.dumps(settings), "OPENCODE_DISABLE_AUTOUPDATE": "1",
                "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
                "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1"}

    def command(self, address, prompt):
        return [self.executable(), "run", "--model", "scripted/scripted", prompt]


class Gemini(Agent):
    name, title = "gemini", "Gemini CLI"
    package = "@google/gemini-cli"
    program = "@google/gemini-cli/bundle/gemini.js"
    prefix = "mcp_lancet_"
    hooked = ()
    reads_itself = True

    def own_read(self, path, lines=None):
        part = {"start_line": lines[0], "end_line": lines[1]} if lines else {}
        return Call("read_file", {"file_path": path, **part})

    def environment(self, address):
        return {"GOOGLE_GENAI_USE_VERTEXAI": "true", "GOOGLE_API_KEY": "scripted", "GOOGLE_VERTEX_BASE_URL": address,
                "GEMINI_CLI_TRUST_WORKSPACE": "true",
                "GEMINI_TELEMETRY_ENABLED": "false", "GEMINI_CLI_NO_RELAUNCH": "true"}

    def command(self, address, prompt):
        return ["node", self.executable(), "-m", "gemini-2.5-pro", "-p", prompt, *self.flags]


class Qwen(Agent):
    name, title = "qwen", "Qwen Code"
    package = "@qwen-code/qwen-code"
    program = "@qwen-code/qwen-code/cli.js"
    prefix = "mcp__lancet__"
    hooked = ()
    reads_itself = True
    sub_agent_tool = "agent"

    def own_read(self, path, lines=None):
        # Its lines are counted from 0.
        part = {"offset": lines[0] - 1, "limit": lines[1] - lines[0] + 1} if lines else {}
        return Call("read_file", {"file_path": path, **part})

    def search(self, words):
        return Call("tool_search", {"query": words})

    def prepared(self, inner):
        names = ",".join(self.prefix + name for name in NAMES)
        yield Call("tool_search", {"query": "select:" + names, "max_results": 20})
        yield from inner

    def script(self, inner, checks):
        yield from searching(self, checks)
        yield from self.prepared(inner)

    def environment(self, address):
        return {"OPENAI_BASE_URL": address + "/v1", "OPENAI_API_KEY": "scripted", "OPENAI_MODEL": "scripted",
                "QWEN_CODE_NO_RELAUNCH": "true", "GEMINI_TELEMETRY_ENABLED": "false", "QWEN_TELEMETRY_ENABLED": "false"}

    def command(self, address, prompt):
        return ["node", self.executable(), "--auth-type", "openai", "-p", prompt, *self.flags]


class Goose(Agent):
    name, title = "goose", "goose"
    package = "@aaif/goose-binary-linux-x64"
    program = ".bin/goose-binary-linux-x64"
    prefix = "lancet__"
    ends_when_asked = True

    def environment(self, address):
        return {"GOOSE_PROVIDER": "openai", "OPENAI_HOST": address, "OPENAI_API_KEY": "scripted", "GOOSE_MODEL": "scripted",
                "GOOSE_DISABLE_KEYRING": "1", "GOOSE_TELEMETRY_ENABLED": "false", "GOOSE_MODE": "auto"}

    def command(self, address, prompt):
        return [self.executable(), "run", "--no-session", "-t", prompt]


class Copilot(Agent):
    name, title = "copilot", "Copilot CLI"
    package = "@github/copilot"
    program = ".bin/copilot-linux-x64"
    prefix = "lancet-"
    sub_agent_tool = "task"

    def sub_agent(self, prompt):
        return Call("task", {"description": "part of the work", "prompt": prompt, "agent_type": "general-purpose", "name": "part",
                             "mode": "sync"})

    def environment(self, address):
        return {"COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": address + "/v1", "COPILOT_PROVIDER_API_KEY": "scripted",
                "COPILOT_MODEL": "scripted", "COPILOT_AUTO_UPDATE": "false"}

    def command(self, address, prompt):
        return [self.executable(), "-p", prompt, "--allow-all-tools", *self.flags]


ALL = [ClaudeCode, Codex, CodexKnownModel, Opencode, Gemini, Qwen, Goose]
# Codex offers apply_patch to models that it knows.
COMPARED = [ClaudeCode, CodexKnownModel, Opencode, Gemini, Qwen, Goose]
