//! `lancet serve`: the real program, and clients that write HTTP by hand, so that the bytes on the wire are what is
//! tested.

mod access;
mod agents;
mod client;
mod crowds;
mod load;
mod messages;
mod page;
mod questions;
mod soak;
mod stopping;
