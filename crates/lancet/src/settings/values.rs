//! The kinds of value that settings take, each with the word that stands for it in the file.

macro_rules! choice {
    ($(#[$about:meta])* $name:ident { $($(#[$variant_about:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $name { $($(#[$variant_about])* $variant),+ }

        impl $name {
            /// The words that may stand in the file.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The value that a word stands for.
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some($name::$variant),)+
                    _ => None,
                }
            }

            /// The word that stands for it.
            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }
        }
    };
}

choice! {
    /// What happens to writes that nothing else decides.
    #[derive(Default)]
    Mode {
        /// Every write asks.
        #[default]
        Ask = "ask",
        /// Writes inside the roots go through.
        AcceptEdits = "accept-edits",
        /// No write.
        Plan = "plan",
        /// Asks nothing but what may not be bypassed.
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
        /// Those that are offered where nothing is chosen, a host's own among them.
        Default = "default",
        /// Every one.
        All = "all",
        /// As in Claude Code: the default ones less MultiEdit.
        Claude = "claude",
        /// As in Codex: patches beside the reading tools.
        Codex = "codex",
        /// The one tool for viewing and editing that Claude models are trained on, and the searches.
        TextEditor = "text-editor",
    }
}

choice! {
    /// How old text is found.
    Matching {
        /// By every rung of the ladder.
        Tolerant = "tolerant",
        /// By the first rung alone.
        Exact = "exact",
    }
}

choice! {
    /// What happens to an edit of a file that has changed since it was read.
    Stale {
        /// It is refused, with the diff.
        Refuse = "refuse",
        /// It is applied where the lines it touches have not changed.
        Merge = "merge",
    }
}

choice! {
    /// What happens to a file that has several hard links.
    Links {
        /// They all stay, and all see the change.
        Keep = "keep",
        /// The name that was written becomes a file of its own.
        Break = "break",
    }
}

choice! {
    /// How Read sets a line's number off from its text.
    Gutter {
        /// `12→text`
        Arrow = "arrow",
        /// The number and a tab.
        Tab = "tab",
        /// The number six wide, then an arrow.
        Aligned = "aligned",
        /// No number.
        None = "none",
    }
}

choice! {
    /// The line endings of an existing file that Write replaces.
    LineEndings {
        /// Those it had, where it had one kind.
        Keep = "keep",
        /// Those that were sent.
        AsSent = "as-sent",
    }
}

choice! {
    /// How a file is written.
    Strategy {
        /// A new file takes its name; in place only where that cannot be.
        Auto = "auto",
        /// The file itself is rewritten.
        InPlace = "in_place",
    }
}

choice! {
    /// What happens to a file that can only be rewritten without keeping other writers away.
    Weak {
        /// It is written, and the answer says so.
        Allow = "allow",
        /// It is not.
        Refuse = "refuse",
    }
}

choice! {
    /// What is flushed to the disk before the answer.
    Durability {
        /// The file and its folder.
        Full = "full",
        /// The file alone.
        Ordered = "ordered",
    }
}
