//! lancet over HTTP: listens, controls access, and passes requests to the services that answer them.
//!
//! [`Access`] decides by Host, Origin and token; [`Listening`] is a bound address, whose [`run`](Listening::run)
//! serves until a signal stops it. `/mcp` is the endpoint for agents ([`lancet_mcp::Endpoint`]), `/events` reports
//! the events of the state folder, and everything else is the page for people.

mod access;
mod connections;
mod events;
mod listen;
mod names;
mod page;
mod places;
mod plain;
mod reached;
mod routes;
mod stall;
mod tls;
mod turned_away;

pub use access::Access;
pub use listen::{ListenError, ListenOptions, Listening, Protection};
pub use names::{HostRule, NameError, OriginRule, PublicUrl};
