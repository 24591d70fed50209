//! A notebook for a person: its cells on standard output, and where they are in the file on standard error.

use std::io::IsTerminal as _;

use lancet::Reply;

use crate::failure::{Exit, Failure};
use crate::surroundings::Surroundings;
use crate::terminal::{
    Style, escape_for_terminal, print, print_error, print_paged, stdout_is_terminal,
};

/// Shows the cells. The text names the pictures among their outputs.
pub(super) fn show_notebook(reply: &Reply, around: &Surroundings) -> Result<Exit, Failure> {
    let whole = reply.text().trim_end();
    let (cells, footer) = match whole.rsplit_once('\n') {
        Some((cells, footer)) if footer.starts_with("[lancet: ") => (cells, footer),
        _ => (whole, ""),
    };
    match stdout_is_terminal() {
        // Control characters of a file must not reach a terminal.
        true => print_paged(&format!("{}\n", escape_for_terminal(cells)), around)?,
        false => print(&format!("{cells}\n"))?,
    }
    if !footer.is_empty() {
        let colour = around.colour(std::io::stderr().is_terminal());
        print_error(&format!(
            "{}\n",
            colour.paint(Style::Dim, &escape_for_terminal(footer))
        ));
    }
    Ok(Exit::Done)
}
