//! Determines whether text in a Markdown file is code: between fences, or between back quotes on a line.

use super::text_lines::line_prefix;

/// The code fence that is open at some line, as its character and length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FenceState {
    open: Option<(char, usize)>,
}

/// A fence consists of at least this many back quotes or tildes.
const MIN_FENCE_LENGTH: usize = 3;

impl FenceState {
    /// Returns the state at the end of the text.
    pub(super) fn state_after(text: &str) -> FenceState {
        let mut fence = FenceState::default();
        for line in text.split('\n') {
            fence.pass_line(line);
        }
        fence
    }

    /// Moves past one line.
    pub(super) fn pass_line(&mut self, line: &str) {
        let line = line.trim_start();
        let Some(sign) = line.chars().next().filter(|sign| "`~".contains(*sign)) else {
            return;
        };
        let rest = line.trim_start_matches(sign);
        let signs = line.len() - rest.len();
        match self.open {
            None if signs >= MIN_FENCE_LENGTH => self.open = Some((sign, signs)),
            Some((open, least)) if open == sign && signs >= least && rest.trim().is_empty() => {
                self.open = None;
            }
            _ => {}
        }
    }

    pub(super) fn is_open(self) -> bool {
        self.open.is_some()
    }
}

/// The new lines, at a place of a view, that are code.
#[derive(Debug)]
pub(super) struct CodeLines {
    fenced: Vec<bool>,
    /// The number of back quotes before the place on its line.
    ticks: usize,
}

impl CodeLines {
    /// Analyses the new lines as they will be at an offset of the view.
    pub(super) fn scan(view: &str, at: usize, new: &[&str]) -> CodeLines {
        let lead = line_prefix(view, at);
        let mut fence = FenceState::state_after(&view[..at - lead.len()]);
        let lines = new.iter().enumerate().map(|(number, line)| {
            let is_open = fence.is_open();
            match number {
                0 => fence.pass_line(&[lead, line].concat()),
                _ => fence.pass_line(line),
            }
            is_open
        });
        CodeLines {
            fenced: lines.collect(),
            ticks: lead.matches('`').count(),
        }
    }

    /// Returns whether the line is between fences, or the text after this many back quotes on it is between two of
    /// them.
    pub(super) fn is_code(&self, line: usize, ticks: usize) -> bool {
        let before = if line == 0 { self.ticks } else { 0 };
        let fenced = self.fenced.get(line).copied().unwrap_or_default();
        fenced || (before + ticks) % 2 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fence_closes_with_same_sign_and_length() {
        assert!(!FenceState::state_after("a\n").is_open());
        assert!(FenceState::state_after("a\n```py\nb\n").is_open());
        assert!(!FenceState::state_after("```\nb\n```\n").is_open());
        assert!(FenceState::state_after("````\n```\n").is_open());
        assert!(FenceState::state_after("~~~\n```\n").is_open());
        assert!(FenceState::state_after("```\n```x\n").is_open());
        assert!(!FenceState::state_after("`a`\n``b``\n").is_open());
    }
}
