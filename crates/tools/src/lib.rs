//! The built-in tools: their declarations and arguments, and how a call's JSON becomes a request. A tool has no state and
//! touches no disk; crates/lancet carries its requests out.

pub mod arguments;
pub mod asked;
pub mod builtin;
pub mod receive;
