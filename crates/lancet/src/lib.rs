//! The file tools that AI agents edit code with, as a library.

pub mod arguments;
mod closest;
pub mod declare;
pub mod line_rules;
pub mod protected;
pub mod receive;
pub mod settings;
