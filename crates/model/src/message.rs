//! The text of an answer before it is rendered for its reader. Its parts are lancet's own text, terms that differ
//! between models and people, paths, and text of files, each with its own type. Rendered text is never edited, so a
//! path and a file's text arrive unchanged.

use std::borrow::Cow;
use std::fmt::Display;

use lancet_text::{Clause, ClausePart};

use crate::audience::Audience;
use crate::wording::{QuotedPath, truncate};

/// A term with one wording for a model and another for a person at the shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// For a model, which calls tools.
    pub tools: &'static str,
    /// For a person, who types commands.
    pub shell: &'static str,
}

/// Makes a term from its wording for models and its wording at the shell.
pub const fn tool_and_shell_term(tools: &'static str, shell: &'static str) -> Term {
    Term { tools, shell }
}

/// The text that an edit replaces.
pub const OLD_TEXT: Term = tool_and_shell_term("old_string", "--old");
/// The replacement text of an edit.
pub const NEW_TEXT: Term = tool_and_shell_term("new_string", "--new");
/// The verb before a call or a command.
pub const CALL_VERB: Term = tool_and_shell_term("Call", "Run");
/// The next step if the same call will succeed.
pub const SEND_AGAIN: Term = tool_and_shell_term("send the call again", "try again");
/// The next step if the same call will succeed after another one.
pub const SEND_THIS_AGAIN: Term = tool_and_shell_term("send this call again", "try again");
/// One entry of the history.
pub const OPERATION: Term = tool_and_shell_term("operation", "change");
/// The same at the beginning of a sentence.
pub const OPERATION_CAPITALIZED: Term = tool_and_shell_term("Operation", "Change");

/// The next step where a rule denies a file.
pub const DENIED_FILE_ADVICE: Term = tool_and_shell_term(
    "Work without this file, or ask the user.",
    "`lancet explain` says which rule.",
);
/// The next step where nothing is written in plan mode.
pub const PLAN_MODE_ADVICE: Term = tool_and_shell_term(
    "Say what you would change instead.",
    "Use --diff to see what would change, or --mode ask.",
);

/// Text of a file or of the caller, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileText(pub String);

/// A text that the reader is to send or to compare, on lines of its own below a sentence. A model gets it byte for byte
/// and a line that marks its end, because clients trim the end of an answer. A person gets its lines indented.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextBlock {
    /// The field, or the lines, that the text is the value of.
    pub name: Message,
    /// The text.
    pub text: String,
}

/// Text that is the same for every reader: numbers with their nouns, commands that are already rendered, names of
/// rules, messages of the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verbatim(String);

/// Uses a text unchanged.
pub fn verbatim(words: impl Display) -> Verbatim {
    Verbatim(words.to_string())
}

/// A text made of typed parts. A `String` cannot be added directly: text is a literal of the program, or has a type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// Text of the program, the same for every reader.
    Prose(Cow<'static, str>),
    /// Text of the program, by reader.
    Term(Term),
    /// A part that only a model gets.
    ForTools(Message),
    /// A path, named as its reader types it.
    Path(QuotedPath),
    /// Text that is never changed.
    Exact(String),
    /// A text on its own lines.
    Block(TextBlock),
    /// The first characters of a message.
    Cut(Message, usize),
}

/// Makes a part that only a model gets.
pub fn for_tools(message: Message) -> Message {
    Message {
        parts: vec![Part::ForTools(message)],
    }
}

/// A value that can be a part of a message.
pub trait Say {
    /// Adds itself at the end of a message.
    fn add_to(self, message: &mut Message);
}

impl Message {
    /// Adds a part at the end.
    pub fn push(&mut self, part: impl Say) {
        part.add_to(self);
    }

    /// Adds a piece of a template.
    #[doc(hidden)]
    pub fn push_prose(&mut self, prose: Option<&'static str>) {
        if let Some(prose) = prose.filter(|prose| !prose.is_empty()) {
            self.push(prose);
        }
    }

    /// Returns whether it has no part.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Joins parts with a separator.
    pub fn joined<S: Say>(parts: impl IntoIterator<Item = S>, between: &'static str) -> Self {
        let mut message = Message::default();
        for part in parts {
            if !message.is_empty() {
                message.push(between);
            }
            message.push(part);
        }
        message
    }

    /// Bounds the message to its first `most` characters; the text says how much is missing.
    pub fn truncate(self, most: usize) -> Self {
        Message {
            parts: vec![Part::Cut(self, most)],
        }
    }

    /// Inserts text before the full stop at the end of the program's own text.
    pub fn insert_before_full_stop(mut self, added: &'static str) -> Self {
        if let Some(Part::Prose(last)) = self.parts.last_mut()
            && let Some(sentence) = last.strip_suffix('.')
        {
            *last = Cow::Owned(format!("{sentence}{added}."));
        }
        self
    }

    /// Returns what precedes this text of the program; the whole message if it is not among the parts.
    pub fn text_before(&self, words: &str) -> Self {
        let mut message = Message::default();
        for part in &self.parts {
            if let Part::Prose(prose) = part
                && let Some((rest, _)) = prose.split_once(words)
            {
                message.parts.push(Part::Prose(Cow::Owned(rest.to_owned())));
                break;
            }
            message.parts.push(part.clone());
        }
        message
    }

    /// Writes the text for its reader.
    pub fn render(&self, audience: &Audience) -> String {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Prose(words) => text.push_str(words),
                Part::Exact(words) => text.push_str(words),
                Part::Block(block) => text.push_str(&block.render(audience)),
                Part::Term(term) => text.push_str(audience.term(*term)),
                Part::ForTools(_) if audience.is_person() => {}
                Part::ForTools(message) => text.push_str(&message.render(audience)),
                Part::Path(path) => text.push_str(&audience.path_name(path)),
                Part::Cut(whole, most) => text.push_str(&truncate(&whole.render(audience), *most)),
            }
        }
        text
    }
}

impl Say for &'static str {
    fn add_to(self, message: &mut Message) {
        message.parts.push(Part::Prose(Cow::Borrowed(self)));
    }
}

impl Say for Term {
    fn add_to(self, message: &mut Message) {
        message.parts.push(Part::Term(self));
    }
}

impl Say for QuotedPath {
    fn add_to(self, message: &mut Message) {
        message.parts.push(Part::Path(self));
    }
}

impl Say for &QuotedPath {
    fn add_to(self, message: &mut Message) {
        message.parts.push(Part::Path(self.clone()));
    }
}

impl Say for FileText {
    fn add_to(self, message: &mut Message) {
        message.parts.push(Part::Exact(self.0));
    }
}

impl TextBlock {
    fn render(&self, audience: &Audience) -> String {
        let lines = self.text.trim_end_matches('\n');
        let newlines = self.text.len() - lines.len();
        if audience.is_person() {
            let mut indented = indented(lines);
            match newlines {
                0 => {}
                1 => indented.push_str("\n(it ends in a newline)"),
                _ => indented.push_str(&format!("\n(it ends in {newlines} newlines)")),
            }
            return indented;
        }
        let name = self.name.render(audience);
        match newlines {
            0 => format!("{lines}\n(end of {name})"),
            1 => format!("{lines}\n(end of {name}, which ends in a newline)"),
            _ => format!(
                "{}(end of {name}, which ends in {newlines} newlines)",
                self.text
            ),
        }
    }
}

/// Indents every line that has text by four spaces.
fn indented(text: &str) -> String {
    let lines = text.split('\n').map(|line| match line.is_empty() {
        true => String::new(),
        false => format!("    {line}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

impl Say for TextBlock {
    fn add_to(self, message: &mut Message) {
        message.parts.push(Part::Block(self));
    }
}

impl Say for Verbatim {
    fn add_to(self, message: &mut Message) {
        message.parts.push(Part::Exact(self.0));
    }
}

impl Say for &Clause {
    fn add_to(self, message: &mut Message) {
        for part in self.parts() {
            message.parts.push(match part {
                ClausePart::Words(words) => Part::Exact(words.clone()),
                ClausePart::OldText => Part::Term(OLD_TEXT),
                ClausePart::NewText => Part::Term(NEW_TEXT),
            });
        }
    }
}

impl Say for Message {
    fn add_to(mut self, message: &mut Message) {
        message.parts.append(&mut self.parts);
    }
}

impl Say for &Message {
    fn add_to(self, message: &mut Message) {
        message.parts.extend_from_slice(&self.parts);
    }
}

impl<S: Say> Say for Option<S> {
    fn add_to(self, message: &mut Message) {
        if let Some(part) = self {
            part.add_to(message);
        }
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {
        $(impl Say for $number {
            fn add_to(self, message: &mut Message) {
                message.parts.push(Part::Prose(Cow::Owned(self.to_string())));
            }
        })*
    };
}

numbers!(usize, u64, u32, u8);

/// Counts the places for a part, `{}`, in a template.
#[doc(hidden)]
pub const fn count_places(template: &str) -> usize {
    let bytes = template.as_bytes();
    let (mut at, mut places) = (0, 0);
    while at + 1 < bytes.len() {
        if bytes[at] == b'{' && bytes[at + 1] == b'}' {
            places += 1;
        }
        at += 1;
    }
    places
}

/// Makes a [`Message`] from a template and the parts for its places: `message!("{} has {} lines.", path, lines)`. As
/// with `format!`, a wrong number of parts does not compile.
#[doc(hidden)]
#[macro_export]
macro_rules! __message {
    ($template:literal $(, $part:expr)* $(,)?) => {{
        const PARTS: usize = 0 $(+ { _ = stringify!($part); 1 })*;
        const { assert!($crate::message::count_places($template) == PARTS, "a message has one part for each pair of braces") };
        let mut message = $crate::message::Message::default();
        let mut prose = $template.split("{}");
        message.push_prose(prose.next());
        $(
            message.push($part);
            message.push_prose(prose.next());
        )*
        message
    }};
}

#[doc(inline)]
pub use crate::__message as message;
