//! The table of all settings keys. The parser, the help text and `doctor` are driven by it and know no other keys.

use super::values::{Durability, Gutter, LineEndings, Links, Matching, Mode, Stale, Weak};

/// The form of a key's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number, both bounds included.
    Number { least: u64, most: u64 },
    /// true or false.
    Switch,
    /// Names of tools: a list, or one string with commas as on the command line.
    Tools,
    /// A table from file pattern to encoding.
    Encodings,
    /// A table from file pattern to write strategy.
    Strategies,
    /// A table from short text to long text.
    Abbreviations,
    /// A table from a client's name to a number of bytes, both bounds included.
    Clients { least: u64, most: u64 },
    /// A list of permission rules.
    Rules,
    /// A list of parts of protected folders.
    Scopes,
    /// A list of file patterns.
    Guards,
    /// A list of folders, absolute or below `~`.
    Folders,
    /// A key of another version of lancet. It is refused, because ignoring a rule silently would be dangerous.
    Later,
}

/// What the settings file of an untrusted project may do with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Project {
    /// It may set the key, which does no harm.
    Sets,
    /// It may set the key to this word only, which is stricter.
    SetsOnly(&'static str),
    /// It may not set the key until the user trusts the project.
    Ignored,
    /// It may never set the key: only the user's own settings may.
    UserOnly,
}

/// One key of the settings.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) form: Form,
    /// The default as it would be written; a phrase where it depends on something.
    pub(super) default: &'static str,
    pub(super) project: Project,
    pub(super) about: &'static str,
}

const fn key(
    name: &'static str,
    form: Form,
    default: &'static str,
    project: Project,
    about: &'static str,
) -> Key {
    Key {
        name,
        form,
        default,
        project,
        about,
    }
}

const fn later(name: &'static str) -> Key {
    Key {
        name,
        form: Form::Later,
        default: "",
        project: Project::Ignored,
        about: "",
    }
}

/// Every key, in the order of the documentation.
pub(super) const KEYS: &[Key] = &[
    key(
        "mode",
        Form::Choice(Mode::WORDS),
        "accept-edits for agents; the command line asks",
        Project::Ignored,
        "What happens to writes that no rule decides: ask asks about each, accept-edits lets those inside the roots through, plan allows none, bypass asks nothing but protected names and secret files.",
    ),
    key(
        "match",
        Form::Choice(Matching::WORDS),
        "\"tolerant\"",
        Project::SetsOnly("exact"),
        "How old text is found: tolerant also forgives the listed slips where one place only is left, exact forgives none.",
    ),
    key(
        "stale",
        Form::Choice(Stale::WORDS),
        "\"refuse\"",
        Project::SetsOnly("refuse"),
        "An edit of a file that changed since it was read: refuse it with the diff, or merge it where its lines are unchanged.",
    ),
    key(
        "links",
        Form::Choice(Links::WORDS),
        "keep, but break inside package stores",
        Project::Ignored,
        "A file with several hard links: keep them all, or break off the one that is written.",
    ),
    key(
        "tools",
        Form::Tools,
        "\"default\"",
        Project::Ignored,
        "The tools that are offered: names and presets (default, all, claude, codex, text-editor), one after the other; a minus before one takes it away. A list, or one text with commas.",
    ),
    key(
        "read_roots",
        Form::Folders,
        "none",
        Project::UserOnly,
        "Folders outside the roots that may be read and searched and are never written; as --read-root.",
    ),
    key(
        "permissions.allow",
        Form::Rules,
        "none",
        Project::Ignored,
        "Writes that need no question, for instance Edit(src/**): gitignore patterns, /x from each root, //x absolute, ~/x. Read(x) lifts the built-in denial of a secret file.",
    ),
    key(
        "permissions.ask",
        Form::Rules,
        "none",
        Project::Sets,
        "Writes that are asked about, whatever allow and the mode say (mode bypass passes them over).",
    ),
    key(
        "permissions.deny",
        Form::Rules,
        "none",
        Project::Sets,
        "What is refused, whatever else is said: Edit(x) for every writing tool, Read(x) for every tool that shows text or names.",
    ),
    key(
        "protected.open",
        Form::Scopes,
        "none",
        Project::UserOnly,
        "Parts of protected folders that are written like others, for instance .claude/skills/NAME/**. Never version control, shells' start-up files and permission settings.",
    ),
    key(
        "secrets.guard",
        Form::Guards,
        "AGENTS.md, CLAUDE.md, GEMINI.md, MEMORY.md, .claude/**/*.md",
        Project::Ignored,
        "Further files that no credential is written into.",
    ),
    key(
        "read.gutter",
        Form::Choice(Gutter::WORDS),
        "\"arrow\"",
        Project::Sets,
        "How Read numbers lines: arrow (12→text), tab, aligned (six wide), none.",
    ),
    key(
        "read.max_lines",
        Form::Number {
            least: 1,
            most: 1_000_000,
        },
        "2000",
        Project::Sets,
        "Lines of one answer of Read.",
    ),
    key(
        "read.max_line_chars",
        Form::Number {
            least: 1,
            most: 10_000_000,
        },
        "2000",
        Project::Sets,
        "Characters of one line that Read shows; the rest is told by number.",
    ),
    key(
        "read.max_chars",
        Form::Number {
            least: 1_000,
            most: 100_000_000,
        },
        "32000 over MCP, 100000 in the library",
        Project::Sets,
        "Characters of one answer of Read.",
    ),
    key(
        "read.dedupe",
        Form::Switch,
        "true",
        Project::Sets,
        "Whether the same range of an unchanged file, asked again, is answered once in one line.",
    ),
    key(
        "read.clients",
        Form::Clients {
            least: 1_000,
            most: 100_000_000,
        },
        "the built-in table",
        Project::Ignored,
        "Bytes of one answer that an MCP client hands on to its model, by the name it gives itself; a name may end in *. Longer answers are cut by such clients, and what is cut counts as not read. Over the built-in table (docs/sessions.md); read.max_chars holds as well.",
    ),
    key(
        "write.line_endings",
        Form::Choice(LineEndings::WORDS),
        "\"keep\"",
        Project::Sets,
        "Write over an existing file: keep its line endings where they are all alike, or write them as sent.",
    ),
    key(
        "write.weak",
        Form::Choice(Weak::WORDS),
        "\"allow\"",
        Project::Ignored,
        "A file that can only be rewritten in place without keeping other writers away (someone else's file): write it and say so, or refuse.",
    ),
    key(
        "write.durability",
        Form::Choice(Durability::WORDS),
        "\"full\"",
        Project::Ignored,
        "What is flushed to the disk before the answer: full, the file and its folder; ordered, the file alone, so that a power cut may bring the old file back, whole.",
    ),
    key(
        "write.git_diff",
        Form::Switch,
        "false",
        Project::Ignored,
        "Whether the data of every change has the file's difference to git's HEAD. Read from git's folder: no program runs, and nothing of git changes.",
    ),
    key(
        "write.strategy",
        Form::Strategies,
        "\"auto\" for every file",
        Project::Ignored,
        "How files are written, by pattern as in [encoding]: auto puts a new file under the name, in_place rewrites the file itself, for programs that watch or hold it.",
    ),
    key(
        "encoding",
        Form::Encodings,
        "found by looking at each file",
        Project::Sets,
        "The encoding of files by pattern, relative to the root; a pattern without a slash matches at any depth, the last match wins.",
    ),
    key(
        "abbreviations",
        Form::Abbreviations,
        "the built-in table",
        Project::Ignored,
        "Further texts that a model's host writes short, each with its long form.",
    ),
    key(
        "history.max_size",
        Form::Number {
            least: 1 << 20,
            most: 1 << 50,
        },
        "1073741824",
        Project::Ignored,
        "Bytes that the history of changes may take; beyond them the oldest go, but never the newest of a file.",
    ),
    key(
        "history.max_age",
        Form::Number {
            least: 1,
            most: 36_500,
        },
        "30",
        Project::Ignored,
        "Days that a change can be taken back; the newest of each file is kept longer.",
    ),
    key(
        "history.required",
        Form::Switch,
        "true",
        Project::Ignored,
        "Whether a change is refused that cannot be kept in the history, and so could not be taken back.",
    ),
    key(
        "search.time_budget",
        Form::Number {
            least: 100,
            most: 50_000,
        },
        "10000",
        Project::Ignored,
        "Milliseconds after which Glob and Grep answer with what they have found so far, and say so.",
    ),
    key(
        "search.seen_lines",
        Form::Switch,
        "true",
        Project::Ignored,
        "Whether lines that Grep shows whole count as read, so that an Edit inside them needs no Read.",
    ),
    later("read.pdf"),
    later("read.images"),
    later("search.index"),
    later("search.memory"),
    later("language"),
    later("hooks"),
];

/// The keys that a file of this version may contain.
pub(super) fn served() -> impl Iterator<Item = &'static Key> {
    KEYS.iter().filter(|key| key.form != Form::Later)
}
