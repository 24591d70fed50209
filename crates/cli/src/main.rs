//! The door for the shell: the program `lancet`.

fn main() {}
