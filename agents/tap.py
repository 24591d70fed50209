"""What an agent sends to lancet: a script stands before the program in the agent's settings and keeps a copy of what goes in."""
import json
import os
import shlex

# The server is below a shell: lancet passes over shells when it looks for the agent's process. A hook has the time that a busy
# machine may need.
SCRIPT = """#!/bin/sh
if [ "$1" = hook ]; then
    sent=$(mktemp {events}/XXXXXXXX); cat > "$sent"; exec {lancet} "$@" --within 60000 < "$sent"
fi
if [ "$1" != mcp ]; then exec {lancet} "$@"; fi
exec sh -c 'env | cut -d = -f 1 > {names}; tee -a {sent} | {lancet} "$@"' sh "$@"
"""


class Tap:
    def __init__(self, base, lancet):
        self.lancet, self.program = lancet, base / "tap"
        self.names, self.sent, self.hooked = base / "names", base / "sent", base / "events"
        self.hooked.mkdir()
        words = {"lancet": lancet, "names": self.names, "sent": self.sent, "events": self.hooked}
        self.program.write_text(SCRIPT.format(**{name: shlex.quote(str(path)) for name, path in words.items()}))
        self.program.chmod(0o755)

    def put_into(self, home):
        """Puts the script in place of the program in all settings that `lancet install` wrote."""
        for folder, _, names in os.walk(home):
            for name in names:
                path = os.path.join(folder, name)
                if name.endswith((".json", ".jsonc", ".toml", ".yaml", ".js")) and not os.path.islink(path):
                    with open(path, encoding="utf-8") as file:
                        text = file.read()
                    if self.lancet in text and "/lancet/" not in path[len(str(home)):]:
                        with open(path, "w", encoding="utf-8") as file:
                            file.write(text.replace(self.lancet, str(self.program)))

    def messages(self):
        lines = self.sent.read_text(encoding="utf-8").splitlines() if self.sent.exists() else []
        return [json.loads(line) for line in lines if line.strip()]

    def facts(self):
        """What tells one agent, one conversation and one call from another: names of keys, never their values."""
        meta, facts = set(), {}
        for message in self.messages():
            params = message.get("params") or {}
            sent = params.get("_meta") or {}
            client = params.get("clientInfo") or sent.get("io.modelcontextprotocol/clientInfo")
            if client:
                offered = params.get("capabilities") or sent.get("io.modelcontextprotocol/clientCapabilities") or {}
                version = params.get("protocolVersion") or sent.get("io.modelcontextprotocol/protocolVersion")
                facts = {"client": client.get("name"), "protocol": version, "offers": " ".join(sorted(offered))}
            if message.get("method") == "tools/call":
                meta |= keys(sent)
        names = self.names.read_text().split() if self.names.exists() else []
        facts["meta_of_calls"] = " ".join(sorted(meta))
        facts["sessions_in_environment"] = " ".join(sorted(name for name in names if "SESSION" in name))
        return facts

    def events(self):
        """The events that the agent's hooks have sent, and the keys of each: those of the event itself, and of what the tool answered."""
        found = {}
        for path in self.hooked.iterdir():
            try:
                event = json.loads(path.read_text(encoding="utf-8"))
            except ValueError:
                continue  # The agent ended while it sent it.
            answer = event.get("tool_response")
            name = " ".join(filter(None, (event.get("hook_event_name"), event.get("tool_name"))))
            names = {key for key in event if not key.startswith("tool_") or key == "tool_use_id"}
            names |= {"tool_response." + key for key in answer} if isinstance(answer, dict) else set()
            names |= {"tool_input." + key for key in event["tool_input"]} if isinstance(event.get("tool_input"), dict) else set()
            found.setdefault(name, set()).update(names)
        return {name: " ".join(sorted(names)) for name, names in sorted(found.items())}


def keys(sent):
    """The keys of `_meta`, and those inside what Codex tells of the turn."""
    found = set(sent)
    turn = sent.get("x-codex-turn-metadata")
    if isinstance(turn, dict):
        found |= {"x-codex-turn-metadata/" + key for key in turn}
    return found
