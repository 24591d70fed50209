//! Whole conversations with the server, line by line, over a pair of streams inside the process.

mod asking;
mod calls;
mod clients;
mod connection;
mod cut;
mod flood;
mod generations;
mod limits;
mod names;
mod resources;
mod roots;
mod sandbox;
mod search;
mod sessions;
mod sub_agents;
mod waiting;
