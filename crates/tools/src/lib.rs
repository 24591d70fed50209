//! The built-in tools: their declarations and arguments, and the parsing of a call's JSON into a request. A tool has no
//! state and does not access the disk; crates/lancet carries its requests out.

pub mod arguments;
pub mod asked;
pub mod builtin;
pub mod receive;
