//! Checks that a write that returned before a search began is found by it, in a resident tree, whichever process wrote.
//! Each round writes a word that was never there, searches for it, and for the word of the round before, which is gone.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use lancet_search::{
    CaseMatching, FileFilter, KeepContents, MatchSpan, PageNeed, Pattern, ResultOrder, WalkedFile,
    count_resident,
};

use crate::folder::{ResidentFolder, scope};

/// Another process that writes what it is sent, and reports when it has.
struct Writer {
    process: Child,
    said: BufReader<std::process::ChildStdout>,
}

impl Writer {
    fn begin() -> Writer {
        let script = r#"while read -r how file word; do
            case $how in
                write) printf '%s\n' "$word" > "$file" ;;
                append) printf '%s\n' "$word" >> "$file" ;;
                replace) printf '%s\n' "$word" > "$file.new"; mv "$file.new" "$file" ;;
            esac
            echo done
        done"#;
        let mut process = Command::new("sh")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let said = BufReader::new(process.stdout.take().expect("piped"));
        Writer { process, said }
    }

    fn write(&mut self, how: &str, file: &Path, word: &str) {
        let told = self.process.stdin.as_mut().expect("piped");
        writeln!(told, "{how} {} {word}", file.display()).expect("told");
        let mut line = String::new();
        self.said.read_line(&mut line).expect("answered");
        assert_eq!(line, "done\n");
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

#[test]
fn a_write_that_returned_before_a_search_is_found_by_it() {
    let cases = lancet_testing::laws::requested_cases().unwrap_or(300);
    let rounds = lancet_testing::laws::limited(cases, 2_000);
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("there");
    for number in 0..40 {
        let inner = root.join(format!("folder{}", number % 7));
        fs::create_dir_all(&inner).expect("made");
        fs::write(inner.join(format!("file{number}.txt")), "some words\n").expect("written");
    }
    for contents in [KeepContents::Yes, KeepContents::No] {
        let folder = ResidentFolder::build(&root, contents);
        let found = |word: &str| {
            let pattern =
                Pattern::new(word, CaseMatching::Sensitive, MatchSpan::SingleLine).expect("one");
            let (order, page) = (ResultOrder::Path, PageNeed::ALL);
            let summary = folder.with_walk(&FileFilter::default(), 2, |walk| {
                let linked = |_: &WalkedFile<'_>, _: u64| true;
                count_resident(
                    &folder.trees,
                    &scope(),
                    walk,
                    &pattern,
                    order,
                    &linked,
                    page,
                )
            });
            summary.expect("answered from memory").matches
        };
        let mut other = Writer::begin();
        let mut last = String::from("some_word_that_never_was");
        for round in 0..rounds {
            let word = format!("word_{round}_of_{contents:?}");
            let number = round % 40;
            let mut file = root.join(format!("folder{}/file{number}.txt", number % 7));
            match round % 5 {
                0 => fs::write(&file, &word).expect("written"),
                1 => other.write("write", &file, &word),
                2 => other.write("replace", &file, &word),
                3 => other.write("append", &file, &word),
                _ => {
                    file = root.join(format!("new{}/inner/file.txt", round % 11));
                    fs::create_dir_all(file.parent().expect("inside")).expect("made");
                    fs::write(&file, &word).expect("written");
                }
            }
            assert_eq!(found(&word), 1, "round {round}");
            // Appended text stays until its file is written again.
            fs::write(&file, "").expect("emptied");
            assert_eq!(found(&word), 0, "round {round}");
            assert_eq!(found(&last), 0, "round {round}");
            last = word;
        }
    }
    println!("{rounds} writes in each mode, all seen");
}
