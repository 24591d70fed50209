//! `lancet read` of a picture: drawn where the terminal is known to show pictures, and otherwise one line.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::stage::{Stage, finish};
use crate::terminal::terminal;

fn stage() -> (Stage, Vec<u8>) {
    let stage = Stage::new();
    let png = png();
    std::fs::write(stage.project().join("p.png"), &png).expect("written");
    (stage, png)
}

/// Returns what a terminal with these variables shows. The terminal answers no query.
fn terminal_output(stage: &Stage, variables: &[(&str, &str)], arguments: &str) -> String {
    let mut command = terminal(stage, arguments);
    command.envs(variables.iter().copied());
    let run = finish(command, b"");
    assert_eq!(run.code, 0, "{run:?}");
    run.out
}

fn line(png: &[u8]) -> String {
    let tenths = png.len() * 10 / 1024;
    format!(
        "p.png: PNG picture, 64x48 pixels, {}.{} KiB",
        tenths / 10,
        tenths % 10
    )
}

#[test]
fn kittys_terminal_gets_the_png_in_pieces() {
    let (stage, png) = stage();
    let out = terminal_output(&stage, &[("TERM", "xterm-kitty")], "read p.png");
    let mut rest = out.as_str();
    let (mut text, mut pieces) = (String::new(), 0);
    while let Some(body) = rest.strip_prefix("\x1b_G") {
        let (body, after) = body.split_once("\x1b\\").expect("the sequence ends");
        let (keys, piece) = body.split_once(';').expect("keys and data");
        assert!(piece.len() <= 4096 && (piece.len() == 4096 || !after.starts_with("\x1b_G")));
        let is_last = !after.starts_with("\x1b_G");
        let more = if is_last { "m=0" } else { "m=1" };
        match pieces {
            0 => assert_eq!(keys, format!("a=T,f=100,q=2,{more}")),
            _ => assert_eq!(keys, more),
        }
        text.push_str(piece);
        pieces += 1;
        rest = after;
    }
    assert!(pieces > 1, "the picture is long enough for several pieces");
    assert_eq!(STANDARD.decode(text).expect("base64"), png);
    assert_eq!(rest.trim_start(), format!("{}\r\n", line(&png)));
}

#[test]
fn iterm_gets_the_file() {
    let (stage, png) = stage();
    for variable in [("TERM_PROGRAM", "iTerm.app"), ("LC_TERMINAL", "iTerm2")] {
        let out = terminal_output(&stage, &[variable], "read p.png");
        let body = out.strip_prefix("\x1b]1337;File=").expect("the sequence");
        let (body, after) = body.split_once('\x07').expect("it ends");
        let (keys, data) = body.split_once(':').expect("keys and data");
        let size = png.len();
        assert_eq!(
            keys,
            format!("inline=1;size={size};width=auto;preserveAspectRatio=1")
        );
        assert_eq!(STANDARD.decode(data).expect("base64"), png);
        assert_eq!(after.trim_start(), format!("{}\r\n", line(&png)));
    }
}

#[test]
fn a_picture_that_is_larger_than_the_screen_is_given_its_columns() {
    let (stage, _) = stage();
    let sized = format!(
        "--version; stty rows 24 cols 4; '{}' read p.png",
        crate::stage::LANCET
    );
    let out = terminal_output(&stage, &[("TERM", "xterm-kitty")], &sized);
    assert!(out.contains("\x1b_Ga=T,f=100,q=2,c=4,m=1;"), "{out:?}");
}

#[test]
fn every_other_terminal_and_a_pipe_get_one_line() {
    let (stage, png) = stage();
    for variables in [
        &[("TERM", "xterm-256color")][..],
        &[("TERM", "xterm-kitty"), ("TMUX", "/tmp/tmux,1,0")],
        &[("TERM", "screen-256color"), ("LC_TERMINAL", "iTerm2")],
        &[("TERM", "dumb"), ("KITTY_WINDOW_ID", "1")],
    ] {
        let out = terminal_output(&stage, variables, "read p.png");
        assert_eq!(out, format!("{}\r\n", line(&png)), "{variables:?}");
    }
    let plain = terminal_output(&stage, &[("TERM", "xterm-kitty")], "read --plain p.png");
    assert_eq!(plain, format!("{}\r\n", line(&png)));
    let stage = stage.with("TERM", "xterm-kitty");
    for arguments in [
        &["read", "p.png"][..],
        &["--color", "always", "read", "p.png"],
    ] {
        assert_eq!(stage.run(arguments).out, format!("{}\n", line(&png)));
    }
}

/// Returns a PNG of 64x48 pixels without compression, made here so that its bytes are known.
fn png() -> Vec<u8> {
    let (width, height) = (64_u32, 48_u32);
    let mut pixels = Vec::new();
    for y in 0..height {
        // No filter.
        pixels.push(0);
        for x in 0..width {
            pixels.extend([x * 4, y * 5, 128].map(|colour| colour as u8));
        }
    }
    // One stored block of zlib: all of it is shorter than 65,535 bytes.
    let length = u16::try_from(pixels.len()).expect("short");
    let mut data = vec![0x78, 0x01, 0x01];
    data.extend(length.to_le_bytes());
    data.extend((!length).to_le_bytes());
    data.extend(&pixels);
    let (mut low, mut high) = (1_u32, 0_u32);
    for byte in &pixels {
        low = (low + u32::from(*byte)) % 65_521;
        high = (high + low) % 65_521;
    }
    data.extend(((high << 16) | low).to_be_bytes());
    let mut head = Vec::new();
    head.extend(width.to_be_bytes());
    head.extend(height.to_be_bytes());
    head.extend([8, 2, 0, 0, 0]);
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, body) in [(b"IHDR", head), (b"IDAT", data), (b"IEND", Vec::new())] {
        png.extend(u32::try_from(body.len()).expect("short").to_be_bytes());
        let checked: Vec<u8> = name.iter().chain(&body).copied().collect();
        png.extend(&checked);
        png.extend(crc(&checked).to_be_bytes());
    }
    png
}

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xEDB8_8320 & 0_u32.wrapping_sub(crc & 1));
        }
    }
    !crc
}

#[test]
fn a_notebook_is_its_cells_and_the_rest_is_on_standard_error() {
    let (stage, png) = stage();
    let output = serde_json::json!({
        "output_type": "display_data", "metadata": {}, "data": { "image/png": STANDARD.encode(png) },
    });
    let cell = |id: &str, outputs: &[serde_json::Value]| {
        serde_json::json!({
            "cell_type": "code", "id": id, "metadata": {}, "execution_count": null,
            "source": [format!("{id} = 1")], "outputs": outputs,
        })
    };
    let notebook = serde_json::json!({
        "nbformat": 4, "nbformat_minor": 5, "metadata": {},
        "cells": [cell("first", &[output]), cell("second", &[])],
    });
    stage.file("n.ipynb", &notebook.to_string());
    let run = stage.run(&["read", "n.ipynb"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.out.contains("first = 1") && run.out.contains("second = 1"),
        "{run:?}"
    );
    assert!(
        run.out.contains("\n[lancet: PNG picture, 64x48 px]\n"),
        "{run:?}"
    );
    assert!(!run.out.contains("revision"), "{run:?}");
    assert!(
        run.err.starts_with("[lancet: n.ipynb, cells 1-2 of 2"),
        "{run:?}"
    );
}
