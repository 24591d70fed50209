//! Every change can be seen and taken back: undo, redo, restore, what stands in their way, and what happens where the
//! history cannot be kept.

mod ground;
mod laws;
mod trouble;
mod undo;
