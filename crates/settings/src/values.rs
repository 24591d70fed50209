//! The enums of the settings' values, each variant with its word in the file.

use lancet_formats::picture::VisionBudget;

macro_rules! choice {
    ($(#[$about:meta])* $name:ident { $($(#[$variant_about:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $name { $($(#[$variant_about])* $variant),+ }

        impl $name {
            /// The words that the file may contain.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// Finds the value for a word.
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some($name::$variant),)+
                    _ => None,
                }
            }

            /// Returns the word for the value.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }
        }
    };
}

choice! {
    /// What happens to writes that no rule decides.
    #[derive(Default)]
    Mode {
        /// Every write requires a person's approval.
        #[default]
        Ask = "ask",
        /// Writes inside the roots are allowed.
        AcceptEdits = "accept-edits",
        /// No write is allowed.
        Plan = "plan",
        /// No approval is required, except where it may not be bypassed.
        Bypass = "bypass",
    }
}

impl From<Mode> for lancet_policy::Mode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Ask => Self::Ask,
            Mode::AcceptEdits => Self::AcceptEdits,
            Mode::Plan => Self::Plan,
            Mode::Bypass => Self::Bypass,
        }
    }
}

choice! {
    /// A set of tools under one name, for `tools`.
    ToolPreset {
        /// The tools that are offered if nothing is selected, including those of a host.
        Default = "default",
        /// Every one.
        All = "all",
        /// As in Claude Code: the default ones less MultiEdit.
        Claude = "claude",
        /// As in Codex: patches in addition to the reading tools.
        Codex = "codex",
        /// The one tool for viewing and editing that Claude models are trained on, and the searches.
        TextEditor = "text-editor",
    }
}

choice! {
    /// The rungs of the matching ladder that are used to find old text.
    Matching {
        /// All rungs.
        Tolerant = "tolerant",
        /// Only the first rung, `exact`.
        Exact = "exact",
    }
}

choice! {
    /// What happens to an edit of a file that has changed since it was read.
    Stale {
        /// The edit is refused, with the diff of the change.
        Refuse = "refuse",
        /// The edit is applied if the lines that it touches have not changed.
        Merge = "merge",
    }
}

choice! {
    /// What happens to a file that has several hard links.
    Links {
        /// All links stay, and all show the change.
        Keep = "keep",
        /// The name that was written becomes a separate file.
        Break = "break",
    }
}

choice! {
    /// How Read sets a line's number off from its text.
    Gutter {
        /// The number and an arrow: `12→text`.
        Arrow = "arrow",
        /// The number and a tab.
        Tab = "tab",
        /// The number in six columns, then an arrow.
        Aligned = "aligned",
        /// No line number.
        None = "none",
        /// The number, an anchor of the line's text and an arrow: `12:abc→text`.
        Hash = "hash",
    }
}

choice! {
    /// The models that pictures are scaled for.
    Images {
        /// What every model with vision sees without shrinking it.
        Default = "default",
        /// The newer models of Claude.
        ClaudeLarge = "claude-large",
        /// The models of OpenAI.
        OpenAi = "openai",
        /// The models of Gemini.
        Gemini = "gemini",
        /// No pictures, for models without vision.
        Off = "off",
    }
}

impl Images {
    /// Returns the limits for a picture; none if no picture is sent.
    #[doc(hidden)]
    pub fn vision_budget(self) -> Option<VisionBudget> {
        match self {
            Self::Default => Some(VisionBudget::DEFAULT),
            Self::ClaudeLarge => Some(VisionBudget::CLAUDE_LARGE),
            Self::OpenAi => Some(VisionBudget::OPENAI),
            Self::Gemini => Some(VisionBudget::GEMINI),
            Self::Off => None,
        }
    }
}

choice! {
    /// The places where approval of an agent's write is requested.
    Asker {
        /// The user of the agent, in the agent's own dialog.
        Elicit = "elicit",
        /// Any viewer of recorded questions: `lancet pending`, `lancet watch`, the page, an editor.
        Page = "page",
        /// The person at the terminal that lancet was started from.
        Terminal = "terminal",
    }
}

choice! {
    /// The form in which the pages of a PDF are shown.
    PdfForm {
        /// As text if the text of a page is usable and there is no large picture on it, otherwise as a picture with its
        /// text; a page that is requested alone always as both.
        Auto = "auto",
        /// As text alone.
        Text = "text",
        /// As pictures alone.
        Pictures = "pictures",
    }
}

choice! {
    /// The line endings of an existing file that Write replaces.
    LineEndings {
        /// The line endings that the file had, if it had only one kind.
        Keep = "keep",
        /// The line endings as sent.
        AsSent = "as-sent",
    }
}

choice! {
    /// The strategy by which a file is written.
    Strategy {
        /// A new file replaces the old one under its name; the file is rewritten in place only if that is impossible.
        Auto = "auto",
        /// The file is always rewritten in place.
        InPlace = "in_place",
    }
}

choice! {
    /// What happens to a file that can only be rewritten without keeping other writers away.
    Weak {
        /// The file is written, and the answer says so; where other machines may write it, the write is refused.
        Auto = "auto",
        /// The file is written everywhere, and the answer says so.
        Allow = "allow",
        /// The write is refused.
        Refuse = "refuse",
    }
}

choice! {
    /// What is flushed to the disk before the answer.
    Durability {
        /// The file and its folder are flushed.
        Full = "full",
        /// Only the file is flushed.
        Ordered = "ordered",
    }
}

choice! {
    /// Whether searches may be answered from an index in memory.
    IndexUse {
        /// An index is built from the second search of a large tree.
        Auto = "auto",
        /// There is none.
        Off = "off",
    }
}

choice! {
    /// Whether the index in memory also keeps the text of files.
    ContentsUse {
        /// As far as memory goes, with an eighth of it left to other servers.
        Auto = "auto",
        /// As far as memory goes.
        On = "on",
        /// Not at all.
        Off = "off",
    }
}

choice! {
    /// When the problems that a change caused are reported.
    Diagnostics {
        /// In the answer to the change.
        AfterEdit = "after-edit",
        /// With the next reading call.
        OnRead = "on-read",
        /// Never.
        Off = "off",
    }
}

choice! {
    /// How severe a problem is.
    Severity {
        /// The file cannot be built or run.
        Error = "error",
        /// It can, and something is probably wrong.
        Warning = "warning",
        /// A remark.
        Information = "information",
        /// A suggestion.
        Hint = "hint",
    }
}

choice! {
    /// How `lancet commit` names the agents that wrote the committed lines.
    CommitTrailer {
        /// A trailer `Assisted-by` for each agent.
        AssistedBy = "Assisted-by",
        /// A trailer `Co-authored-by` for each agent, with an address.
        CoAuthoredBy = "Co-authored-by",
        /// No trailer.
        None = "none",
    }
}
