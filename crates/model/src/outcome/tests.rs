//! The JSON of every outcome: the names and order of its fields are part of the interface.

use crate::non_exhaustive::NonExhaustive;
use serde_json::json;

use super::*;
use crate::refusal::Refusal;
use crate::row::PageRows;

fn to_json(outcome: &Outcome) -> String {
    serde_json::to_string(outcome).expect("an outcome serialises")
}

fn file_outcome(path: &str) -> FileOutcome {
    FileOutcome {
        path: path.into(),
        kind: ChangeKind::Update,
        from_path: None,
        added: 1,
        removed: 2,
        patch: vec![Hunk {
            old_start: 1,
            old_lines: 2,
            new_start: 1,
            new_lines: 1,
            lines: vec!["-a".to_owned(), "-b".to_owned(), "+c".to_owned()],
        }],
        encoding: "utf-8",
        line_endings: LineEndings::Crlf,
        user_modified: false,
        warnings: vec!["a sentence".to_owned()],
        executable: ExecutableChange::Keep,
        coarse: false,
        matching: Some(Matching {
            rungs: vec![Rung::Indent, Rung::Exact],
            replacements: 2,
            non_exhaustive: NonExhaustive,
        }),
        written: Some(WrittenFile {
            revision: "0a1b".to_owned(),
            guarantee: WriteGuarantee::ExchangeLeased,
            durable: true,
            non_exhaustive: NonExhaustive,
        }),
        git_diff: None,
        syntax_error: None,
        non_exhaustive: NonExhaustive,
    }
}

fn change_outcome(files: Vec<FileOutcome>, layout: Layout) -> ChangeOutcome {
    ChangeOutcome {
        files,
        operation: Some("op".to_owned()),
        dry_run: false,
        found_back: Vec::new(),
        left_out: Vec::new(),
        omitted: Vec::new(),
        notes: Vec::new(),
        lead: None,
        diagnosis: Default::default(),
        layout,
        non_exhaustive: NonExhaustive,
    }
}

const FILE_JSON: &str = r#""file_path":"/r/a","type":"update","added":1,"removed":2,"patch":[{"oldStart":1,"oldLines":2,"newStart":1,"newLines":1,"lines":["-a","-b","+c"]}],"encoding":"utf-8","lineEndings":"crlf","userModified":false,"warnings":["a sentence"],"matched":"indent","replacements":2,"rungs":["indent","exact"],"revision":"0a1b","guarantee":"exchange+lease","durable":true"#;

#[test]
fn serializes_change_of_one_file_as_one_object() {
    let outcome = Outcome::Changed(change_outcome(vec![file_outcome("/r/a")], Layout::OneFile));
    assert_eq!(
        to_json(&outcome),
        format!(r#"{{{FILE_JSON},"operation":"op"}}"#)
    );
    assert_eq!(outcome.paths(), [Path::new("/r/a")]);
}

#[test]
fn serializes_change_of_files_as_list_with_unwritten_files() {
    let mut undone = change_outcome(vec![file_outcome("/r/a")], Layout::Files);
    let list = |rest: &str| format!(r#"{{"files":[{{{FILE_JSON}}}],"file_path":"/r/a",{rest}}}"#);
    let of = |change: &ChangeOutcome| to_json(&Outcome::Changed(change.clone()));
    assert_eq!(of(&undone), list(r#""operation":"op""#));
    undone.operation = None;
    undone.dry_run = true;
    undone.found_back = vec!["/r/b".into()];
    undone.left_out = vec![LeftOutFile {
        path: "/r/c".into(),
        operation: "other".to_owned(),
        non_exhaustive: NonExhaustive,
    }];
    undone.notes = vec!["a note".to_owned()];
    let others = r#""foundBack":["/r/b"],"leftOut":[{"file_path":"/r/c","operation":"other"}],"warnings":["a note"]"#;
    assert_eq!(of(&undone), list(&format!(r#""dryRun":true,{others}"#)));
    undone.files.clear();
    assert_eq!(
        of(&undone),
        format!(r#"{{"files":[],"dryRun":true,{others}}}"#)
    );
    undone.dry_run = false;
    assert_eq!(
        of(&undone),
        format!(r#"{{"files":[],"file_path":"/r/b",{others}}}"#)
    );
    assert_eq!(Outcome::Changed(undone).paths().len(), 2);
}

#[test]
fn serializes_read_search_and_refusal_as_objects() {
    let read = ReadOutcome {
        kind: ReadKind::Unchanged,
        path: "/r/a".into(),
        start_line: 1,
        num_lines: 0,
        total_lines: 7,
        encoding: "utf-8",
        line_endings: LineEndings::None,
        truncated: false,
        revision: "0a1b".to_owned(),
        picture: None,
        symbols: Vec::new(),
        non_exhaustive: NonExhaustive,
    };
    assert_eq!(
        to_json(&Outcome::Read(read)),
        r#"{"type":"unchanged","file_path":"/r/a","startLine":1,"numLines":0,"totalLines":7,"encoding":"utf-8","lineEndings":"none","truncated":false,"revision":"0a1b"}"#
    );
    let found = SearchOutcome {
        starts: Vec::new(),
        files: vec!["a".to_owned()],
        num_files: 1,
        num_matches: None,
        totals: Totals::AtLeast,
        truncated: true,
        files_searched: 3,
        skipped: SkippedFiles::default(),
        timed_out: true,
        rows: PageRows::Lines(Vec::new()),
        non_exhaustive: NonExhaustive,
    };
    assert_eq!(
        to_json(&Outcome::Found(found)),
        r#"{"file_path":null,"files":["a"],"numFiles":1,"totals":"at_least","truncated":true,"filesSearched":3,"skipped":{"ignored":0,"hidden":0,"denied":0,"binary":0,"tooLarge":0,"unreadable":0},"timedOut":true}"#
    );
    let refusal = Refusal::new(RefusalKind::Stale, "text")
        .with_field("file_path", "/r/real")
        .with_field("lines", json!([2]));
    let (text, refused) = RefusedOutcome::new(refusal, Numbers::Write, Some("named"));
    assert_eq!(text, "text");
    assert_eq!(
        to_json(&Outcome::Refused(refused)),
        r#"{"error":{"code":3,"name":"stale","file_path":"/r/real","lines":[2]},"file_path":"/r/real"}"#
    );
}

#[test]
fn serializes_only_known_fields_of_git_diff() {
    let status = |status| GitDiff {
        file: None,
        status,
        reason: None,
        attribute: None,
        lines: None,
        non_exhaustive: NonExhaustive,
    };
    let json = |diff: &GitDiff| serde_json::to_string(diff).expect("it serialises");
    let none = status(GitStatus::NoRepository);
    assert_eq!(json(&none), r#"{"status":"no_repository"}"#);
    let compared = GitDiff {
        file: Some(GitFile {
            filename: "a".into(),
            head: None,
            non_exhaustive: NonExhaustive,
        }),
        lines: Some(GitLines {
            additions: 1,
            deletions: 0,
            changes: 1,
            coarse: false,
            patch: Some("+a\n".to_owned()),
            non_exhaustive: NonExhaustive,
        }),
        ..status(GitStatus::Added)
    };
    assert_eq!(
        json(&compared),
        r#"{"filename":"a","head":null,"status":"added","additions":1,"deletions":0,"changes":1,"patch":"+a\n"}"#
    );
}
