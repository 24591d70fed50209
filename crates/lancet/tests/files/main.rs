//! Files that are moved and removed: through the tools, mixed with other changes of a request, and undone.

mod laws;
mod moved_away;
mod project;
mod removal;
mod renaming;
mod taken_back;
mod together;
