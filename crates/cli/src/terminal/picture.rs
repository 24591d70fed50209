//! A picture on a terminal, as the escape sequences of the terminal's protocol.

use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lancet::doors::as_png;

use crate::surroundings::PictureProtocol;

/// The most base64 characters in one piece of kitty's protocol.
const MAX_CHUNK: usize = 4096;

/// The pixels of a character where the terminal does not report its size in pixels.
const UNKNOWN_CELL: (f64, f64) = (8.0, 16.0);

/// The rows below a picture that remain free for its description and the next prompt.
const FREE_ROWS: u16 = 2;

/// Returns the escape sequences that show a picture (PNG or JPEG) of so many pixels; none where it cannot be converted
/// to a format that the terminal accepts.
pub(crate) fn picture_sequences(
    protocol: PictureProtocol,
    bytes: &[u8],
    pixels: (u32, u32),
) -> Option<String> {
    let columns = columns_to_fit(pixels);
    match protocol {
        PictureProtocol::Kitty => Some(kitty_sequences(&as_png(bytes).ok()?, columns)),
        PictureProtocol::Iterm => Some(iterm_sequence(bytes, columns)),
    }
}

/// Transmits and shows a PNG (`a=T,f=100`), and requests no answer from the terminal (`q=2`).
fn kitty_sequences(png: &[u8], columns: Option<u16>) -> String {
    let text = STANDARD.encode(png);
    let width = columns.map_or_else(String::new, |columns| format!(",c={columns}"));
    let mut out = String::with_capacity(text.len() + text.len() / 100 + 64);
    let mut rest = text.as_str();
    let mut keys = format!("a=T,f=100,q=2{width},");
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.len().min(MAX_CHUNK));
        let more = u8::from(!after.is_empty());
        out.push_str(&format!("\x1b_G{keys}m={more};{piece}\x1b\\"));
        keys.clear();
        rest = after;
    }
    out.push('\n');
    out
}

fn iterm_sequence(bytes: &[u8], columns: Option<u16>) -> String {
    let width = columns.map_or_else(|| "auto".to_owned(), |columns| columns.to_string());
    format!(
        "\x1b]1337;File=inline=1;size={};width={width};preserveAspectRatio=1:{}\x07\n",
        bytes.len(),
        STANDARD.encode(bytes)
    )
}

/// Returns the columns for a picture that is larger than the screen; none where it fits.
fn columns_to_fit((width, height): (u32, u32)) -> Option<u16> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    let (columns, rows) = (size.ws_col, size.ws_row.saturating_sub(FREE_ROWS));
    if columns == 0 || rows == 0 {
        return None;
    }
    let cell = match (size.ws_xpixel, size.ws_ypixel) {
        (0, _) | (_, 0) => UNKNOWN_CELL,
        (across, down) => (
            f64::from(across) / f64::from(columns),
            f64::from(down) / f64::from(size.ws_row),
        ),
    };
    let across = f64::from(width.max(1)) / cell.0;
    let down = f64::from(height.max(1)) / cell.1;
    let factor = (f64::from(columns) / across).min(f64::from(rows) / down);
    (factor < 1.0).then(|| ((across * factor) as u16).clamp(1, columns))
}
