//! Questions at a terminal about undoing what a command did to folders.

use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use crate::stage::Stage;
use crate::terminal::terminal;

#[test]
fn a_folder_in_the_place_of_a_link_is_asked_about_once() {
    let stage = Stage::new();
    symlink("x", stage.project().join("link")).expect("made");
    let run = stage.run(&["run", "sh", "-c", "rm link; mkdir link"]);
    assert_eq!(run.code, 0, "{run:?}");
    let mut command = terminal(&stage, "undo");
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("started");
    // The files are looked at a few times while the question is open.
    sleep(Duration::from_secs(2));
    let mut input = child.stdin.take().expect("piped");
    input.write_all(b"y\n").expect("written");
    let ran = child.wait_with_output().expect("ended");
    drop(input);
    let shown = String::from_utf8_lossy(&ran.stdout);
    assert_eq!(shown.matches("Undo this?").count(), 1, "{shown}");
    assert!(!shown.contains("LINKS_BROKEN"), "{shown}");
    let target = stage.project().join("link").read_link();
    assert_eq!(target.expect("a link").to_str(), Some("x"));
}
