//! The examples at the end of each help page. A reader of one page needs no other.

pub(super) const PROGRAM: &str = "\
`lancet help COMMAND` explains a command with examples. Topics: `lancet help permissions`,
`asking`, `history`, `ledgers` (what a session has seen), `replies`, `errors`, `settings`, `agents`,
and `options`: those that all commands take.";

pub(super) const PROGRAM_LONG: &str = "\
Examples:
  lancet read src/main.rs:10-20
      Show lines 10 to 20.

  lancet edit src/main.rs --old 'let limit = 10;' --new 'let limit = 20;'
      Replace that text, after showing the diff and asking.

  lancet log
      See what was changed, by you and by agents; `lancet show ID` has the diff.

  lancet undo
      Undo the newest change, after showing what that does; `--session NAME` undoes all of a session.

  lancet install claude-code
      Give the tools to an agent; `lancet install` lists the agents that are here.

Exit codes:
  0  done
  1  refused: the file is as it was, and the answer says why and what to do next
  2  the command line or the settings are wrong
  3  the system refused (disk full, no permission), or a fault of lancet's own

Colours are used on a terminal, unless --color, NO_COLOR, FORCE_COLOR or CLICOLOR say otherwise.
`lancet help COMMAND` explains a command with examples. Topics: `lancet help permissions`,
`asking`, `history`, `ledgers` (what a session has seen), `replies`, `errors`, `settings`, `agents`,
and `options`: those that all commands take.";

pub(super) const INSTALL: &str = "\
Examples:
  lancet install
      Which agents are here, and whether lancet is installed there.

  lancet install claude-code
      Add it to Claude Code, after showing the diff and asking. With --dry-run the diff is all.

  lancet install codex gemini --writes allow --yes
      Two agents, and lancet may write without a question there.

  lancet install opencode --only
      Switch opencode's own file tools off as well.

  lancet install claude-code --observe
      Its own tools stay, and what they change is recorded and can be undone.

`lancet help agents` says which file and which key it is for each agent.";

pub(super) const UNINSTALL: &str = "\
Examples:
  lancet uninstall claude-code
  lancet uninstall codex --project --yes";

pub(super) const MCP: &str = "\
Adding it to Claude Code:
  lancet install claude-code

`lancet help agents` has the other agents, and what to write by hand. An agent that starts its servers elsewhere than in the
project needs --root.

More examples:
  lancet mcp --root ~/work/api --root ~/work/web
      Two folders.

  lancet mcp --mode plan
      Reading only: the writing tools are not even listed.

  lancet mcp --tools default,-MultiEdit
      Leave a tool out.

  lancet mcp --tools text-editor
      The one tool for viewing and editing that Claude models are trained on.

  lancet mcp --prefix lancet_
      Names for an agent whose own tools are called Read and Edit, too: lancet_Read, lancet_Edit.";

pub(super) const SERVE: &str = "\
Connecting Claude Code:
  claude mcp add --transport http lancet http://127.0.0.1:4747/mcp \\
    --header \"Authorization: Bearer $(cat ~/.local/state/lancet/serve-token)\"

Other agents take the same address and header in their settings.

More examples:
  lancet serve --open
      And its page in your browser.

  lancet serve --link
      A link for another browser, or for a phone, while a server runs.

  lancet serve --root ~/work/api --root ~/work/web
      Two folders.

  lancet serve --mode accept-edits
      Writes go through without a question, where the agents ask their users themselves.

  lancet serve --listen 0.0.0.0:4747 --tls cert.pem key.pem --allow-host files.example.org
      For other machines, encrypted, under that name.

  lancet serve --public-url https://files.example.org
      Behind a proxy on this machine that encrypts.

  lancet serve --new-token
      When a token may have become known, and the server that was running has ended.";

pub(super) const GREP: &str = "\
Examples:
  lancet grep 'fn \\w+_test' -t rust
  lancet grep 'unwrap\\(\\)' src -C 2
      With two lines around each match.

  lancet grep -l needle -g '*.{ts,tsx}' -0 | xargs -0 wc -l
      The names of the files only.

  lancet grep -w -e open -e close src tests
  lancet grep 'fn (\\w+)' -o -r '$1' src
      The names alone; the files stay as they are.

  lancet grep needle --json
      One object a line; the last one has the totals.";

pub(super) const GLOB: &str = "\
Examples:
  lancet glob '*.rs'
  lancet glob -e ts -e tsx --sortr modified | head -20
      The newest first.

  lancet glob -t d test
  lancet glob '.github/**'
      A hidden folder, named.";

pub(super) const READ: &str = "\
Examples:
  lancet read Cargo.toml src/main.rs
  lancet read src/main.rs:10-20
      Lines 10 to 20. A file that has exactly this name is shown instead.

  lancet read src/main.rs --outline
      What the file names, with its lines.

  lancet read server.log --offset 5000 --limit 50 | wc -c
      Off a terminal: the lines as they are.

  lancet read bundle.min.js --offset 1 --column 20001
      The first line from its character 20001 on.

  lancet read Cargo.toml --json
      {\"type\":\"text\",\"file_path\":…,\"startLine\":1,\"numLines\":…,\"revision\":…,\"text\":…}";

pub(super) const EDIT: &str = "\
Examples:
  lancet edit config.toml --old 'port = 80' --new 'port = 8080'
      Shows the diff, asks, writes.

  lancet edit config.toml --old 'port = 80' --new 'port = 8080' --diff
      Shows the diff and leaves it at that.

  lancet edit lib.rs --old old_name --new new_name --replace-all --yes
      Renames everywhere in the file, without asking.

  lancet edit 'src/**/*.rs' --regex 'foo\\((\\w+)\\)' --new 'bar($1)'
      Every match in every file, as one change: one question, one undo.

  lancet edit src/*.rs tests/*.rs --old old_name --new new_name --replace-all
      The same text in several files.

  lancet edit main.py --old-file before.txt --new-file - < after.txt
      Texts of several lines. A file's last newline is part of the text.

  lancet edit main.py --old 'import os
  import sys' --new 'import sys'
      Text of several lines on the command line.

The question comes on the terminal itself, so that standard input stays free for text.
Where there is no terminal, give --yes.";

pub(super) const WRITE: &str = "\
Examples:
  lancet write notes.txt --content 'first line
  second line
  '
  generate-table | lancet write src/table.rs - --yes
      The text comes from standard input.

  lancet write settings.json --from template.json --create
      Refused if settings.json is there already.

  date | lancet write log.txt - --append --yes";

pub(super) const APPLY: &str = "\
Examples:
  lancet apply reply.txt
  pbpaste | lancet apply
      From the clipboard (macOS; elsewhere wl-paste or xclip -o).

  lancet apply reply.txt --check
      Would it go through? Nothing is written.

  lancet apply reply.txt --format v4a --yes --json

The question comes on the terminal itself, so that standard input stays free for the reply.
Exit codes: 0 applied, 1 refused, 2 wrong usage. `lancet undo` takes the whole reply back.";

pub(super) const PROMPT: &str = "\
Examples:
  lancet prompt --with src/main.py src/util.py | pbcopy
      Paste it into a chat, and ask for the change below it.

  lancet prompt --format v4a
  lancet prompt --format unified --with README.md > prompt.md

`lancet apply` takes the reply.";

pub(super) const CALL: &str = "\
Examples:
  lancet call Read '{\"file_path\": \"a.txt\"}' --session demo
  lancet call Edit '{\"file_path\": \"a.txt\", \"old_string\": \"x\", \"new_string\": \"y\"}' \\
      --session demo
      The second call counts what the first has read.

  lancet call MultiEdit @edits.json --root /path/to/project --session demo --json
  lancet call Write - < call.json

`lancet tools` prints what each tool takes.";

pub(super) const TOOLS: &str = "\
Examples:
  lancet tools --format anthropic
  lancet tools --format openai --long --tools Read,Edit
  lancet tools --format responses --strict";

pub(super) const DOCTOR: &str = "\
Examples:
  lancet doctor
  lancet doctor --root ~/work/api --json
  lancet doctor --prove /mnt/share
      Whether its file system does what lancet relies on; a report to paste into an issue.

Exit codes: 0 nothing is wrong, 1 --prove contradicts the guarantee, 2 roots or settings are wrong, 3 the state folder or the system is.";

pub(super) const COMPLETIONS: &str = "\
Examples:
  lancet completions bash > ~/.local/share/bash-completion/completions/lancet
  lancet completions zsh > ~/.zfunc/_lancet
  lancet completions fish > ~/.config/fish/completions/lancet.fish";

pub(super) const MAN: &str = "\
Examples:
  lancet man | man -l -
  lancet man edit | man -l -
  lancet man --dir ~/.local/share/man/man1";

pub(super) const LOG: &str = "\
Examples:
  lancet log -n 10
  lancet log src/main.rs --patch
  lancet log --session evening --since 2h --json
  lancet log --format patch > changes.mbox
      A series for `git am`, in a tree that does not have these changes yet.

  lancet log src --format attribution
      Which lines of the files below src agents wrote, as JSON.";

pub(super) const HOOK: &str = "\
`lancet install AGENT` adds this command to the agent's hooks; docs/agents.md says which.

Examples:
  echo '{\"hook_event_name\":\"UserPromptSubmit\",\"session_id\":\"a\",\"prompt\":\"Fix it\"}' | lancet hook claude";

pub(super) const EVENTS: &str = "\
Examples:
  lancet events --follow
      What every agent does, as it happens.

  lancet events --since 1204
  lancet events --follow --since k29f | jq -r 'select(.event == \"changed\") | .path'
  lancet events --follow --editor nvim
      What the plugin of an editor runs.";

pub(super) const SHOW: &str = "\
Examples:
  lancet show k29f
  lancet show k29f --json
  lancet show src/main.rs@k29f^
      The file as it was before that change.";

pub(super) const UNDO: &str = "\
Examples:
  lancet undo
      The newest change; again, the one before.

  lancet undo k29f --dry-run
      What undoing that change would do.

  lancet undo k29f --hunk 2
      The second hunk that `lancet show k29f` shows, and nothing else of it.

  lancet undo --file src/main.rs --yes
  lancet undo --session evening
  lancet undo --since 30m --merge
  lancet undo --to-prompt
      All that an agent did since your last prompt, where its hooks are installed; with 2, since the one before.

  lancet undo --session evening --keep-going
      All changes of that session, but for files that were changed since.

`lancet redo` does again what the latest undo took back.";

pub(super) const REDO: &str = "\
Examples:
  lancet redo
  lancet redo k29f --yes";

pub(super) const RESTORE: &str = "\
Examples:
  lancet restore src/main.rs@k29f
      As that change left it.

  lancet restore src/main.rs@k29f^ --dry-run
      As it was before that change, only shown.

  lancet restore src/main.rs@k29f^ src/lib.rs@x04k
      Two files as one change; `p` at the question picks by file.";

pub(super) const GC: &str = "\
Examples:
  lancet gc --dry-run
      Say what would go.

  lancet gc
  lancet gc --json";

pub(super) const STATS: &str = "\
Examples:
  lancet stats
  lancet stats src --since 7d
  lancet stats --session evening --json";

pub(super) const EXPLAIN: &str = "\
Examples:
  lancet explain src/main.rs
  lancet explain .env --tool Read
  lancet explain .claude/skills/pdf/SKILL.md --tool Write --json";

pub(super) const RULES: &str = "\
Examples:
  lancet rules
  lancet rules --settings .claude/settings.json
      What of Claude Code's permissions counts here, and what does not.";

pub(super) const TRUST: &str = "\
Examples:
  lancet trust
      Show the project's lancet.toml and ask; without one, ask about the folder.

  lancet trust --revoke";

pub(super) const PENDING: &str = "\
Examples:
  lancet pending
      What waits for an answer, newest first.

  lancet pending show 4x2m
      The question with its diff and the numbers of its hunks.

  lancet pending approve 4x2m
      Show it and ask; every answer is possible there.

  lancet pending --follow
      Print questions as they come. Agents' calls wait while this runs.

`lancet help asking` says who is asked when, and what answers mean.";

pub(super) const APPROVE: &str = "\
Examples:
  lancet pending approve 4x2m
  lancet pending approve 4x2m --hunk 1 --hunk 3 --reason 'The second one belongs elsewhere.'
  lancet pending approve 4x2m --file src/main.rs
  lancet pending approve 4x2m --edit
      Change the text in $VISUAL or $EDITOR first.

  LANCET_TOKEN=$(cat ~/.local/state/lancet/person-token) lancet pending approve 4x2m
      Without a question, for programs of yours.";

pub(super) const REJECT: &str = "\
Examples:
  lancet pending reject 4x2m
  lancet pending reject 4x2m 'Use the helper in src/paths.rs.'
      With words that the model reads.";
