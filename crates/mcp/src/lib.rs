//! The door for agents: lancet as a Model Context Protocol server.
