//! Compares with PyPI's `detect-secrets`: every credential that its plugins for published formats find in made-up texts
//! is found here, too. `cargo xtask test` installs it, passes its folder in `LANCET_DETECT_SECRETS`, and sets
//! `LANCET_REQUIRE_JUDGES`, with which the test fails instead of being skipped if the folder is not set.

#![allow(clippy::print_stdout, reason = "what was skipped is told")]

use std::process::Command;

use super::super::table::CREDENTIAL_FORMATS;
use super::{find_credential, generate_credential};

/// Kinds that it guesses by entropy or by a variable's name, which this crate does not do, or that are not credentials.
const IGNORED_KINDS: &[&str] = &["high entropy", "keyword", "public ip"];

/// Scans a file line by line and prints the number of each line that a plugin for a published format finds something
/// in.
const DETECT_SECRETS_SCRIPT: &str = "
import sys
from detect_secrets.core.scan import scan_line
from detect_secrets.settings import default_settings
with default_settings():
    for number, line in enumerate(open(sys.argv[1], encoding='utf-8'), 1):
        kinds = sorted({secret.type for secret in scan_line(line.rstrip('\\n'))})
        print(number, '|'.join(kinds), sep='\\t')
";

#[test]
fn finds_everything_that_detect_secrets_finds() {
    let Some(packages) = std::env::var_os("LANCET_DETECT_SECRETS") else {
        return lancet_testing::judges::missing("detect-secrets");
    };
    let lines: Vec<String> = CREDENTIAL_FORMATS
        .iter()
        .flat_map(|format| (0..4).map(move |seed| (format, seed * 104_729 + 7)))
        .map(|(format, seed)| generate_credential(format, seed).replace('\n', " "))
        .map(|secret| format!("value = \"{secret}\""))
        .collect();
    let file = std::env::temp_dir().join(format!("lancet-credentials-{}.txt", std::process::id()));
    std::fs::write(&file, lines.join("\n") + "\n").expect("written");
    let output = Command::new("python3")
        .args(["-c", DETECT_SECRETS_SCRIPT])
        .arg(&file)
        .env("PYTHONPATH", packages)
        .output()
        .expect("python3 runs");
    std::fs::remove_file(&file).expect("it was there");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(told.lines().count(), lines.len());
    let (mut judged, mut missed) = (0, Vec::new());
    for (line, told) in lines.iter().zip(told.lines()) {
        let kinds = told.split_once('\t').map_or("", |(_, kinds)| kinds);
        let by_format = kinds.split('|').map(str::to_lowercase).any(|kind| {
            !kind.is_empty() && !IGNORED_KINDS.iter().any(|guess| kind.contains(guess))
        });
        if by_format {
            judged += 1;
            if find_credential(line).is_none() {
                missed.push(format!("{line}: {kinds}"));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    assert!(
        judged >= 40,
        "the judge found only {judged} of {} lines",
        lines.len()
    );
    println!("{judged} of {} lines judged", lines.len());
}
