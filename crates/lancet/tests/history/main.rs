//! Every change can be seen and undone: undo, redo, restore, what prevents them, and what happens where the history
//! cannot be stored.

mod child;
mod decided;
mod elsewhere;
mod events;
mod figures;
mod found_back;
mod killed;
mod large;
mod laws;
mod lost;
mod moved;
mod neighbours;
mod net;
mod processes;
mod project;
mod same_path;
mod search;
mod trouble;
mod undo;
