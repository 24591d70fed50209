//! The rows of the table: every key but those of `[checkpoint]`, `[search]`, `[language]` and of programs, with its form, default,
//! field and help text, in the order of the documentation.

use super::{Key, ProjectPermission, Unit, ValueForm, key};
use crate::values::{
    CommitTrailer, Durability, Gutter, Images, LineEndings, Links, Matching, Mode, PdfForm, Stale,
    Weak,
};

/// Every key but those of the other files, in the order of the documentation.
pub(super) const KEYS: &[Key] = &[
    key(
        "mode",
        ValueForm::Choice(Mode::WORDS),
        "accept-edits",
        ProjectPermission::StricterMode,
        "What happens to agents' writes that no rule decides: ask asks about each, accept-edits lets those inside the roots through, plan allows none, bypass asks nothing but protected names and secret files. Commands at the shell ask whatever it says (shell.confirm), and plan holds for them, too.",
    )
    .choice(
        |settings, word| settings.mode = Mode::from_word(word).or(settings.mode),
        |settings| settings.mode.map(Mode::as_str),
    ),
    key(
        "match",
        ValueForm::Choice(Matching::WORDS),
        "\"tolerant\"",
        ProjectPermission::SetsOnly("exact"),
        "How old text is found: tolerant also forgives the listed slips where one place only is left, exact forgives none.",
    )
    .choice(
        |settings, word| settings.matching = Matching::from_word(word).unwrap_or(settings.matching),
        |settings| Some(settings.matching.as_str()),
    ),
    key(
        "stale",
        ValueForm::Choice(Stale::WORDS),
        "\"refuse\"",
        ProjectPermission::SetsOnly("refuse"),
        "An edit of a file that changed since it was read: refuse it with the diff, or merge it where its lines are unchanged.",
    )
    .choice(
        |settings, word| settings.stale = Stale::from_word(word).unwrap_or(settings.stale),
        |settings| Some(settings.stale.as_str()),
    ),
    key(
        "links",
        ValueForm::Choice(Links::WORDS),
        "keep, but break inside package stores",
        ProjectPermission::Ignored,
        "A file with several hard links: keep them all, or break off the one that is written.",
    )
    .choice(
        |settings, word| settings.links = Links::from_word(word).or(settings.links),
        |settings| settings.links.map(Links::as_str),
    ),
    key(
        "tools",
        ValueForm::Tools,
        "\"default\"",
        ProjectPermission::Ignored,
        "The tools that are offered: names and presets (default, all, claude, codex, text-editor), one after the other; a minus before one takes it away. A list, or one text with commas.",
    ),
    key(
        "read_roots",
        ValueForm::Folders,
        "none",
        ProjectPermission::UserOnly,
        "Folders outside the roots that may be read and searched and are never written; as --read-root.",
    ),
    key(
        "permissions.allow",
        ValueForm::Rules,
        "none",
        ProjectPermission::Ignored,
        "Writes that need no question, for instance Edit(src/**): gitignore patterns, /x from each root, //x absolute, ~/x. Read(x) lifts the built-in denial of a secret file.",
    ),
    key(
        "permissions.ask",
        ValueForm::Rules,
        "none",
        ProjectPermission::Sets,
        "Writes that are asked about, whatever allow and the mode say (mode bypass passes them over).",
    ),
    key(
        "permissions.deny",
        ValueForm::Rules,
        "none",
        ProjectPermission::Sets,
        "What is refused, whatever else is said: Edit(x) for every writing tool, Read(x) for every tool that shows text or names.",
    ),
    key(
        "protected.open",
        ValueForm::Scopes,
        "none",
        ProjectPermission::UserOnly,
        "Parts of protected folders that are written like others, for instance .claude/skills/NAME/**. Never version control, shells' start-up files and permission settings.",
    ),
    key(
        "secrets.guard",
        ValueForm::Guards,
        "AGENTS.md, CLAUDE.md, GEMINI.md, MEMORY.md, .claude/**/*.md",
        ProjectPermission::Ignored,
        "Further files that no credential is written into.",
    ),
    key(
        "read.gutter",
        ValueForm::Choice(Gutter::WORDS),
        "\"arrow\"",
        ProjectPermission::Sets,
        "How Read numbers lines: arrow (12→text), tab, aligned (six wide), none, or hash: 12:abc→text with an anchor of the line, which line tools take in place of its text.",
    )
    .choice(
        |settings, word| settings.read.gutter = Gutter::from_word(word).unwrap_or(settings.read.gutter),
        |settings| Some(settings.read.gutter.as_str()),
    ),
    key(
        "read.images",
        ValueForm::Choice(Images::WORDS),
        "\"default\"",
        ProjectPermission::Sets,
        "The models that pictures are fitted for: default (1,568 px, 1,568 patches of 28 px), claude-large (1,996 px, 4,784 patches), openai (1,996 px, 1,536 patches of 32 px), gemini (1,536 px), or off: a picture is answered by its kind and size.",
    )
    .choice(
        |settings, word| settings.read.images = Images::from_word(word).unwrap_or(settings.read.images),
        |settings| Some(settings.read.images.as_str()),
    ),
    key(
        "read.pdf",
        ValueForm::Choice(PdfForm::WORDS),
        "\"auto\"",
        ProjectPermission::Sets,
        "How pages of a PDF are shown: auto (as text where the text of a page is usable and no large picture is on it, otherwise as a picture with its text; one page asked for alone as both), text, or pictures.",
    )
    .choice(
        |settings, word| settings.read.pdf = PdfForm::from_word(word).unwrap_or(settings.read.pdf),
        |settings| Some(settings.read.pdf.as_str()),
    ),
    key(
        "read.max_lines",
        ValueForm::Number {
            least: 1,
            most: 1_000_000,
        },
        "2000",
        ProjectPermission::Lowers,
        "Lines of one answer of Read.",
    )
    .number(
        |settings, number| settings.read.max_lines = to_usize(number),
        |settings| Some(settings.read.max_lines as u64),
    ),
    key(
        "read.max_line_chars",
        ValueForm::Number {
            least: 1,
            most: 10_000_000,
        },
        "2000",
        ProjectPermission::Lowers,
        "Characters of one line that Read shows; for the rest it gives the number.",
    )
    .number(
        |settings, number| settings.read.max_line_chars = to_usize(number),
        |settings| Some(settings.read.max_line_chars as u64),
    ),
    key(
        "read.max_chars",
        ValueForm::Number {
            least: 1_000,
            most: 100_000_000,
        },
        "32000 over MCP, 100000 in the library",
        ProjectPermission::Lowers,
        "Characters of one answer of Read.",
    )
    .number(
        |settings, number| settings.read.max_chars = Some(to_usize(number)),
        |settings| settings.read.max_chars.map(|most| most as u64),
    ),
    key(
        "read.dedupe",
        ValueForm::Switch,
        "true",
        ProjectPermission::Sets,
        "Whether the same range of an unchanged file, asked again, is answered once in one line.",
    )
    .switch(
        |settings, switch| settings.read.dedupe = switch,
        |settings| settings.read.dedupe,
    ),
    key(
        "read.converters",
        ValueForm::Converters,
        "none",
        ProjectPermission::Ignored,
        "Programs that give the text of files that lancet cannot show, by pattern as in [encoding]. A program gets the file on its standard input, or where an argument contains {path}, a copy of the file under its own name; it may write in a fresh temporary folder only, take 20 seconds, and give 16 MiB of text. It is a name found in PATH or an absolute path. An entry that is added or changed counts from the next start of lancet.",
    ),
    key(
        "read.clients",
        ValueForm::Clients {
            least: 1_000,
            most: 100_000_000,
        },
        "the built-in table",
        ProjectPermission::Ignored,
        "Bytes of one answer that an MCP client hands on to its model, by the name it gives itself; a name may end in *. Longer answers are cut by such clients, and what is cut counts as not read. Over the built-in table (`lancet help ledgers`); read.max_chars holds as well.",
    ),
    key(
        "write.line_endings",
        ValueForm::Choice(LineEndings::WORDS),
        "\"keep\"",
        ProjectPermission::Sets,
        "Write over an existing file: keep its line endings where they are all alike, or write them as sent.",
    )
    .choice(
        |settings, word| settings.write.line_endings = LineEndings::from_word(word).unwrap_or(settings.write.line_endings),
        |settings| Some(settings.write.line_endings.as_str()),
    ),
    key(
        "write.weak",
        ValueForm::Choice(Weak::WORDS),
        "\"auto\"",
        ProjectPermission::SetsOnly("refuse"),
        "A file that can only be rewritten in place without keeping every other writer away (someone else's file, hard links on a mount): `auto` writes it and says so, but refuses where other machines may write it; `allow` writes it everywhere; `refuse` nowhere.",
    )
    .choice(
        |settings, word| settings.write.weak = Weak::from_word(word).unwrap_or(settings.write.weak),
        |settings| Some(settings.write.weak.as_str()),
    ),
    key(
        "write.durability",
        ValueForm::Choice(Durability::WORDS),
        "\"full\"",
        ProjectPermission::SetsOnly("full"),
        "What is flushed to the disk before the answer: full, the file and its folder; ordered, the file alone, so that a power cut may bring the old file back, whole.",
    )
    .choice(
        |settings, word| settings.write.durability = Durability::from_word(word).unwrap_or(settings.write.durability),
        |settings| Some(settings.write.durability.as_str()),
    ),
    key(
        "write.git_diff",
        ValueForm::Switch,
        "false",
        ProjectPermission::Ignored,
        "Whether the data of every change has the file's difference to git's HEAD. Read from git's folder: no program runs, and nothing of git changes.",
    )
    .switch(
        |settings, switch| settings.write.git_diff = switch,
        |settings| settings.write.git_diff,
    ),
    key(
        "write.strategy",
        ValueForm::Strategies,
        "\"auto\" for every file",
        ProjectPermission::Ignored,
        "How files are written, by pattern as in [encoding]: auto puts a new file under the name, in_place rewrites the file itself, for programs that watch or hold it.",
    ),
    key(
        "encoding",
        ValueForm::Encodings,
        "found by looking at each file",
        ProjectPermission::Sets,
        "The encoding of files by pattern, relative to the root; a pattern without a slash matches at any depth, the last match wins.",
    ),
    key(
        "abbreviations",
        ValueForm::Abbreviations,
        "the built-in table",
        ProjectPermission::Ignored,
        "Further texts that a model's host writes short, each with its long form.",
    ),
    key(
        "history.max_size",
        ValueForm::Measured {
            least: 1 << 20,
            most: 1 << 50,
            unit: Unit::Bytes,
        },
        "1073741824",
        ProjectPermission::Ignored,
        "Bytes that the history of changes may take; beyond them the oldest go, but never the newest of a file.",
    )
    .number(
        |settings, number| settings.history.max_size = number,
        |settings| Some(settings.history.max_size),
    ),
    key(
        "history.max_age",
        ValueForm::Measured {
            least: 1,
            most: 36_500,
            unit: Unit::Days,
        },
        "30",
        ProjectPermission::Ignored,
        "Days that a change can be undone; the newest of each file is kept longer.",
    )
    .number(
        |settings, number| settings.history.max_age = number,
        |settings| Some(settings.history.max_age),
    ),
    key(
        "history.required",
        ValueForm::Switch,
        "true",
        ProjectPermission::SetsOnly("true"),
        "Whether a change is refused that cannot be saved to the history, and so could not be undone.",
    )
    .switch(
        |settings, switch| settings.history.required = switch,
        |settings| settings.history.required,
    ),
    key(
        "shell.confirm",
        ValueForm::Switch,
        "true",
        ProjectPermission::UserOnly,
        "Whether commands at the shell show their diff and ask before they write. With false only ask rules, protected names and secret files are asked about.",
    )
    .switch(
        |settings, switch| settings.shell.confirm = switch,
        |settings| settings.shell.confirm,
    ),
    key(
        "commit.trailer",
        ValueForm::Choice(CommitTrailer::WORDS),
        "\"Assisted-by\"",
        ProjectPermission::Sets,
        "How `lancet commit` names the agents that wrote the committed lines: in a trailer Assisted-by or Co-authored-by for each, or not at all (none).",
    )
    .choice(
        |settings, word| settings.commit.trailer = CommitTrailer::from_word(word).unwrap_or(settings.commit.trailer),
        |settings| Some(settings.commit.trailer.as_str()),
    ),
    key(
        "ask.by",
        ValueForm::Askers,
        "[\"elicit\", \"page\"]",
        ProjectPermission::Ignored,
        "Who is asked about an agent's write that needs a person's word: elicit asks in the agent's own dialog where the agent is known to show it to a person, page records the question for `lancet pending`, `lancet watch`, `lancet serve` or an editor, while one of them is open. terminal asks at the terminal that lancet was started from. Several are asked at once; the first decision counts.",
    ),
    key(
        "ask.patience",
        ValueForm::Measured {
            least: 0,
            most: 3_600,
            unit: Unit::Seconds,
        },
        "45",
        ProjectPermission::Ignored,
        "Seconds that a call waits for a person before it is answered with waiting; the same call sent again finds the decision. Many clients give a call up after 60.",
    )
    .number(
        |settings, number| settings.ask.patience = number,
        |settings| Some(settings.ask.patience),
    ),
    key(
        "ask.notify",
        ValueForm::Program,
        "none",
        ProjectPermission::Ignored,
        "A program that is run when something begins to wait, with one line of JSON on its standard input. It is a name found in PATH or an absolute path, may take 10 seconds, and counts from the next start of lancet.",
    ),
];

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
