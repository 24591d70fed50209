//! Output for terminals whose locale has no UTF-8: lancet's own symbols in ASCII.

use std::borrow::Cow;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the locale has no UTF-8; set once, at the start.
static IS_ASCII: AtomicBool = AtomicBool::new(false);

/// Sets that the locale has no UTF-8.
pub(crate) fn use_ascii() {
    IS_ASCII.store(true, Ordering::Relaxed);
}

/// Returns a text as the terminal can show it: arrows, dots and pictures of control characters in ASCII where it has no
/// UTF-8.
pub(crate) fn encode_for_terminal(text: &str) -> Cow<'_, str> {
    match IS_ASCII.load(Ordering::Relaxed) {
        true => replace_by_ascii(text),
        false => Cow::Borrowed(text),
    }
}

fn replace_by_ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '→' => out.push_str("->"),
            '…' => out.push_str("..."),
            '·' | '–' | '—' => out.push('-'),
            '│' => out.push('|'),
            '─' => out.push('-'),
            '\u{2421}' => out.push_str("^?"),
            '\u{2400}'..='\u{241f}' => {
                out.push('^');
                let code = u32::from(character) - 0x2400 + u32::from('@');
                out.push(char::from_u32(code).unwrap_or('?'));
            }
            other => out.push(other),
        }
    }
    Cow::Owned(out)
}

/// A writer to a terminal.
pub(crate) struct TerminalWriter<W>(pub(crate) W);

impl<W: io::Write> io::Write for TerminalWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.0.write_all(encode_for_terminal(text).as_bytes())?,
            Err(_) => self.0.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_symbols_by_ascii_and_keeps_letters() {
        assert_eq!(
            replace_by_ascii("1→é … \u{241b}[2J\u{2421}"),
            "1->é ... ^[[2J^?"
        );
        assert!(matches!(replace_by_ascii("plain"), Cow::Borrowed(_)));
    }
}
