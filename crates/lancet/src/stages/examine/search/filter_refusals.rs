//! The refusals for a glob or a file type that a search cannot filter by.

use lancet_search::type_names;
use lancet_text::closest_names;

use crate::message::{message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::wording::truncate;

/// Returns the refusal of a glob that is not valid; `field` is what the caller knows it as.
pub(super) fn bad_glob_refusal(field: &str, why: &str) -> Refusal {
    let text = message!(
        "{} is no glob: {}. A bracket, brace or backslash that is meant literally has a backslash before it.",
        verbatim(field),
        verbatim(why)
    );
    Refusal::from_message(RefusalKind::Invalid, text).with_field("field", field)
}

/// Returns the refusal of a file type that is not known, with the names that are similar to it.
pub(super) fn unknown_type_refusal(kind: &str) -> Refusal {
    let names = type_names();
    let near = closest_names(kind, names.iter().map(String::as_str), 3);
    let next = match near.is_empty() {
        true => message!(
            "Usual ones are rust, py, js, ts, go, java, c, cpp, md, json; or filter with glob."
        ),
        false => message!(
            "Did you mean {}? Or filter with glob.",
            verbatim(near.join(" or "))
        ),
    };
    let text = message!(
        "There is no file type {}. {}",
        verbatim(format!("{:?}", truncate(kind, 60))),
        next
    );
    Refusal::from_message(RefusalKind::Invalid, text)
        .with_field("field", "type")
        .with_field("suggestion", near.first().copied().map(str::to_owned))
}
