//! The texts of refusals about roots: shortened lists, and what to do.

/// How many roots a refusal names.
const MAX_NAMED_ROOTS: usize = 5;

/// What to do about roots that are missing.
pub(super) const ADVICE: &str = "Nothing was done. The user can start lancet in the folder of the project, or with `lancet mcp --root FOLDER`.";

/// The refusal where lancet failed to find out where the roots allow work.
pub(super) const NOT_WORKED_OUT: &str = "lancet failed to look up the roots of the client, so it is not known where work is allowed. Nothing was done; send the call again.";

/// Joins the first entries of a list, and says how many more there are.
pub(super) fn join_first(all: impl ExactSizeIterator<Item = String>) -> String {
    let more = all.len().saturating_sub(MAX_NAMED_ROOTS);
    let mut named: Vec<String> = all
        .take(MAX_NAMED_ROOTS)
        .map(|one| truncate_bytes(&one, 200).to_owned())
        .collect();
    if more > 0 {
        named.push(format!("and {more} more"));
    }
    named.join(", ")
}

/// Returns the beginning of a text, at most so many bytes.
pub(super) fn truncate_bytes(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
