//! Files that are moved and removed: through the tools, mixed with other changes of a request, and undone.

mod ground;
mod laws;
mod moved_away;
mod removal;
mod renaming;
mod taken_back;
mod together;
