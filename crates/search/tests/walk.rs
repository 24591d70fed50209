//! The guarantees of a walk and a search beyond ripgrep's results: what is left out is counted, a gate denies entries,
//! a stop ends the search, and nothing but regular files is opened. Further cases follow topics of ripgrep's issue
//! tracker, by number.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lancet_search::{
    AllowAll, CaseMatching, ExcerptRange, FileFilter, FileSearcher, Gate, HiddenFiles, IgnoreFiles,
    LiteralNames, MatchSpan, Pattern, ResultOrder, SearchProgress, SearchSummary, Stop, Tally,
    Walk, WalkStart, count_matches, list_files,
};
use lancet_testing::TestFolder;
use lancet_workspace::{EntryKind, RealDisk, Workspace};

fn filled(files: &[(&str, &str)]) -> TestFolder {
    let folder = TestFolder::new();
    for (name, text) in files {
        folder.put(name, text);
    }
    folder
}

fn workspace(folder: &TestFolder) -> Workspace {
    Workspace::open(&[folder.path().to_owned()], Arc::new(RealDisk), None).expect("opens")
}

fn walk<T>(folder: &TestFolder, ask: Ask<'_>, work: impl FnOnce(&Walk<'_>) -> T) -> T {
    let start = workspace(folder)
        .locate(&folder.join(ask.path))
        .expect("located");
    let root = folder.path();
    let mut filter = FileFilter::default();
    if let Some(glob) = ask.glob {
        filter = filter.with_globs(&[root], &[glob]).expect("a glob");
    }
    work(&Walk {
        starts: &[WalkStart::new(start)],
        ignoring: ask.ignoring,
        hidden: HiddenFiles::Skip,
        excludes: None,
        filter: &filter,
        named: &LiteralNames::new(ask.glob),
        gate: ask.gate,
        stop: ask.stop,
        progress: &SearchProgress::default(),
        threads: 3,
    })
}

fn list(folder: &TestFolder, ask: Ask<'_>) -> (Vec<String>, SearchSummary) {
    let mut survey = walk(folder, ask, |walk| {
        list_files(walk, ResultOrder::Path, &|_, _| true)
    });
    (names(&mut survey), survey)
}

fn grep(folder: &TestFolder, pattern: &str, lines: MatchSpan) -> SearchSummary {
    let pattern = Pattern::new(pattern, CaseMatching::Sensitive, lines).expect("a pattern");
    walk(folder, Ask::default(), |walk| {
        count_matches(walk, &pattern, ResultOrder::Path, &|_| None, &|_, _| true)
    })
}

fn matched(folder: &TestFolder, name: &str, pattern: &str, lines: MatchSpan) -> Vec<u64> {
    let pattern = Pattern::new(pattern, CaseMatching::Sensitive, lines).expect("a pattern");
    let located = workspace(folder)
        .locate(&folder.join(name))
        .expect("located");
    let extent = ExcerptRange {
        skip: 0,
        take: u64::MAX,
        before: 0,
        after: 0,
        most_bytes: usize::MAX,
    };
    let never = || false;
    let found =
        FileSearcher::new(&pattern, &never).excerpt_of_file(located.open_reader(), None, extent);
    let lines = found.expect("searched").lines;
    lines.iter().map(|line| line.number).collect()
}
#[derive(Clone, Copy)]
struct Ask<'a> {
    path: &'a str,
    glob: Option<&'a str>,
    ignoring: IgnoreFiles,
    gate: &'a dyn Gate,
    stop: &'a dyn Stop,
}

impl Default for Ask<'_> {
    fn default() -> Self {
        Ask {
            path: "",
            glob: None,
            ignoring: IgnoreFiles::Respect,
            gate: &AllowAll,
            stop: &never,
        }
    }
}

fn never() -> bool {
    false
}

fn names(survey: &mut SearchSummary) -> Vec<String> {
    survey
        .files
        .all_entries()
        .iter()
        .map(|file| file.relative.display().to_string())
        .collect()
}

#[test]
fn what_is_left_out_is_counted_once_and_a_folder_as_one() {
    let folder = filled(&[
        (".gitignore", "build/\n*.log\n.both\n"),
        ("build/deep/a.rs", "x"),
        ("build/b.rs", "x"),
        ("a.log", "x"),
        (".both", "hidden and ignored is ignored"),
        (".hid/x", "x"),
        (".git/HEAD", "x"),
        ("kept.rs", "x"),
    ]);
    let (files, survey) = list(&folder, Ask::default());
    assert_eq!(files, ["kept.rs"]);
    let wanted = Tally {
        searched: 1,
        ignored: 3,
        hidden: 2,
        ..Tally::default()
    };
    assert_eq!(survey.tally, wanted);
}

#[test]
fn what_the_gate_holds_back_is_counted_and_nothing_else_is_told_of_it() {
    let folder = filled(&[
        ("a/secret.txt", "x"),
        ("a/open.txt", "x"),
        ("shut/b.txt", "x"),
    ]);
    let gate = |path: &Path, kind: EntryKind| match kind {
        EntryKind::Folder => !path.ends_with("shut"),
        _ => !path.ends_with("secret.txt"),
    };
    for glob in [None, Some("*.txt"), Some("**/secret.txt"), Some("nothing")] {
        let ask = Ask {
            gate: &gate,
            glob,
            ..Ask::default()
        };
        let (files, survey) = list(&folder, ask);
        assert_eq!(survey.tally.denied, 2, "{glob:?}");
        assert!(
            !files.iter().any(|file| file.contains("secret")),
            "{glob:?}"
        );
    }
}

#[test]
fn a_stop_stops_and_tells_where() {
    let files: Vec<(String, &str)> = (0..600)
        .map(|n| (format!("d{}/f{n}", n % 20), "x"))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, *text)).collect();
    let folder = filled(&files);
    let asked = AtomicUsize::new(0);
    let stop = || asked.fetch_add(1, Ordering::Relaxed) >= 30;
    let ask = Ask {
        stop: &stop,
        ..Ask::default()
    };
    let (files, survey) = list(&folder, ask);
    let at = survey.stopped_at.expect("it was stopped");
    assert!(at.starts_with(folder.path()));
    assert!(files.len() < 200, "{}", files.len());
    let all = list(&folder, Ask::default());
    assert_eq!((all.0.len(), all.1.stopped_at), (600, None));
}

#[test]
fn nothing_more_is_looked_at_once_a_stop_was_told() {
    // More entries than are listed and distributed at once.
    let folder = filled(&[]);
    for number in 0..9_000 {
        folder.put(format!("wide/f{number}"), b"x\n");
    }
    for (over, mode) in [(60, "list"), (60, "grep"), (1_500, "list"), (1_500, "grep")] {
        let (asked, after) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let stop = || asked.fetch_add(1, Ordering::Relaxed) >= over;
        let gate = |_: &Path, _: EntryKind| {
            if asked.load(Ordering::Relaxed) > over {
                after.fetch_add(1, Ordering::Relaxed);
            }
            true
        };
        let ask = Ask {
            stop: &stop,
            gate: &gate,
            ..Ask::default()
        };
        let pattern =
            Pattern::new("x", CaseMatching::Sensitive, MatchSpan::SingleLine).expect("a pattern");
        let survey = walk(&folder, ask, |walk| match mode {
            "list" => list_files(walk, ResultOrder::Newest, &|_, _| true),
            _ => count_matches(walk, &pattern, ResultOrder::Path, &|_| None, &|_, _| true),
        });
        assert!(survey.stopped_at.is_some(), "{mode}");
        assert!(survey.total < 9_000, "{mode}: {}", survey.total);
        // Each of three threads checks after every few files.
        let after = after.into_inner();
        assert!(after <= 3 * 8, "{mode}: {after} looked at after the stop");
    }
}

#[test]
fn pipes_and_links_are_not_opened_and_loops_end() {
    let folder = filled(&[("a.txt", "needle\n"), ("d/b.txt", "needle\n")]);
    let root = folder.path().to_owned();
    for name in ["pipe", ".gitignore", "d/.ignore"] {
        lancet_testing::make_pipe(root.join(name));
    }
    std::os::unix::fs::symlink("..", root.join("d/up")).expect("a link");
    std::os::unix::fs::symlink("a.txt", root.join("alias")).expect("a link");
    let mut survey = grep(&folder, "needle", MatchSpan::SingleLine);
    assert_eq!(names(&mut survey), ["a.txt", "d/b.txt"]);
    assert_eq!(survey.tally.links, 2);
}

#[test]
fn a_file_that_is_being_staged_is_not_there() {
    let folder = filled(&[("a.txt", ""), (".lancet-0123.tmp", "")]);
    let ask = Ask {
        glob: Some(".lancet-0123.tmp"),
        ..Ask::default()
    };
    assert_eq!(list(&folder, ask).0, Vec::<String>::new());
}

#[test]
fn a_nul_far_inside_ends_the_search_there_and_is_told() {
    let folder = filled(&[]);
    let line = b"needle in a long file\n";
    let lines = 5_000;
    let mut bytes = line.repeat(lines);
    bytes.push(0);
    bytes.extend(line.repeat(10));
    folder.put("late.txt", &bytes);
    // Larger than a file that is searched in one piece.
    let mut large = line.repeat(60_000);
    large.push(0);
    large.extend(line.repeat(10));
    folder.put("large.txt", &large);
    let mut survey = grep(&folder, "needle", MatchSpan::SingleLine);
    let counts: Vec<u64> = survey
        .files
        .all_entries()
        .iter()
        .map(|file| file.matches)
        .collect();
    assert_eq!(counts, [60_000, 5_000]);
    assert_eq!((survey.tally.cut, survey.tally.binary), (2, 0));
}

#[test]
fn a_large_file_is_searched_like_a_small_one() {
    let folder = filled(&[]);
    let line = "some line of text with a needle\nand one without\n";
    folder.put("large.txt", line.repeat(60_000).as_bytes());
    let wide: Vec<u8> = [0xFF, 0xFE]
        .into_iter()
        .chain(
            line.repeat(20_000)
                .encode_utf16()
                .flat_map(u16::to_le_bytes),
        )
        .collect();
    folder.put("wide.txt", &wide);
    let mut survey = grep(&folder, "needle", MatchSpan::SingleLine);
    let counts: Vec<u64> = survey
        .files
        .all_entries()
        .iter()
        .map(|file| file.matches)
        .collect();
    assert_eq!(counts, [60_000, 20_000]);
    let mut survey = grep(&folder, "needle\nand", MatchSpan::MultiLine);
    let counts: Vec<u64> = survey
        .files
        .all_entries()
        .iter()
        .map(|file| file.matches)
        .collect();
    assert_eq!(counts, [60_000, 20_000]);
}

#[test]
fn a_configured_encoding_is_searched_by_it() {
    let folder = filled(&[]);
    folder.put("old.txt", b"caf\xe9\n");
    let pattern =
        Pattern::new("café", CaseMatching::Sensitive, MatchSpan::SingleLine).expect("a pattern");
    let count = |label: Option<&'static str>| {
        walk(&folder, Ask::default(), |walk| {
            count_matches(walk, &pattern, ResultOrder::Path, &|_| label, &|_, _| true).matches
        })
    };
    assert_eq!((count(None), count(Some("windows-1252"))), (0, 1));
}

#[test]
fn the_excludes_of_a_linked_worktree_count() {
    let folder = filled(&[
        ("main/.git/info/exclude", "skipped\n"),
        ("main/.git/worktrees/w/commondir", "../..\n"),
        ("tree/skipped", ""),
        ("tree/kept", ""),
    ]);
    let git = folder.join("main/.git/worktrees/w");
    folder.put(
        "tree/.git",
        format!("gitdir: {}\n", git.display()).as_bytes(),
    );
    let ask = Ask {
        path: "tree",
        ..Ask::default()
    };
    assert_eq!(list(&folder, ask).0, ["kept"]);
}

/// Topics of ripgrep's issue tracker by their number there, and some others: rules (file and text), files, what a walk
/// finds.
type Topic = (
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static [&'static str],
    &'static [&'static str],
);

const TOPICS: &[Topic] = &[
    (
        "16",
        &[(".gitignore", "ghi/\n")],
        &["ghi/toplevel.txt", "def/ghi/sub.txt", "a"],
        &["a"],
    ),
    (
        "25",
        &[(".gitignore", "/llvm/\n")],
        &["src/llvm/foo", "llvm/x"],
        &["src/llvm/foo"],
    ),
    (
        "30",
        &[(".gitignore", "vendor/**\n!vendor/manifest\n")],
        &["vendor/manifest", "vendor/x"],
        &["vendor/manifest"],
    ),
    (
        "49",
        &[(".gitignore", "foo/bar\n")],
        &["test/foo/bar/baz", "foo/bar"],
        &["test/foo/bar/baz"],
    ),
    (
        "50",
        &[(".gitignore", "XXX/YYY/\n")],
        &["abc/def/XXX/YYY/bar", "ghi/XXX/YYY/bar"],
        &["abc/def/XXX/YYY/bar", "ghi/XXX/YYY/bar"],
    ),
    (
        "65",
        &[(".gitignore", "a/\n")],
        &["a/foo", "a/bar", "b"],
        &["b"],
    ),
    (
        "67",
        &[(".gitignore", "/*\n!/dir\n")],
        &["foo/bar", "dir/bar"],
        &["dir/bar"],
    ),
    (
        "87",
        &[(".gitignore", "foo\n**no-vcs**\n")],
        &["foo", "bar"],
        &["bar"],
    ),
    (
        "90",
        &[(".gitignore", "!.foo\n")],
        &[".foo", ".bar"],
        &[".foo"],
    ),
    (
        "ours",
        &[(".gitignore", "(\\d{1,3}\n[\n")],
        &["foo"],
        &["foo"],
    ),
    (
        "ours",
        &[(".gitignore", "foo1/\n!foo1/keep\n")],
        &["foo1/keep", "zoo"],
        &["zoo"],
    ),
    (
        "127",
        &[(".gitignore", "foo/sherlock\n")],
        &["foo/sherlock", "foo/watson"],
        &["foo/watson"],
    ),
    (
        "131",
        &[(".gitignore", "TopÑapa\n")],
        &["TopÑapa", "x"],
        &["x"],
    ),
    (
        "ours",
        &[(".ignore", "skip\n")],
        &["sub/skip", "sub/keep"],
        &["sub/keep"],
    ),
    (
        "184",
        &[(".gitignore", ".*\n"), ("foo/bar/.gitignore", "")],
        &["foo/bar/baz"],
        &["foo/bar/baz"],
    ),
    (
        "ours",
        &[("foo/.gitignore", "b.txt\n")],
        &["foo/b.txt", "b.txt"],
        &["b.txt"],
    ),
    (
        "ours",
        &[(".gitignore", "foo\n"), (".ignore", "!foo\n")],
        &["foo"],
        &["foo"],
    ),
    (
        "ours",
        &[(".ignore", "bar/*\n!bar/keep\n")],
        &["bar/keep", "bar/x"],
        &["bar/keep"],
    ),
    (
        "ours",
        &[(".gitignore", "!/foo\n/foo/bar\n")],
        &["bar/foo/bar/file1", "foo/bar/file2"],
        &["bar/foo/bar/file1"],
    ),
    (
        "ours",
        &[(".gitignore", "*.rs\r\n!keep.rs\r\n")],
        &["keep.rs", "a.rs"],
        &["keep.rs"],
    ),
    (
        "ours",
        &[(".gitignore", "a\\ b\n")],
        &["a b", "ab"],
        &["ab"],
    ),
    (
        "807",
        &[(".gitignore", ".a/b\n")],
        &[".a/b/file", ".a/c/file"],
        &[],
    ),
    (
        "829",
        &[(".gitignore", "/a/b\n")],
        &["a/b/test.txt", "a/c"],
        &["a/c"],
    ),
    (
        "ours",
        &[(".gitignore", "\n\n   \n")],
        &["sherlock"],
        &["sherlock"],
    ),
    (
        "1163",
        &[(".gitignore", "\u{feff}ignore/this/path\n")],
        &["ignore/this/path", "x"],
        &["x"],
    ),
    ("1173", &[(".gitignore", "**\n")], &["foo"], &[]),
    ("1174", &[(".gitignore", "**/**/*\n")], &["a/foo"], &[]),
    (
        "ours",
        &[(".gitignore", "dir\\/\n")],
        &["dir/x", "y"],
        &["y"],
    ),
    (
        "1757",
        &[(".ignore", "rust/target\n")],
        &["rust/target/x", "rust/source.rs"],
        &["rust/source.rs"],
    ),
    (
        "ours",
        &[(".ignore", "a\n"), (".rgignore", "!a\n")],
        &["a", "b"],
        &["a", "b"],
    ),
    (
        "2236",
        &[(".gitignore", "foo\\/\n")],
        &["foo/bar", "z"],
        &["z"],
    ),
    (
        "ours",
        &[(".gitignore", "*\n!*/\n!*.txt\n")],
        &["a/b/c.txt", "a/x"],
        &["a/b/c.txt"],
    ),
    (
        "ours",
        &[(".gitignore", "foobar/debug\n")],
        &["foobar/some/debug/flag", "foobar/debug/flag2"],
        &["foobar/some/debug/flag"],
    ),
];

#[test]
fn topics_of_ripgreps_tracker_about_ignore_rules() {
    for (number, rules, files, wanted) in TOPICS {
        let folder = filled(rules);
        for file in *files {
            folder.put(file, b"x");
        }
        assert_eq!(list(&folder, Ask::default()).0, *wanted, "topic {number}");
    }
}

#[test]
fn topics_of_ripgreps_tracker_about_lines() {
    // The number in ripgrep's tracker, or a name; text, pattern, whether matches span lines, the lines found.
    let topics: &[(&str, &str, &str, MatchSpan, &[u64])] = &[
        ("ours", "a\nb\n", "(?m)^b$", MatchSpan::SingleLine, &[2]),
        ("ours", "a\r\nb\r\n", "a$", MatchSpan::SingleLine, &[]),
        ("ours", "a\r\nb\r\n", "a\\r$", MatchSpan::SingleLine, &[1]),
        ("ours", "foo\nbar\n", "", MatchSpan::SingleLine, &[1, 2]),
        (
            "ours",
            "xxx\nyyy\nxxx\n",
            "x\\ny",
            MatchSpan::MultiLine,
            &[1, 2],
        ),
        ("ours", "foo", "foo", MatchSpan::SingleLine, &[1]),
        ("ours", "a\n\nb", "^$", MatchSpan::SingleLine, &[2]),
        (
            "1203",
            "153.230000\n",
            "\\d\\d\\d00",
            MatchSpan::SingleLine,
            &[1],
        ),
        (
            "1311",
            "hello\nworld\n",
            "\\n",
            MatchSpan::MultiLine,
            &[1, 2],
        ),
        (
            "1319",
            "CCAGCTACTCGGGAGGCTGAGGCTGGAGGATCGCTTGAGTCCAGGAGTTC\n",
            "TTGAGTCCAGGAG[ATCG]{2}C",
            MatchSpan::SingleLine,
            &[1],
        ),
        (
            "ours",
            "\nfoo\n",
            "(?s)^.foo",
            MatchSpan::MultiLine,
            &[1, 2],
        ),
        (
            "ours",
            "foo\nbar\n",
            "foo\\nbar",
            MatchSpan::MultiLine,
            &[1, 2],
        ),
        (
            "1537",
            "abc;de,fg",
            ";(.*,){1}",
            MatchSpan::SingleLine,
            &[1],
        ),
        ("1638", "\u{feff}x", "^x", MatchSpan::SingleLine, &[1]),
        ("ours", "a\n", "a\\z", MatchSpan::SingleLine, &[1]),
        (
            "ours",
            "foobar\nfoobar\nfoo quux",
            "foobar",
            MatchSpan::MultiLine,
            &[1, 2],
        ),
        ("ours", "a\nabc\n", "^abc", MatchSpan::SingleLine, &[2]),
        (
            "2095",
            "start\nvalues\nstop\nx\nstart\nend\n",
            "start.*?\\nstop",
            MatchSpan::MultiLine,
            &[1, 2, 3],
        ),
        (
            "2480",
            "FooBar\n",
            "(?i)notfoo|foobar",
            MatchSpan::SingleLine,
            &[1],
        ),
        (
            "2574",
            "some.domain.com\nsome.domain.com/x\n",
            "^(.+\\.)*domain.com$",
            MatchSpan::SingleLine,
            &[1],
        ),
    ];
    for (number, text, pattern, lines, wanted) in topics {
        let folder = filled(&[("f.txt", text)]);
        let found = matched(&folder, "f.txt", pattern, *lines);
        assert_eq!(found, *wanted, "topic {number}: {pattern:?} in {text:?}");
    }
}
