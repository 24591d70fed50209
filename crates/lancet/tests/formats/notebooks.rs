//! NotebookEdit checked with Python's nbformat, over notebooks of many forms: every result is as valid as its original,
//! and every cell but the intended one is equal. Undo restores the bytes of the original.

use std::fmt::Write as _;

use lancet::tools::{CellEditMode, CellType, NotebookEditArguments, ReadArguments};
use lancet::{Lancet, Mode, Session};
use lancet_testing::TestFolder;
use lancet_testing::folder::names;
use serde_json::json;

use crate::python::{packages, run};

const SOURCES: [&str; 4] = [
    "y = 2",
    " ",
    "# “Title” 🚀\n\n\ttext \\alpha \"quoted\"\n",
    "one\ntwo",
];

fn opened(folder: &TestFolder, state: &TestFolder) -> Session {
    Lancet::builder()
        .root(folder.path())
        .state_dir(state.path())
        .mode(Mode::AcceptEdits)
        .open()
        .expect("opened")
        .new_session()
}

/// Returns the number of cells that Read reports for a notebook.
fn count_cells(session: &Session, path: &str) -> u64 {
    let mut arguments = ReadArguments::default();
    arguments.file_path = path.to_owned();
    let reply = session.read(arguments);
    assert!(!reply.is_error(), "{path}: {}", reply.text());
    reply.data()["totalLines"].as_u64().expect("a number")
}

#[test]
fn nbformat_finds_every_result_valid_and_every_other_cell_equal() {
    let Some(packages) = packages() else { return };
    let (folder, state) = (TestFolder::new(), TestFolder::new());
    run(&packages, "make_notebooks.py", folder.path(), "");
    let session = opened(&folder, &state);
    let names = names(folder.path());
    assert!(names.len() >= 60, "{}", names.len());
    let (mut edits, mut total) = (String::new(), 0);
    for (index, name) in names.iter().enumerate() {
        let path = folder.path().join(name);
        let given = path.to_str().expect("UTF-8").to_owned();
        let original = std::fs::read(&path).expect("the notebook");
        let cells = count_cells(&session, &given);
        for (round, mode) in [
            CellEditMode::Replace,
            CellEditMode::Insert,
            CellEditMode::Delete,
        ]
        .into_iter()
        .enumerate()
        {
            let at = (index + round) as u64 % cells;
            let source = SOURCES[(index + round) % SOURCES.len()];
            let mut arguments = NotebookEditArguments::default();
            arguments.notebook_path = given.clone();
            arguments.cell_number = Some(at);
            arguments.edit_mode = mode;
            let (mode, at) = match mode {
                CellEditMode::Delete => ("delete", at),
                CellEditMode::Insert => {
                    arguments.new_source = Some(source.to_owned());
                    arguments.cell_type = Some(CellType::Code);
                    arguments.before = index % 2 == 0;
                    ("insert", if arguments.before { at } else { at + 1 })
                }
                _ => {
                    arguments.new_source = Some(source.to_owned());
                    ("replace", at)
                }
            };
            let reply = session.notebook_edit(arguments);
            assert!(!reply.is_error(), "{name}: {mode} {at}: {}", reply.text());
            let result = format!("{name}.{round}");
            std::fs::copy(&path, folder.path().join(&result)).expect("a copy");
            let line = json!({ "old": format!("{name}.old"), "new": result, "mode": mode, "at": at, "source": source });
            writeln!(edits, "{line}").expect("a string");
            total += 1;
            let undone = session.undo();
            assert!(!undone.is_error(), "{name}: {}", undone.text());
            assert_eq!(
                std::fs::read(&path).expect("the notebook"),
                original,
                "{name}"
            );
        }
        std::fs::write(folder.path().join(format!("{name}.old")), &original).expect("a copy");
    }
    let said = run(&packages, "judge_notebooks.py", folder.path(), &edits);
    assert_eq!(said.trim(), "0 wrong", "{total} edits\n{said}");
}
