//! The example of docs/library.md: read, edit, undo. Run it with `cargo run -p lancet --example first_edit -- FOLDER`,
//! where FOLDER has a file `greeting.txt` that contains the word `world`.
#![allow(clippy::print_stdout, reason = "an example that prints its answers")]

use lancet::tools::{EditArguments, ReadArguments};
use lancet::{Lancet, Mode};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::path::PathBuf::from(std::env::args().nth(1).ok_or("name a folder")?);
    let lancet = Lancet::builder()
        .root(&folder)
        .state_dir(std::env::temp_dir().join("lancet-example"))
        .mode(Mode::AcceptEdits)
        .deny("Read(secrets/**)")
        .open()?;
    let session = lancet.new_session();
    let path = folder.canonicalize()?.join("greeting.txt");
    println!("{}", session.read(ReadArguments::new(&path)).text());
    let reply = session.edit(EditArguments::new(&path, "world", "reader"));
    println!("{}", reply.text()); // a refusal is an answer, too: reply.refusal()
    println!("{}", session.undo().text());
    Ok(())
}
