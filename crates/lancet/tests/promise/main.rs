//! Tests that lancet keeps its promise: laws over generated files, conversations with outside writers, bad input,
//! faults and meddlers, and the API for hosts. `LANCET_LAW_CASES` sets how many cases each law is tried on.

mod bad_input;
mod bounded;
mod conversation;
mod drafts;
mod exact;
mod ground;
mod meant;
mod meddling;
mod no_panic;
mod probes;
mod surface;
mod texts;
mod tolerant;
mod whole;
