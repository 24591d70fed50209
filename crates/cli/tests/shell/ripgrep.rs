//! `lancet grep` compared with ripgrep: random flags on the random trees of the search tests; the same lines, the same
//! exit code. Lines are compared as a set, since neither program promises an order, and without their CR:
//! ripgrep with `--crlf` ends its own lines with CRLF. docs/search.md lists the intended differences.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::chance::Chance;
use crate::stage::LANCET;
use crate::tree::{Tree, path_of};

/// The number of questions for one tree, and of trees: each question takes two processes.
const PER_TREE: usize = 25;
const TREES: u64 = 8;

const FLAGS: &[&[&str]] = &[
    &["-i"],
    &["-S"],
    &["-s"],
    &["-w"],
    &["-x"],
    &["-F"],
    &["-v"],
    &["-o"],
    &["-l"],
    &["--files-without-match"],
    &["-c"],
    &["--count-matches"],
    &["-m", "1"],
    &["-A", "1"],
    &["-B", "2"],
    &["-C", "1"],
    &["-U"],
    &["-U", "--multiline-dotall"],
    &["-N"],
    &["-I"],
    &["--column"],
    &["--trim"],
    &["--heading"],
    &["-q"],
    &["-0"],
    &["--no-ignore"],
    &["--hidden"],
    &["--sort", "path"],
    &["--sortr", "path"],
    &["-e", "bar"],
    &["--files"],
    &["-u"],
    &["-uu"],
    &["-a"],
    &["-M", "12"],
    &["-M", "12", "--max-columns-preview"],
    &["-d", "1"],
    &["-d", "2"],
    &["-r", "<$0>"],
    &["--vimgrep"],
    &["--passthru"],
    &["-j", "1"],
];

const PATTERNS: &[&str] = &[
    "foo", "Foo", "bar$", "^$", "^", ".$", "a.b", "open(", "[a-z]{3}", "é", "\\w+", "x|K",
    "fn \\w+", "zzz", "end\\b",
];

fn ripgrep() -> Option<PathBuf> {
    let pinned =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/ripgrep-15.2.0/bin/rg");
    let program = std::env::var_os("LANCET_RIPGREP").map_or(pinned, PathBuf::from);
    program.exists().then_some(program)
}

/// Returns the output as a set of lines, and the exit code.
fn answer(command: &mut Command, tree: &Tree, flags: &[&str]) -> (Vec<Vec<u8>>, Option<i32>) {
    let ran = command
        .args(flags)
        .current_dir(&tree.root)
        .env_clear()
        .env("HOME", &tree.home)
        .env("XDG_CONFIG_HOME", &tree.home)
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .stdin(Stdio::null())
        .output()
        .expect("it runs");
    // With -0 names end in a NUL alone, and may contain a newline. The last flag that says what is printed wins.
    let kinds = ["-l", "--files-without-match", "-c", "--count-matches"];
    let kind = flags.iter().rfind(|flag| kinds.contains(flag));
    let prints_names =
        flags.contains(&"--files") || kind.is_some_and(|kind| kinds[..2].contains(kind));
    let end = match flags.contains(&"-0") && prints_names {
        true => 0,
        false => b'\n',
    };
    let lines = ran.stdout.split(|byte| *byte == end);
    // With -M a part of a line may end in its CR.
    let mut lines: Vec<Vec<u8>> = lines
        .map(|line| line.iter().copied().filter(|byte| *byte != b'\r').collect())
        .collect();
    lines.sort();
    (lines, ran.status.code())
}

/// Returns the files for which the two differ on purpose: those of version control, and those with a NUL or with a CR
/// that does not end a line.
fn differ_on_purpose(tree: &Tree) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in &tree.entries {
        let version_control = entry.iter().any(|name| name == ".git" || name == ".jj");
        let path = tree.root.join(entry);
        // A named pipe would block.
        let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
        let differs = |bytes: Vec<u8>| {
            let mut pairs = bytes.windows(2);
            bytes.contains(&0)
                || bytes.ends_with(b"\r")
                || pairs.any(|pair| pair[0] == b'\r' && pair[1] != b'\n')
        };
        let has_other_bytes = is_file && std::fs::read(&path).is_ok_and(differs);
        if version_control || has_other_bytes {
            files.push(path);
        }
    }
    files
}

#[test]
fn random_flags_give_ripgreps_lines_and_exit_code() {
    let Some(ripgrep) = ripgrep() else {
        return lancet_testing::judges::missing("ripgrep (target/tools)");
    };
    let mut failures = Vec::new();
    for seed in 1..=TREES {
        let mut chance = Chance::new(seed);
        let tree = Tree::grow(&mut chance);
        for path in differ_on_purpose(&tree) {
            let _ = std::fs::remove_file(&path);
        }
        for _ in 0..PER_TREE {
            let mut flags: Vec<&str> = Vec::new();
            for flag in FLAGS {
                if chance.once_in(9) {
                    flags.extend(*flag);
                }
            }
            // Without file names it is unknown which lines come from version control folders.
            if flags.contains(&"--hidden") || flags.contains(&"-uu") {
                flags.retain(|flag| !["-I", "--heading"].contains(flag));
            }
            // With -v, -m and context ripgrep's answer depends on whether it maps the file into memory.
            if flags.contains(&"-m") {
                flags.retain(|flag| *flag != "-v");
            }
            // With --crlf and --passthru ripgrep takes the end of an LF line for the beginning of another one.
            if flags.contains(&"--passthru") {
                flags.extend(["-e", "foo"]);
            } else if !flags.contains(&"--files") && !flags.contains(&"-e") {
                flags.extend(["-e", chance.one(PATTERNS)]);
            }
            let sorted = flags.iter().any(|flag| flag.starts_with("--sort"));
            let mut theirs = Command::new(&ripgrep);
            theirs.args([
                "--no-config",
                "-nH",
                "--no-heading",
                "--no-require-git",
                "--crlf",
            ]);
            // Without a path ripgrep would search its standard input.
            let mut asked = flags.clone();
            asked.push("./");
            let theirs = answer(&mut theirs, &tree, &asked);
            let mut ours = Command::new(LANCET);
            ours.arg("grep");
            let ours = answer(&mut ours, &tree, &flags);
            // Files of version control have different separators.
            let counted = !theirs.0.iter().any(|line| in_version_control(line));
            let plain = |lines: Vec<Vec<u8>>| -> Vec<Vec<u8>> {
                let mut lines: Vec<Vec<u8>> = lines
                    .into_iter()
                    .filter(|line| !in_version_control(line) && (counted || line != b"--"))
                    .map(|line| line.strip_prefix(b"./").unwrap_or(&line).to_vec())
                    .collect();
                lines.sort();
                lines
            };
            let (their_lines, our_lines) = (plain(theirs.0), plain(ours.0));
            if their_lines != our_lines || theirs.1 != ours.1 {
                let told = |lines: &[Vec<u8>], other: &[Vec<u8>]| -> Vec<String> {
                    let number = |of: &[Vec<u8>], line: &Vec<u8>| {
                        of.iter().filter(|same| *same == line).count()
                    };
                    let only = lines.iter();
                    let only = only
                        .filter(|line| number(lines, line) > number(other, line))
                        .take(4);
                    only.map(|line| path_of(line).display().to_string())
                        .collect()
                };
                failures.push(format!(
                    "tree {seed}, {flags:?} (sorted: {sorted}): exit {:?} and {:?}, only ripgrep {:?}, only lancet {:?}",
                    theirs.1,
                    ours.1,
                    told(&their_lines, &our_lines),
                    told(&our_lines, &their_lines)
                ));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// A binary file found in a folder is skipped; one that was named is searched, and ripgrep says that it matches.
#[test]
fn a_binary_file_that_was_named_is_answered_as_by_ripgrep() {
    let Some(ripgrep) = ripgrep() else {
        return lancet_testing::judges::missing("ripgrep (target/tools)");
    };
    let mut chance = Chance::new(1);
    let tree = Tree::grow(&mut chance);
    let late = format!("foo\n{}\0foo\nbar\n", "text\n".repeat(20_000));
    let large = format!("foo\n{}\0foo\nbar\n", "text\n".repeat(400_000));
    for (name, bytes) in [
        ("first.bin", "\0\u{1}foo\nbar foo\n"),
        ("after.bin", "foo\nbar\nfoo \0 foo\n"),
        ("late.bin", &late),
        ("large.bin", &large),
        ("other.bin", "\0nothing\n"),
    ] {
        std::fs::write(tree.root.join(name), bytes).expect("written");
    }
    let files = [
        "first.bin",
        "after.bin",
        "late.bin",
        "large.bin",
        "other.bin",
    ];
    for flags in [
        &["foo"][..],
        &["-c", "foo"],
        &["-l", "foo"],
        &["-o", "foo"],
        &["-v", "foo"],
        &["-q", "foo"],
        &["-A", "1", "foo"],
        &["--files-without-match", "foo"],
        &["zzz"],
    ] {
        for file in files {
            // How far a large file is printed before the NUL is met depends on the size of a buffer.
            if file == "large.bin" && flags.contains(&"-v") {
                continue;
            }
            let asked = [flags, &[file]].concat();
            let mut theirs = Command::new(&ripgrep);
            theirs.args(["--no-config", "-nH", "--no-heading"]);
            let mut ours = Command::new(LANCET);
            ours.arg("grep");
            let theirs = answer(&mut theirs, &tree, &asked);
            let ours = answer(&mut ours, &tree, &asked);
            let text = |(lines, code): &(Vec<Vec<u8>>, Option<i32>)| {
                (
                    String::from_utf8_lossy(&lines.join(&b'\n')).into_owned(),
                    *code,
                )
            };
            assert!(text(&ours) == text(&theirs), "{asked:?}");
        }
    }
}

const ENDS: &[&str] = &["\n", "\r\n"];
const LINES: &[&str] = &[
    "", "", "b", "ab", "a b ", " b", "foo bar", "bar", "b\tb", "é", "x_b", "bb",
];
const END_PATTERNS: &[&str] = &[
    "b$", "^$", "^", "$", r"\s+$", r"b\b", ".", "..$", "[^a]$", "^b$", "b*$", r"\w+\s*$", "(a|b)$",
    "(?i)B$", "x?$", "é$", "bar$|^a",
];
const END_FLAGS: &[&[&str]] = &[
    &["-o"],
    &["-c"],
    &["--count-matches"],
    &["-v"],
    &["-w"],
    &["-x"],
    &["-l"],
    &["--files-without-match"],
    &["-U"],
    &["-U", "--multiline-dotall"],
    &["-r", "<$0>"],
    &["--column"],
    &["-A", "1"],
    &["--color", "always"],
];

/// In texts with LF, CRLF and both, `$` is before the end of the line whichever it is, as with `rg --crlf`.
#[test]
fn line_ends_of_both_kinds_are_matched_as_by_ripgrep_with_crlf() {
    let Some(ripgrep) = ripgrep() else {
        return lancet_testing::judges::missing("ripgrep (target/tools)");
    };
    let mut failures = Vec::new();
    for seed in 1..=3 {
        let mut chance = Chance::new(seed);
        let tree = Tree::grow(&mut Chance::new(1));
        let folder = tree.root.join("ends");
        std::fs::create_dir(&folder).expect("a folder");
        for file in 0..6 {
            let mut text = String::new();
            for _ in 0..chance.below(9) {
                text.push_str(chance.one(LINES));
                // The first two files have one kind of line end each.
                text.push_str(ENDS.get(file).unwrap_or(&chance.one(ENDS)));
            }
            if chance.once_in(3) {
                text.push_str("last b");
            }
            std::fs::write(folder.join(format!("{file}.txt")), text).expect("written");
        }
        // A file of this size is searched while it is read.
        let long = "text\r\n".repeat(200_000) + "the last b\r\nother\n";
        std::fs::write(folder.join("long.txt"), long).expect("written");
        for _ in 0..40 {
            let mut flags: Vec<&str> = Vec::new();
            for flag in END_FLAGS {
                if chance.once_in(7) {
                    flags.extend(*flag);
                }
            }
            flags.extend(["-e", chance.one(END_PATTERNS), "ends"]);
            let mut theirs = Command::new(&ripgrep);
            theirs.args([
                "--no-config",
                "-nH",
                "--no-heading",
                "--no-ignore",
                "--crlf",
            ]);
            let theirs = answer(&mut theirs, &tree, &flags);
            let mut ours = Command::new(LANCET);
            ours.args(["grep", "--no-ignore"]);
            let ours = answer(&mut ours, &tree, &flags);
            // A CR is shown where there are colours, and with -U it may be coloured itself.
            let coloured_nothing = "\u{1b}[0m\u{1b}[1m\u{1b}[31m\u{1b}[0m";
            let plain = |(lines, code): (Vec<Vec<u8>>, Option<i32>)| {
                let mut lines: Vec<String> = lines
                    .iter()
                    .map(|line| String::from_utf8_lossy(line).replace(['\r', '␍'], ""))
                    .map(|line| line.replace(coloured_nothing, ""))
                    .collect();
                lines.sort();
                (lines, code)
            };
            let (theirs, ours) = (plain(theirs), plain(ours));
            if theirs != ours {
                let only = |lines: &[String], other: &[String]| -> Vec<String> {
                    let other: HashSet<&String> = other.iter().collect();
                    let only = lines.iter().filter(|line| !other.contains(line));
                    only.take(3).cloned().collect()
                };
                failures.push(format!(
                    "{seed} {flags:?}: exit {:?} and {:?}, {} and {} lines, only ripgrep {:?}, only lancet {:?}",
                    theirs.1,
                    ours.1,
                    theirs.0.len(),
                    ours.0.len(),
                    only(&theirs.0, &ours.0),
                    only(&ours.0, &theirs.0)
                ));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

fn in_version_control(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    [".git/", ".jj/", ".hg/", ".svn/"]
        .iter()
        .any(|name| text.contains(name))
}
