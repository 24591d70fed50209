//! Links to the page: each admits one device, once, for ten minutes. A server records where its page is, so that
//! `lancet serve --link` can make a further link while it runs.

use std::fs::{self, OpenOptions};
use std::io::{self, IsTerminal as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lancet_serving::door::PageAccess;
use qrcode::QrCode;
use qrcode::render::unicode::Dense1x2;

use crate::arguments::ServeArguments;
use crate::failure::{Exit, Failure};
use crate::guard::{self, Authority};
use crate::surroundings::Surroundings;
use crate::terminal::{Colour, print, print_error};

/// The file of the state folder with the page address of the server that was started last.
const FILE_NAME: &str = "page-address";
/// How long a server may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(500);

/// The address of a server's page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PageAddress {
    /// Its URL, without a slash at its end.
    pub(super) url: String,
    /// Where the server listens.
    pub(super) listens: SocketAddr,
    /// Whether other machines can reach it.
    pub(super) reach: PageReach,
}

/// The machines that can reach the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageReach {
    Machine,
    Network,
}

/// A link to the page, and the code in it.
pub(super) struct PageLink {
    pub(super) text: String,
    pub(super) code: String,
}

impl PageAddress {
    /// Makes a link that admits one device.
    pub(super) fn new_link(&self, door: &PageAccess) -> io::Result<PageLink> {
        let code = door.new_code()?;
        // The part after # is not sent to the server, so it is not in any log.
        let text = format!("{}/enter#{code}", self.url);
        Ok(PageLink { text, code })
    }

    /// Records the address for `lancet serve --link`.
    pub(super) fn save_record(&self, state: &Path) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        let mut file = options.open(state.join(FILE_NAME))?;
        file.write_all(self.record_text().as_bytes())
    }

    /// Removes the record, unless another server has written its own since.
    pub(super) fn remove_record(&self, state: &Path) {
        let path = state.join(FILE_NAME);
        if fs::read_to_string(&path).is_ok_and(|text| text == self.record_text()) {
            let _ = fs::remove_file(path);
        }
    }

    fn record_text(&self) -> String {
        let reach = match self.reach {
            PageReach::Machine => "machine",
            PageReach::Network => "network",
        };
        format!("{}\n{}\n{reach}\n", self.url, self.listens)
    }

    /// Returns the address that a server has recorded.
    fn load_record(state: &Path) -> Option<Self> {
        let text = fs::read_to_string(state.join(FILE_NAME)).ok()?;
        let mut lines = text.lines();
        Some(Self {
            url: lines.next()?.to_owned(),
            listens: lines.next()?.parse().ok()?,
            reach: match lines.next()? {
                "machine" => PageReach::Machine,
                "network" => PageReach::Network,
                _ => return None,
            },
        })
    }

    /// Returns the message for a person about a link: the link and, where other machines reach the page, the same link
    /// as a QR code.
    pub(super) fn link_message(&self, link: &PageLink, around: &Surroundings) -> String {
        let words = "It is good for ten minutes and lets one device in; `lancet serve --link` makes another.";
        let picture = match self.reach == PageReach::Network && !around.is_ascii {
            true => render_qr_code(&link.text, around.colour(io::stderr().is_terminal())),
            false => None,
        };
        format!("{}\n{words}\n{}", link.text, picture.unwrap_or_default())
    }
}

/// Renders the QR code of a link, two of its rows in each line.
fn render_qr_code(text: &str, colour: Colour) -> Option<String> {
    let code = QrCode::new(text.as_bytes()).ok()?;
    let mut renderer = code.render::<Dense1x2>();
    match colour {
        // Dark on light whatever the terminal's own colours are.
        Colour::On => {
            let drawn = renderer.build();
            let line = |line: &str| format!("\x1b[30;107m{line}\x1b[0m\n");
            Some(drawn.lines().map(line).collect())
        }
        // Most terminals are dark.
        Colour::Off => {
            renderer.dark_color(Dense1x2::Light);
            renderer.light_color(Dense1x2::Dark);
            Some(format!("{}\n", renderer.build()))
        }
    }
}

/// Prints a link to the page of the running server.
pub(super) fn print_link(
    arguments: &ServeArguments,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let authority = guard::require_authority("lancet serve --link", &arguments.place, around)?;
    let state = state_folder(arguments, around)?;
    let address = PageAddress::load_record(&state);
    let running =
        address.filter(|noted| TcpStream::connect_timeout(&noted.listens, CONNECT_TIMEOUT).is_ok());
    let address = running.ok_or_else(|| {
        let words = "no server runs with this state folder; `lancet serve --open` starts one and opens its page";
        Failure::system(words)
    })?;
    let link = address.new_link(&PageAccess::new(&state));
    let link = link.map_err(|error| Failure::system(error.to_string()))?;
    let told = address.link_message(&link, around);
    match authority {
        Authority::Token => print(&format!("{}\n", link.text))?,
        // The output of this command may be read by another program than the user at the terminal.
        Authority::Terminal => {
            let terminal = OpenOptions::new().write(true).open("/dev/tty");
            let written = terminal.and_then(|mut terminal| terminal.write_all(told.as_bytes()));
            written.map_err(|error| Failure::system(error.to_string()))?;
        }
    }
    Ok(Exit::Done)
}

/// Returns the state folder, which a server needs.
pub(super) fn state_folder(
    arguments: &ServeArguments,
    around: &Surroundings,
) -> Result<PathBuf, Failure> {
    let state = around.state_dir(arguments.place.state_dir.as_deref())?;
    state.ok_or_else(|| {
        Failure::usage(
            "there is no state folder to keep the tokens in; name one with --state-dir FOLDER",
        )
    })
}

/// Returns the message about the page for the user at the terminal when the server begins. A link is for a person: an
/// agent that started the server does not see one.
pub(super) fn page_message(
    address: &PageAddress,
    door: &PageAccess,
    around: &Surroundings,
) -> String {
    let url = &address.url;
    let is_for_person = io::stderr().is_terminal() && around.agent.is_none();
    match is_for_person.then(|| address.new_link(door)) {
        Some(Ok(link)) => format!("The page: {}", address.link_message(&link, around)),
        Some(Err(error)) => {
            format!("The page is at {url}, and no link into it can be made: {error}\n")
        }
        None => format!(
            "The page: {url} (`lancet serve --link` prints a link that lets a browser in)\n"
        ),
    }
}

/// Reports that no browser was opened.
pub(super) fn report_no_browser(why: &str) {
    print_error(&format!(
        "lancet: no browser was opened ({why}); `lancet serve --link` prints a link\n"
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_records_page_address_and_removes_only_its_own() {
        let state = tempfile::tempdir().expect("a folder");
        let address = |port: u16| PageAddress {
            url: format!("http://lancet.localhost:{port}"),
            listens: ([127, 0, 0, 1], port).into(),
            reach: PageReach::Machine,
        };
        assert_eq!(PageAddress::load_record(state.path()), None);
        address(1).save_record(state.path()).expect("kept");
        address(2).save_record(state.path()).expect("kept");
        address(1).remove_record(state.path());
        assert_eq!(PageAddress::load_record(state.path()), Some(address(2)));
        address(2).remove_record(state.path());
        assert_eq!(PageAddress::load_record(state.path()), None);
    }

    #[test]
    fn qr_code_of_link_fits_terminal() {
        let link = "http://192.168.178.123:4747/enter#0123456789abcdefghjkmnpqrs";
        for colour in [Colour::On, Colour::Off] {
            let drawn = render_qr_code(link, colour).expect("drawn");
            let widest = drawn.lines().map(|line| line.chars().count()).max();
            assert!(widest.is_some_and(|widest| widest < 80), "{drawn}");
            assert!(drawn.lines().count() <= 24, "{drawn}");
        }
    }
}
