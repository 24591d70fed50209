//! A proof that is stopped leaves nothing behind, and one that cannot run says why.

use std::process::{Command, Stdio};
use std::time::Duration;

use lancet_testing::TestFolder;

use crate::run::{lancet, names};

#[test]
fn a_signal_ends_the_proof_and_its_folder_goes() {
    for signal in ["INT", "TERM"] {
        let (home, folder) = (TestFolder::new(), TestFolder::new());
        let mut command = lancet(&home);
        command.args(["doctor", "--kills", "100000", "--prove"]);
        command.arg(folder.path());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        while names(folder.path()).is_empty() {
            let ended = child.try_wait().expect("a child");
            assert!(ended.is_none(), "it ended early");
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(300));
        let number = child.id().to_string();
        let sent = Command::new("kill").args(["-s", signal, &number]).status();
        assert!(sent.expect("kill").success());
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains("stopped before the end"), "{said}");
        assert_eq!(names(folder.path()), Vec::<String>::new(), "{signal}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let (home, folder) = (TestFolder::new(), TestFolder::new());
    let mut command = lancet(&home);
    command
        .args(["doctor", "--prove"])
        .arg(folder.join("nowhere"));
    let output = command.output().expect("it starts");
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("nothing can be tried out in"), "{said}");
}

#[test]
fn the_report_for_people_says_where_what_and_whether_it_agrees() {
    let (home, folder) = (TestFolder::new(), TestFolder::new());
    let mut command = lancet(&home);
    command.current_dir(folder.path());
    command.args(["doctor", "--prove", "--kills", "2"]);
    let output = command.output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let version = concat!("lancet ", env!("CARGO_PKG_VERSION"), " on Linux ");
    for part in [
        version,
        "file system ",
        "guarantee ",
        "2 kills during ",
        "What was seen agrees with the guarantee ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(names(folder.path()), Vec::<String>::new());
}
