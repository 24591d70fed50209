//! The branches of C's preprocessor: of `#if` and `#else` one is compiled, so only the brackets of the first one count.

use super::opened::{MAX_OPEN_BRACKETS, OpenBracket};

/// The open branches, each with the brackets that were open where it began.
#[derive(Default)]
pub(super) struct OpenBranches {
    /// The brackets before the branch and, if its first part has ended, those after that part.
    open: Vec<(Vec<OpenBracket>, Option<Vec<OpenBracket>>)>,
}

impl OpenBranches {
    /// Reads a directive at a place, and returns the place at which the text continues.
    pub(super) fn read_directive(
        &mut self,
        bytes: &[u8],
        at: usize,
        open: &mut Vec<OpenBracket>,
    ) -> usize {
        let rest = &bytes[at + 1..];
        let blank = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
        let start = at + 1 + blank.count();
        let word = bytes[start..]
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic());
        let end = start + word.count();
        match &bytes[start..end] {
            b"if" | b"ifdef" | b"ifndef" if self.open.len() < MAX_OPEN_BRACKETS => {
                self.open.push((open.clone(), None));
            }
            b"else" | b"elif" | b"elifdef" | b"elifndef" => {
                if let Some((before, first)) = self.open.last_mut() {
                    let after = std::mem::replace(open, before.clone());
                    first.get_or_insert(after);
                }
            }
            b"endif" => {
                if let Some((_, Some(first))) = self.open.pop() {
                    *open = first;
                }
            }
            // The text of these directives is arbitrary.
            b"error" | b"warning" | b"pragma" | b"include" => {
                let rest = &bytes[end..];
                let line = rest.iter().position(|byte| *byte == b'\n');
                return end + line.unwrap_or(rest.len());
            }
            _ => {}
        }
        end
    }
}
