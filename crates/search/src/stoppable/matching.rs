//! The interface through which ripgrep's searcher and printers use a matcher that can be stopped.

use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher};
use grep_regex::RegexCaptures;

use super::lazy_dfa::SearchGoal;
use super::{StoppableMatcher, Stopped};

/// Returns the length of the next step: whole lines of at most this many bytes in all, or one line that is longer.
fn whole_lines_length(text: &[u8], most: usize) -> usize {
    if text.len() <= most {
        return text.len();
    }
    memchr::memrchr(b'\n', &text[..most])
        .or_else(|| memchr::memchr(b'\n', text))
        .map_or(text.len(), |at| at + 1)
}

impl Matcher for StoppableMatcher<'_> {
    type Captures = RegexCaptures;
    type Error = Stopped;

    fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, Stopped> {
        self.search(haystack, at, SearchGoal::Match)
    }

    fn new_captures(&self) -> Result<RegexCaptures, Stopped> {
        let captures = self.capturing_matcher()?.new_captures();
        captures.map_err(|_| Stopped)
    }

    fn capture_count(&self) -> usize {
        self.capturing_matcher().map_or(0, Matcher::capture_count)
    }

    fn capture_index(&self, name: &str) -> Option<usize> {
        self.capturing_matcher().ok()?.capture_index(name)
    }

    /// Finds the groups of a match. The caller knows that there is a match here, so the text is short.
    fn captures_at(
        &self,
        haystack: &[u8],
        at: usize,
        captures: &mut RegexCaptures,
    ) -> Result<bool, Stopped> {
        let haystack = self.matched_part(haystack, at);
        if at > haystack.len() {
            return Ok(false);
        }
        self.stop_check.count(haystack.len() - at)?;
        let found = self
            .capturing_matcher()?
            .captures_at(haystack, at, captures);
        Ok(found.unwrap_or_default())
    }

    fn shortest_match_at(&self, haystack: &[u8], at: usize) -> Result<Option<usize>, Stopped> {
        let found = self.search(haystack, at, SearchGoal::Any)?;
        Ok(found.map(|found| found.end()))
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        self.matcher().ok()?.non_matching_bytes()
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        self.matcher().ok()?.line_terminator()
    }

    /// Searches for the next line that may match. grep-searcher calls this only where no match spans lines, so any
    /// number of lines can be searched at once.
    fn find_candidate_line(&self, haystack: &[u8]) -> Result<Option<LineMatchKind>, Stopped> {
        let by_line = self.matches_each_line();
        let matcher = match by_line {
            false => self.matcher()?,
            true => match self.pattern.candidate_matcher(self.text.get()) {
                Some(matcher) => matcher,
                None => return Ok((!haystack.is_empty()).then_some(LineMatchKind::Candidate(0))),
            },
        };
        let mut at = 0;
        while at < haystack.len() {
            let piece = self.step_length();
            let length = whole_lines_length(&haystack[at..], piece);
            let lines = &haystack[at..at + length];
            let found = if length > piece {
                let line = lines.strip_suffix(b"\n").unwrap_or(lines);
                let found = self.search(line, 0, SearchGoal::Any)?;
                found.map(|found| LineMatchKind::Confirmed(found.end()))
            } else {
                let found = self.run_step(
                    length,
                    || matcher.find_candidate_line(lines),
                    |found| found.as_ref().map_or(length, match_offset),
                )?;
                match by_line {
                    true => found.map(|found| LineMatchKind::Candidate(match_offset(&found))),
                    false => found,
                }
            };
            let last = at + length == haystack.len();
            // An empty match at the end of the step belongs to the next line, which the next step searches. Behind the
            // last line end there is none, and the searcher checks that only for a confirmed line.
            let may_end = last && !(by_line && lines.ends_with(b"\n"));
            if let Some(found) = found.filter(|found| may_end || match_offset(found) < length) {
                return Ok(Some(match found {
                    LineMatchKind::Confirmed(place) => LineMatchKind::Confirmed(at + place),
                    LineMatchKind::Candidate(place) => LineMatchKind::Candidate(at + place),
                }));
            }
            at += length;
        }
        Ok(None)
    }
}

fn match_offset(found: &LineMatchKind) -> usize {
    match found {
        LineMatchKind::Confirmed(place) | LineMatchKind::Candidate(place) => *place,
    }
}
