//! Checks that a file that is in memory gives the same lines as the same file on the disk, whatever it contains.

use std::sync::Arc;

use lancet_search::{
    CaseMatching, Excerpt, ExcerptRange, FileOutcome, FileSearcher, MatchSpan, Pattern,
};
use lancet_testing::TestFolder;
use lancet_workspace::{RealDisk, Workspace};

const ALL: ExcerptRange = ExcerptRange {
    skip: 0,
    take: u64::MAX,
    before: 0,
    after: 0,
    most_bytes: usize::MAX,
};

fn wide(text: &str) -> Vec<u8> {
    let units = text.encode_utf16().flat_map(u16::to_le_bytes);
    [0xFF, 0xFE].into_iter().chain(units).collect()
}

/// Returns files of every kind that is read differently.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let lines = format!("a needle\nhay\n{}", "more hay\n".repeat(100)).into_bytes();
    let with_late_nul = [&lines.repeat(100)[..], b"\0", &lines].concat();
    // Larger than what is searched in one piece.
    let large = lines.repeat(1_500);
    let large_with_late_nul = [&large[..], b"\0", &lines].concat();
    let large_wide = wide(&String::from_utf8_lossy(&lines.repeat(700)));
    vec![
        ("empty", Vec::new()),
        ("plain", b"hay\na needle\nhay\nneedle".to_vec()),
        ("crlf", b"hay\r\na needle\r\n".to_vec()),
        ("cr", b"hay\ra needle\rhay".to_vec()),
        ("mark", b"\xEF\xBB\xBFneedle\nneedle\n".to_vec()),
        ("wide", wide("hay\na needle\n")),
        ("wide large", large_wide),
        ("no utf-8", b"caf\xe9 needle\n".to_vec()),
        ("binary", b"needle\n\0needle\n".to_vec()),
        ("late nul", with_late_nul),
        ("large", large),
        ("large late nul", large_with_late_nul),
        (
            "large line",
            [&b"x".repeat(2 << 20)[..], b"needle\n"].concat(),
        ),
    ]
}

/// Returns the excerpt of a file from the disk and from memory.
fn both(
    name: &str,
    bytes: &[u8],
    searcher: &FileSearcher<'_>,
    encoding: Option<&'static str>,
    extent: ExcerptRange,
) -> [Result<Excerpt, FileOutcome>; 2] {
    let folder = TestFolder::new();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("written");
    let roots = [folder.path().to_owned()];
    let workspace = Workspace::open(&roots, Arc::new(RealDisk), None).expect("opens");
    let located = workspace.locate(&path).expect("located");
    [
        searcher.excerpt_of_file(located.open_reader(), encoding, extent),
        searcher.excerpt_of_bytes(bytes, encoding, extent),
    ]
}

#[test]
fn a_file_in_memory_gives_the_lines_of_the_file_on_the_disk() {
    for (expression, span) in [
        ("needle", MatchSpan::SingleLine),
        ("^.*needle$", MatchSpan::SingleLine),
        ("needle\nhay", MatchSpan::MultiLine),
    ] {
        let pattern = Pattern::new(expression, CaseMatching::Sensitive, span).expect("a pattern");
        let never = || false;
        // One searcher for all files: no file may leave anything behind for the next.
        let searcher = FileSearcher::new(&pattern, &never);
        for (name, bytes) in files() {
            for encoding in [None, Some("windows-1252")] {
                for (before, take) in [(0, u64::MAX), (2, 3)] {
                    let extent = ExcerptRange {
                        before,
                        take,
                        ..ALL
                    };
                    let [disk, memory] = both(name, &bytes, &searcher, encoding, extent);
                    assert_eq!(disk, memory, "{name} {expression:?} {encoding:?}");
                }
            }
        }
    }
}

#[test]
fn the_offset_of_a_line_is_where_it_begins_in_the_file() {
    let pattern =
        Pattern::new("needle", CaseMatching::Sensitive, MatchSpan::SingleLine).expect("compiles");
    let never = || false;
    let searcher = FileSearcher::new(&pattern, &never);
    for (name, bytes) in files() {
        if ["mark", "wide", "wide large", "binary"].contains(&name) {
            continue;
        }
        let around = ExcerptRange {
            before: 1,
            after: 1,
            ..ALL
        };
        let excerpt = searcher
            .excerpt_of_bytes(&bytes, None, around)
            .expect("searched");
        assert_eq!(excerpt.lines.is_empty(), name == "empty");
        let (mut passed, mut number) = (0, 1);
        for line in excerpt.lines {
            let start = line.offset as usize;
            let ends = bytes[passed..start].split(|byte| *byte == b'\n').count() - 1;
            (passed, number) = (start, number + ends as u64);
            assert_eq!(number, line.number, "{name}");
            if line.left_out == (0, 0) {
                assert!(bytes[start..].starts_with(&line.bytes), "{name}");
            }
        }
    }
}
