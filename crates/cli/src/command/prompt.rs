//! `lancet prompt`: prints the instructions that teach a model a format, and the files that it is to change.

use std::path::Path;

use lancet::dialects::Dialect;
use lancet::outcome::Outcome;
use lancet::tools::ReadArguments;
use lancet::{Lancet, Session};

use crate::arguments::PromptArguments;
use crate::failure::{Exit, Failure};
use crate::opening::{OpenRequest, WriteAuthor};
use crate::surroundings::{RootHint, Surroundings, as_text};
use crate::terminal::print;

/// Runs `lancet prompt`.
pub(super) fn run(arguments: &PromptArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let mut text = Dialect::from(arguments.format).prompt().to_owned();
    if !arguments.with.is_empty() {
        let request = OpenRequest::for_command(
            &arguments.place,
            RootHint::Folder,
            WriteAuthor::Agent(lancet::Mode::Plan),
        );
        let lancet = request.open_to_inspect(around)?.lancet;
        let session = lancet.new_session();
        text.push_str("\n# The files as they are now\n");
        for file in &arguments.with {
            let path = around.absolute(file)?;
            text.push_str(&render_fenced_file(&lancet, &session, &path)?);
        }
    }
    print(&text)?;
    Ok(Exit::Done)
}

/// Returns a file under its path, in a fence that no line of the file closes.
fn render_fenced_file(lancet: &Lancet, session: &Session, path: &Path) -> Result<String, Failure> {
    let content = read_file_text(session, path)?;
    let longest = content.lines().map(|line| {
        let line = line.trim_start();
        line.len() - line.trim_start_matches('`').len()
    });
    let fence = "`".repeat(longest.max().unwrap_or(0).max(2) + 1);
    let resolved = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let roots = lancet.roots();
    let name = roots
        .iter()
        .find_map(|root| resolved.strip_prefix(root).ok());
    let name = as_text(name.unwrap_or(&resolved))?;
    let kind = path.extension().and_then(|kind| kind.to_str());
    let kind = kind.filter(|kind| kind.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let end = match content.is_empty() || content.ends_with('\n') {
        true => "",
        false => "\n",
    };
    let kind = kind.unwrap_or_default();
    Ok(format!("\n{name}\n{fence}{kind}\n{content}{end}{fence}\n"))
}

/// Returns the text of a file, if the rules for reading allow it to be shown.
fn read_file_text(session: &Session, path: &Path) -> Result<String, Failure> {
    let mut first_line = ReadArguments::new(as_text(path)?);
    first_line.limit = Some(1);
    let reply = session.peek(first_line);
    let encoding = match reply.outcome() {
        Outcome::Read(read) => read.encoding,
        _ => return Err(Failure::refused(reply.text())),
    };
    let unreadable = |why: String| Failure::refused(format!("{}: {why}", path.display()));
    if !encoding.starts_with("utf-8") {
        return Err(unreadable(format!(
            "its encoding is {encoding}, and a prompt can only hold files in UTF-8"
        )));
    }
    let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| unreadable("it holds bytes that are no UTF-8".to_owned()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Ok(text.replace("\r\n", "\n"))
}
