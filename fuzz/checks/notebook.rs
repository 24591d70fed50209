//! Properties of any text as a notebook: it is parsed or refused without a panic; if it is parsed, each change of a
//! cell results in a notebook in which that cell, and no other, has changed.

use lancet_formats::Notebook;
use lancet_formats::notebook::{CellType, NewCell, Splice};

const SOURCE: &str = "new \"source\"\n\t\\é";

pub(crate) fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(notebook) = Notebook::parse(&text) else {
        return;
    };
    let sources = |text: &str| -> Vec<String> {
        let notebook = Notebook::parse(text).expect("a changed notebook is a notebook");
        notebook.cells().iter().map(|cell| cell.source()).collect()
    };
    for cell in notebook.cells() {
        let _ = cell.outputs();
        assert!(text.get(cell.range()).is_some());
    }
    if !notebook.is_editable() {
        return;
    }
    let before = sources(&text);
    let at = data.len() % (before.len() + 1);
    let mut wanted = before.clone();
    wanted.insert(at, SOURCE.to_owned());
    let cell = NewCell::new(CellType::Markdown, SOURCE);
    assert_eq!(sources(&spliced(&text, notebook.insert(at, &cell))), wanted);
    if at < before.len() {
        let mut wanted = before.clone();
        wanted[at] = SOURCE.to_owned();
        let changed = spliced(&text, notebook.replace(at, SOURCE, None));
        assert_eq!(sources(&changed), wanted);
        wanted.remove(at);
        assert_eq!(sources(&spliced(&text, notebook.delete(at))), wanted);
    }
}

fn spliced(text: &str, splices: Vec<Splice>) -> String {
    let (mut out, mut copied) = (String::new(), 0);
    for splice in splices {
        out.push_str(&text[copied..splice.range.start]);
        out.push_str(&splice.text);
        copied = splice.range.end;
    }
    out + &text[copied..]
}
