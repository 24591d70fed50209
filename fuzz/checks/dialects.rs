//! Properties of any reply, in one format or in all: it is parsed or refused without a panic, in one piece as in many;
//! parsed parts have the requested format and contain no invented text. The first byte chooses the length of the pieces
//! and which files exist; the rest is the reply.

use lancet_dialects::{
    Dialect, ParseError, ParseOptions, PartAction, ResponsePart, ResponseStream, parse,
};

/// The longest message of a refusal, in characters.
const LONGEST: usize = 2_000;

pub(crate) fn check(format: Option<Dialect>, data: &[u8]) {
    let Some((first, rest)) = data.split_first() else {
        return;
    };
    let reply = String::from_utf8_lossy(rest);
    let is_known = |name: &str| (name.len() + usize::from(*first)).is_multiple_of(2);
    let options = ParseOptions {
        format,
        is_known: &is_known,
    };
    let whole = parse(&reply, &options);
    assert_eq!(
        in_pieces(&reply, usize::from(first >> 1) + 1, &options),
        whole
    );
    match whole {
        Ok(parts) => {
            assert!(!parts.is_empty());
            let mut length = 0;
            for part in &parts {
                assert!(format.is_none_or(|format| format == part.dialect));
                assert!(part.line >= 1 && part.line <= reply.lines().count());
                assert!(!part.path.is_empty());
                length += text_of(part);
            }
            // A path may be used for several blocks; content is taken from the reply only once.
            assert!(length <= reply.len(), "{length} bytes from {}", reply.len());
        }
        Err(error) => {
            assert!(error.line >= 1 && error.column >= 1);
            assert!(error.line <= reply.lines().count().max(1));
            assert!(!error.message.is_empty());
            assert!(error.message.chars().count() <= LONGEST);
        }
    }
}

fn in_pieces(
    reply: &str,
    length: usize,
    options: &ParseOptions<'_>,
) -> Result<Vec<ResponsePart>, ParseError> {
    let mut stream = ResponseStream::new(options);
    let mut rest = reply;
    while !rest.is_empty() {
        let mut end = length.min(rest.len());
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        stream.feed(&rest[..end])?;
        rest = &rest[end..];
    }
    stream.finish()
}

/// Returns how many bytes of content a part carries; a context line counts once.
fn text_of(part: &ResponsePart) -> usize {
    match &part.action {
        PartAction::Edit(hunk) => hunk.lines.iter().map(|line| line.text.len()).sum(),
        PartAction::Fill(text) | PartAction::Replace(text) | PartAction::Create { text, .. } => {
            text.trim_end_matches('\n').len()
        }
        PartAction::Delete { lines } => lines.iter().flatten().map(String::len).sum(),
        _ => 0,
    }
}
