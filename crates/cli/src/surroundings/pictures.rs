//! The escape sequences by which the terminal shows pictures, chosen by the variables that terminals set. The terminal
//! itself is not queried, because one that does not know the query would print it.

use std::ffi::OsString;

/// The escape sequences by which a terminal takes pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PictureProtocol {
    /// The graphics protocol of kitty: PNG in pieces.
    Kitty,
    /// The inline images of iTerm2: whole files.
    Iterm,
}

/// Returns the protocol of the terminal; none where it is not known to have one. tmux and screen are between the
/// program and the terminal, and let such sequences through only where that was configured.
pub(super) fn detect_protocol(set: &dyn Fn(&str) -> Option<OsString>) -> Option<PictureProtocol> {
    let text = |name: &str| set(name).map(|value| value.to_string_lossy().into_owned());
    let terminal = text("TERM").unwrap_or_default();
    let is_between = ["tmux", "screen"]
        .iter()
        .any(|name| terminal.starts_with(name));
    if is_between || set("TMUX").is_some() || set("STY").is_some() || terminal == "dumb" {
        return None;
    }
    let program = text("TERM_PROGRAM").unwrap_or_default();
    let is_kitty = ["xterm-kitty", "xterm-ghostty"].contains(&&*terminal)
        || program == "ghostty"
        || set("KITTY_WINDOW_ID").is_some();
    let is_iterm = ["iTerm.app", "WezTerm", "mintty"].contains(&&*program)
        || text("LC_TERMINAL").is_some_and(|name| name == "iTerm2");
    match (is_kitty, is_iterm) {
        (true, _) => Some(PictureProtocol::Kitty),
        (_, true) => Some(PictureProtocol::Iterm),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_picture_protocol_except_inside_tmux() {
        let of = |variables: &[(&str, &str)]| {
            detect_protocol(&|name| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| value.into())
            })
        };
        let (kitty, iterm) = (Some(PictureProtocol::Kitty), Some(PictureProtocol::Iterm));
        assert_eq!(of(&[("TERM", "xterm-kitty")]), kitty);
        assert_eq!(
            of(&[("TERM", "xterm-256color"), ("KITTY_WINDOW_ID", "1")]),
            kitty
        );
        assert_eq!(of(&[("TERM_PROGRAM", "iTerm.app")]), iterm);
        assert_eq!(of(&[("LC_TERMINAL", "iTerm2")]), iterm);
        assert_eq!(of(&[("TERM", "xterm-256color")]), None);
        assert_eq!(
            of(&[("TERM", "tmux-256color"), ("KITTY_WINDOW_ID", "1")]),
            None
        );
        assert_eq!(of(&[("TERM", "xterm-kitty"), ("TMUX", "/tmp/t")]), None);
        assert_eq!(of(&[("TERM", "screen"), ("LC_TERMINAL", "iTerm2")]), None);
    }
}
