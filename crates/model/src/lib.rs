//! The types of a call: requests, outcomes, refusals, replies, questions, and the phrases that answers share. These are
//! values and their texts; nothing here opens a file. The library `lancet` re-exports what hosts use.

pub mod applied_by;
pub mod approval;
pub mod audience;
pub mod call;
pub mod cell_request;
pub mod closest;
pub mod declaration;
pub mod hunk_place;
pub mod limit;
pub mod line_range;
pub mod message;
pub mod next_call;
pub mod non_exhaustive;
pub mod outcome;
pub mod page_range;
pub mod path_list;
pub mod path_names;
pub mod person_text;
pub mod reason;
pub mod refusal;
pub mod reply;
pub mod request;
pub mod row;
pub mod rung_names;
pub mod tool_names;
pub mod tool_prefix;
pub mod undo;
pub mod visible;
pub mod waiting;
pub mod wording;
