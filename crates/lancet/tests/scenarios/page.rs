//! A page of scenarios: its sections, the fenced blocks in them, and the page written again with other answers. Pages
//! of calls are played by the library's tests, those of commands by the program's.

use std::collections::BTreeMap;
use std::fmt;

/// A page, split so that it can be put together again byte for byte.
pub(crate) struct Page<'t> {
    text: &'t str,
    pub(crate) sections: Vec<Section<'t>>,
}

/// The content under one `##` heading: one conversation.
pub(crate) struct Section<'t> {
    pub(crate) title: &'t str,
    pub(crate) blocks: Vec<Block<'t>>,
}

/// A fenced block.
pub(crate) struct Block<'t> {
    /// The line of the opening fence, from 1.
    pub(crate) line: usize,
    /// The words after the fence.
    pub(crate) words: Vec<&'t str>,
    /// The lines between the fences, each with its newline.
    pub(crate) body: &'t str,
    /// The range of the block in the page, fences included.
    range: std::ops::Range<usize>,
}

/// A fault in a page, and its line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) line: usize,
    pub(crate) words: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.line, self.words)
    }
}

/// An actual answer: `answer` or `refused …`, and the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) words: String,
    pub(crate) text: String,
}

impl<'t> Page<'t> {
    pub(crate) fn parse(text: &'t str) -> Result<Page<'t>, Wrong> {
        let mut sections: Vec<Section<'t>> = Vec::new();
        let mut open: Option<(usize, usize, usize, &'t str)> = None;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let bare = line.trim_end_matches('\n');
            let ticks = bare.len() - bare.trim_start_matches('`').len();
            match open {
                Some((start, body, fence, words)) if ticks >= fence && bare.len() == ticks => {
                    let block = Block {
                        line: text[..start].matches('\n').count() + 1,
                        words: words.split_whitespace().collect(),
                        body: &text[body..at],
                        range: start..at + line.len(),
                    };
                    if let Some(section) = sections.last_mut() {
                        section.blocks.push(block);
                    }
                    open = None;
                }
                Some(_) => {}
                None if ticks >= 3 => open = Some((at, at + line.len(), ticks, &bare[ticks..])),
                None => {
                    if let Some(title) = bare.strip_prefix("## ") {
                        sections.push(Section {
                            title,
                            blocks: Vec::new(),
                        });
                    }
                }
            }
            at += line.len();
        }
        match open {
            Some((start, ..)) => Err(Wrong {
                line: text[..start].matches('\n').count() + 1,
                words: "this fence is never closed".to_owned(),
            }),
            None => Ok(Page { text, sections }),
        }
    }

    /// Returns the page with these answers, by the line of the call's block, each in place of the answer that followed
    /// the call or, where none did, after it.
    pub(crate) fn with_answers(&self, answers: &BTreeMap<usize, Answer>) -> String {
        let mut out = String::new();
        let mut copied = 0;
        for section in &self.sections {
            for (index, block) in section.blocks.iter().enumerate() {
                let Some(answer) = answers.get(&block.line) else {
                    continue;
                };
                out.push_str(&self.text[copied..block.range.end]);
                copied = block.range.end;
                match section.blocks.get(index + 1) {
                    Some(next) if next.is_answer() => {
                        out.push_str(&self.text[copied..next.range.start]);
                        out.push_str(&answer.fenced());
                        copied = next.range.end;
                    }
                    _ => out.push_str(&answer.fenced()),
                }
            }
        }
        out.push_str(&self.text[copied..]);
        out
    }
}

impl Block<'_> {
    pub(crate) fn kind(&self) -> &str {
        self.words.first().copied().unwrap_or_default()
    }

    pub(crate) fn is_answer(&self) -> bool {
        matches!(self.kind(), "answer" | "refused" | "exit")
    }

    pub(crate) fn wrong(&self, words: impl Into<String>) -> Wrong {
        Wrong {
            line: self.line,
            words: words.into(),
        }
    }

    /// Returns whether this block expects that answer. A line `[…]` matches any lines.
    pub(crate) fn expects(&self, answer: &Answer) -> bool {
        self.words.join(" ") == answer.words
            && fits(
                &self.body.lines().collect::<Vec<_>>(),
                &answer.text.lines().collect::<Vec<_>>(),
            )
    }
}

fn fits(wanted: &[&str], got: &[&str]) -> bool {
    match (wanted.split_first(), got.split_first()) {
        (None, None) => true,
        (Some((&"[…]", rest)), _) => (0..=got.len()).any(|skipped| fits(rest, &got[skipped..])),
        (Some((first, rest)), Some((line, lines))) => first == line && fits(rest, lines),
        _ => false,
    }
}

impl Answer {
    fn fenced(&self) -> String {
        let longest = self
            .text
            .lines()
            .map(|line| line.len() - line.trim_start_matches('`').len())
            .max()
            .unwrap_or(0);
        let fence = "`".repeat((longest + 1).max(3));
        let end = if self.text.is_empty() || self.text.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        format!("{fence}{}\n{}{end}{fence}\n", self.words, self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# T\n\n## One\nWords.\n```file a.txt\nx\n```\n```call Read\nfile_path: a.txt\n```\nand\n```answer\nold\n```\nend\n";

    #[test]
    fn a_page_is_split_and_put_together() {
        let page = Page::parse(PAGE).expect("a page");
        assert_eq!(page.sections.len(), 1);
        let kinds: Vec<_> = page.sections[0].blocks.iter().map(Block::kind).collect();
        assert_eq!(kinds, ["file", "call", "answer"]);
        assert_eq!(page.sections[0].blocks[0].body, "x\n");
        assert_eq!(page.with_answers(&BTreeMap::new()), PAGE);
        let answer = Answer {
            words: "refused 8 not_found".to_owned(),
            text: "a\n```\nb".to_owned(),
        };
        let blessed = page.with_answers(&BTreeMap::from([(8, answer)]));
        assert_eq!(
            blessed,
            PAGE.replace(
                "```answer\nold\n```",
                "````refused 8 not_found\na\n```\nb\n````"
            )
        );
    }

    #[test]
    fn left_out_lines_fit_any() {
        assert!(fits(&["a", "[…]", "z"], &["a", "b", "c", "z"]));
        assert!(fits(&["a", "[…]"], &["a"]));
        assert!(!fits(&["a", "[…]", "z"], &["a", "b"]));
        assert!(!fits(&["a"], &["a", "b"]));
    }

    #[test]
    fn an_open_fence_is_told() {
        let wrong = Page::parse("## A\n```file a\nx\n").err().expect("wrong");
        assert_eq!(wrong.line, 2);
    }
}
