//! Every change can be seen and taken back: undo, redo, restore, what stands in their way, and what happens where the
//! history cannot be kept.

mod child;
mod decided;
mod elsewhere;
mod events;
mod figures;
mod found_back;
mod ground;
mod killed;
mod large;
mod laws;
mod lost;
mod moved;
mod neighbours;
mod processes;
mod same_path;
mod search;
mod trouble;
mod undo;
