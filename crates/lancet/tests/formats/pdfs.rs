//! PDFs checked with poppler, and how Read shows pages. The reader runs in this process; what the worker process adds
//! is tested with the program itself.

use std::path::Path;

use lancet::pdf::{PdfError, PdfPages, PdfReader, PdfRequest};
use lancet::tools::ReadArguments;
use lancet::{Block, Lancet, Mode, RefusalKind, Reply, Session};
use lancet_testing::TestFolder;
use lancet_testing::judges;
use serde_json::json;

use crate::python::{packages, run};

/// Reads in this process.
struct Here;

impl PdfReader for Here {
    fn read(
        &self,
        pdf: &[u8],
        request: &PdfRequest,
        _: &dyn Fn() -> bool,
    ) -> Result<PdfPages, PdfError> {
        let document = lancet_pdf::Document::open(pdf.to_vec())?;
        let mut read = PdfPages {
            total: document.page_count(),
            ..PdfPages::default()
        };
        let Ok(()) = lancet_pdf::read_pages(&document, request, |page| {
            read.pages.push(page);
            Ok::<(), std::convert::Infallible>(())
        });
        Ok(read)
    }
}

fn opened(folder: &TestFolder, settings: &str) -> Session {
    Lancet::builder()
        .root(folder.path())
        .mode(Mode::AcceptEdits)
        .settings(lancet_testing::settings(settings))
        .pdf_reader(Here)
        .open()
        .expect("opened")
        .new_session()
}

fn read(session: &Session, path: &Path, pages: Option<&str>) -> Reply {
    let mut arguments = ReadArguments::new(path);
    arguments.pages = pages.map(str::to_owned);
    session.read(arguments)
}

fn pictures(reply: &Reply) -> usize {
    let is_picture = |block: &&Block| matches!(block, Block::Picture { .. });
    reply.blocks().iter().filter(is_picture).count()
}

/// Makes a document with a line of text on each page. Page 2 also has a picture of a few pixels that covers it.
fn document(pages: usize) -> Vec<u8> {
    let kids: Vec<String> = (0..pages)
        .map(|page| format!("{} 0 R", 5 + 2 * page))
        .collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{}] /Count {pages} >>", kids.join(" ")),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
        "<< /Type /XObject /Subtype /Image /Width 2 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceGray /Length 4 >>\nstream\n 0@P\nendstream".to_owned(),
    ];
    for page in 0..pages {
        let picture = if page == 1 {
            "q 90 0 0 60 0 0 cm /I Do Q "
        } else {
            ""
        };
        let drawn = format!("{picture}BT /F 12 Tf 9 30 Td (Sheet {}) Tj ET", page + 1);
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 90 60] /Resources << /Font << /F 3 0 R >> /XObject << /I 4 0 R >> >> /Contents {} 0 R >>",
            6 + 2 * page
        ));
        objects.push(format!(
            "<< /Length {} >>\nstream\n{drawn}\nendstream",
            drawn.len()
        ));
    }
    let mut pdf = "%PDF-1.4\n".to_owned();
    for (number, object) in objects.iter().enumerate() {
        pdf.push_str(&format!("{} 0 obj\n{object}\nendobj\n", number + 1));
    }
    pdf.push_str("trailer\n<< /Root 1 0 R >>\n%%EOF\n");
    pdf.into_bytes()
}

#[test]
fn the_first_ten_pages_come_with_the_number_of_pages_and_the_next_call() {
    let folder = TestFolder::new();
    // The name decides nothing; the header and the end of the file do.
    folder.put("a.txt", document(23));
    let session = opened(&folder, "");
    let path = folder.path().join("a.txt");
    let reply = read(&session, &path, None);
    let text = reply.text();
    assert!(
        text.starts_with("[lancet: PDF, 23 pages; pages 1, 3-10 as text; page 2 as a picture with its text]\n<page number=\"1\">\nSheet 1\n</page>\n"),
        "{text}"
    );
    assert!(
        text.contains("Sheet 10\n") && !text.contains("Sheet 11"),
        "{text}"
    );
    assert!(
        text.contains("pages 1-10 of 23") && text.contains("\"pages\": \"11-20\""),
        "{text}"
    );
    assert_eq!(pictures(&reply), 1);
    let data = reply.data();
    assert_eq!(
        (
            &data["type"],
            &data["startLine"],
            &data["numLines"],
            &data["totalLines"],
            &data["truncated"]
        ),
        (
            &json!("pdf"),
            &json!(1),
            &json!(10),
            &json!(23),
            &json!(true)
        )
    );
    assert_eq!(read(&session, &path, None).data()["type"], "unchanged");
}

#[test]
fn pages_are_chosen_and_at_most_twenty_at_a_time() {
    let folder = TestFolder::new();
    folder.put("a.pdf", document(23));
    let session = opened(&folder, "read.pdf = \"text\"\n");
    let path = folder.path().join("a.pdf");
    let reply = read(&session, &path, Some("22-"));
    assert!(reply.text().contains("pages 22-23 of 23") && !reply.text().contains("Next"));
    let reply = read(&session, &path, Some("3-4"));
    assert!(reply.text().contains("Sheet 4") && !reply.text().contains("Next"));
    let reply = read(&session, &path, Some("1-23"));
    let text = reply.text();
    assert!(
        text.contains("pages 1-20 of 23") && text.contains("\"pages\": \"21-23\""),
        "{text}"
    );
    let reply = read(&session, &path, Some("24"));
    assert_eq!(reply.refusal(), Some(RefusalKind::Invalid));
    assert!(reply.text().contains("has 23 pages"), "{}", reply.text());
    assert_eq!(pictures(&reply), 0);
}

#[test]
fn one_page_alone_is_a_picture_with_its_text_unless_the_settings_say_otherwise() {
    let folder = TestFolder::new();
    folder.put("a.pdf", document(3));
    let path = folder.path().join("a.pdf");
    for (settings, has_text, has_picture) in [
        ("", true, true),
        ("read.pdf = \"text\"\n", true, false),
        ("read.pdf = \"pictures\"\n", false, true),
        (
            "read.pdf = \"pictures\"\nread.images = \"off\"\n",
            true,
            false,
        ),
    ] {
        let reply = read(&opened(&folder, settings), &path, Some("3"));
        assert_eq!(reply.text().contains("Sheet 3"), has_text, "{settings}");
        assert_eq!(pictures(&reply), usize::from(has_picture), "{settings}");
    }
}

#[test]
fn a_pdf_is_never_seen_and_pages_are_for_pdfs_alone() {
    let folder = TestFolder::new();
    folder.put("a.pdf", document(1));
    folder.put("a.txt", b"one\n");
    folder.put("cut.pdf", b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog");
    let session = opened(&folder, "");
    let path = folder.path().join("a.pdf");
    assert!(!read(&session, &path, None).is_error());
    let write = json!({ "file_path": path, "content": "x" });
    let reply = session.call(lancet::RawCall::new("Write", write));
    assert!(reply.is_error(), "{}", reply.text());
    let edit = json!({ "file_path": path, "old_string": "Sheet", "new_string": "x" });
    let reply = session.call(lancet::RawCall::new("Edit", edit));
    assert!(reply.is_error(), "{}", reply.text());
    let reply = read(&session, &folder.path().join("a.txt"), Some("1"));
    assert_eq!(
        reply.refusal(),
        Some(RefusalKind::Invalid),
        "{}",
        reply.text()
    );
    let reply = read(&session, &folder.path().join("cut.pdf"), None);
    assert_eq!(
        reply.refusal(),
        Some(RefusalKind::Damaged),
        "{}",
        reply.text()
    );
}

#[test]
fn poppler_reads_the_same_words_and_draws_the_same_picture() {
    let Some(packages) = packages() else { return };
    let is_there = |program: &&str| {
        std::process::Command::new(program)
            .arg("-v")
            .output()
            .is_ok()
    };
    if let Some(program) = ["pdftotext", "pdftoppm"]
        .iter()
        .find(|program| !is_there(program))
    {
        return judges::missing(program);
    }
    let folder = TestFolder::new();
    run(&packages, "make_pdfs.py", folder.path(), "");
    let prints = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/prints");
    let names = ["prose", "table", "columns", "spaced", "drawing"].map(str::to_owned);
    let mut names = names.to_vec();
    for name in ["article", "table", "code", "columns", "odd"] {
        let print = format!("print-{name}");
        let bytes = std::fs::read(prints.join(format!("{name}.pdf"))).expect("read");
        folder.put(format!("{print}.pdf"), bytes);
        names.push(print);
    }
    let session = opened(&folder, "");
    let mut pages = String::new();
    for name in names {
        let file = format!("{name}.pdf");
        let recall = if name == "print-odd" { 0.90 } else { 0.98 };
        let reply = read(&session, &folder.path().join(&file), Some("1"));
        let Some(Block::Picture { bytes, .. }) = reply.blocks().get(1) else {
            panic!("{name}: {}", reply.text());
        };
        let Block::Text(text) = &reply.blocks()[0] else {
            panic!("{name}: {}", reply.text());
        };
        let text: Vec<&str> = text
            .lines()
            .filter(|line| !line.starts_with("[lancet:") && !line.starts_with('<'))
            .collect();
        let picture = format!("{name}.sent");
        std::fs::write(folder.path().join(&picture), &**bytes).expect("written");
        let page = json!({ "file": file, "page": 1, "text": text.join("\n"), "picture": picture, "recall": recall });
        pages.push_str(&format!("{page}\n"));
    }
    let said = run(&packages, "judge_pdfs.py", folder.path(), &pages);
    assert_eq!(said.trim(), "0 wrong", "{said}");
}
