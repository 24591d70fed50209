//! Two hundred files that end a conversation where a tool passes them on, read in one session.

use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

use lancet_testing::judges;

use crate::stage::LANCET;

/// The script contains the files and the documented rules of the models' APIs. It also compares with another server.
#[test]
fn no_answer_would_be_refused_by_the_api_of_a_model() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/poisonous_files.py");
    let output = match Command::new("python3")
        .arg(script)
        .args(["--short", LANCET])
        .output()
    {
        Ok(output) => output,
        Err(error) if error.kind() == ErrorKind::NotFound => return judges::missing("python3"),
        Err(error) => panic!("{error}"),
    };
    let words = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words}");
    let files: u32 = words
        .strip_prefix("lancet: ")
        .and_then(|words| words.split(' ').next()?.parse().ok())
        .unwrap_or_default();
    assert!(files >= 200, "{words}");
}
