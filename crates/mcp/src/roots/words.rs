//! The texts of refusals about roots: shortened lists, and what to do.

/// How many roots a refusal names.
const NAMED: usize = 5;

/// What to do about roots that are missing.
pub(super) const HOW: &str = "Nothing was done. The user can start lancet in the folder of the project, or with `lancet mcp --root FOLDER`.";

/// The refusal where lancet failed to find out where the roots allow work.
pub(super) const NOT_WORKED_OUT: &str = "lancet failed to look up the roots of the client, so it is not known where work is allowed. Nothing was done; send the call again.";

/// Joins the first entries of a list, and says how many more there are.
pub(super) fn listed(all: impl ExactSizeIterator<Item = String>) -> String {
    let more = all.len().saturating_sub(NAMED);
    let mut named: Vec<String> = all
        .take(NAMED)
        .map(|one| cut(&one, 200).to_owned())
        .collect();
    if more > 0 {
        named.push(format!("and {more} more"));
    }
    named.join(", ")
}

/// Returns the beginning of a text, at most so many bytes.
pub(super) fn cut(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
