//! PDFs through the program: a worker process reads them, and whatever the file contains, the program answers.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};

use lancet::tools::ReadArguments;
use lancet::{Lancet, RefusalKind};
use lancet_pdf::Worker;

use crate::stage::{LANCET, Stage};

/// Returns a document of one page, which draws these commands with these resources and further objects from number 5
/// on.
fn document(drawn: &str, resources: &str, further: &[String]) -> String {
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 90 60] /Resources << {resources} >> /Contents 4 0 R >>"
        ),
        stream("", drawn),
    ];
    objects.extend_from_slice(further);
    let mut pdf = "%PDF-1.4\n".to_owned();
    let mut places = "0000000000 65535 f \n".to_owned();
    for (number, object) in objects.iter().enumerate() {
        places.push_str(&format!("{:010} 00000 n \n", pdf.len()));
        pdf.push_str(&format!("{} 0 obj\n{object}\nendobj\n", number + 1));
    }
    let (place, count) = (pdf.len(), objects.len() + 1);
    pdf.push_str(&format!(
        "xref\n0 {count}\n{places}trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{place}\n%%EOF\n"
    ));
    pdf
}

fn stream(fields: &str, content: &str) -> String {
    format!(
        "<< {fields} /Length {} >>\nstream\n{content}\nendstream",
        content.len()
    )
}

fn good() -> String {
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned();
    document(
        "BT /F 12 Tf 9 30 Td (Kite report) Tj ET",
        "/Font << /F 5 0 R >>",
        &[font],
    )
}

/// Returns twelve forms, each of which draws the next one ten times.
fn endless() -> String {
    let form = "/Type /XObject /Subtype /Form /BBox [0 0 90 60]";
    let mut forms: Vec<String> = (6..18)
        .map(|next| {
            let fields = format!("{form} /Resources << /XObject << /F {next} 0 R >> >>");
            stream(&fields, &"/F Do ".repeat(10))
        })
        .collect();
    forms.push(stream(form, "0 0 1 1 re f"));
    document("/F Do", "/XObject << /F 5 0 R >>", &forms)
}

/// Returns a function with a hundred thousand braces, which are read recursively.
fn deep() -> String {
    let braces = format!("{{ {}{} }}", "{".repeat(100_000), "}".repeat(100_000));
    let function = stream("/FunctionType 4 /Domain [0 1 0 1] /Range [0 1]", &braces);
    let shading = "/Shading << /S << /ShadingType 1 /ColorSpace /DeviceGray /Function 5 0 R /Domain [0 1 0 1] >> >>";
    document("/S sh", shading, &[function])
}

/// Returns a page that draws itself, over and over.
fn recursive() -> String {
    let fields =
        "/Type /XObject /Subtype /Form /BBox [0 0 90 60] /Resources << /XObject << /F 5 0 R >> >>";
    document(
        "/F Do",
        "/XObject << /F 5 0 R >>",
        &[stream(fields, "/F Do")],
    )
}

/// Returns a document whose encryption opens with no password that is known.
fn locked() -> String {
    let key = "<30303030303030303030303030303030303030303030303030303030303030FF>";
    let encryption = format!("<< /Filter /Standard /V 1 /R 2 /O {key} /U {key} /P -4 >>");
    document("", "", &[encryption]).replace(
        "/Root 1 0 R",
        "/Root 1 0 R /Encrypt 5 0 R /ID [<3030> <3030>]",
    )
}

#[test]
fn a_page_is_read_behind_the_wall() {
    let stage = Stage::new();
    stage.file("a.pdf", &good());
    let run = stage.run(&["read", "a.pdf"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.out.starts_with("[lancet: PDF, 1 page; page 1 as text]"),
        "{run:?}"
    );
    assert!(run.out.contains("Kite report"), "{run:?}");
    let run = stage.run(&["read", "a.pdf", "--pages", "2"]);
    assert!(
        run.code != 0 && run.err.contains("there is no page 2"),
        "{run:?}"
    );
}

#[test]
fn the_content_decides_what_is_a_pdf() {
    let stage = Stage::new();
    stage.file("a.txt", &good());
    let run = stage.run(&["read", "a.txt"]);
    assert!(run.out.starts_with("[lancet: PDF, 1 page"), "{run:?}");
    stage.file("b.txt", "%PDF-1.4 is the first line of a PDF.\n");
    let run = stage.run(&["read", "b.txt"]);
    assert!(run.out.contains("is the first line of a PDF."), "{run:?}");
}

#[test]
fn poison_is_one_sentence_and_the_host_lives() {
    let stage = Stage::new();
    let session = Lancet::builder()
        .root(stage.project())
        .pdf_reader(Worker::new(LANCET, vec!["--pdf-worker".into()]))
        .open()
        .expect("opened")
        .new_session();
    let read = |name: &str, pdf: &str| {
        let path = stage.file(name, pdf);
        let reply = session.read(ReadArguments::new(path));
        (reply.refusal(), reply.text().to_owned())
    };
    let whole = good();
    let cut = &whole[..whole.len() / 2];
    for (name, pdf, words) in [
        (
            "endless.pdf",
            endless().as_str(),
            "took too long (page 1). Ask for other pages",
        ),
        (
            "deep.pdf",
            &deep(),
            "it is damaged, or takes more memory than is allowed (page 1)",
        ),
        ("locked.pdf", &locked(), "protected by a password"),
        (
            "none.pdf",
            &whole
                .replace("/Kids [3 0 R]", "/Kids [     ]")
                .replace("/Type /Page ", "/Type /Book "),
            "it has no pages",
        ),
        ("cut.pdf", &cut[..60], "damaged"),
        ("junk.pdf", "%PDF-1.7\njunk", "damaged"),
    ] {
        let (refusal, text) = read(name, pdf);
        assert_eq!(refusal, Some(RefusalKind::Damaged), "{name}: {text}");
        assert!(text.contains(words), "{name}: {text}");
    }
    for (name, pdf) in [("recursive.pdf", recursive()), ("whole.pdf", whole)] {
        let (refusal, text) = read(name, &pdf);
        assert_eq!(refusal, None, "{name}: {text}");
    }
}

#[test]
fn without_its_program_the_worker_is_said_to_be_missing() {
    let stage = Stage::new();
    let path = stage.file("a.pdf", &good());
    let session = Lancet::builder()
        .root(stage.project())
        .pdf_reader(Worker::new("/no/such/program", Vec::new()))
        .open()
        .expect("opened")
        .new_session();
    let reply = session.read(ReadArguments::new(path));
    assert_eq!(reply.refusal(), Some(RefusalKind::Io), "{}", reply.text());
    assert!(
        reply.text().contains("could not be started"),
        "{}",
        reply.text()
    );
}

/// The worker waits for its input, which stays open, so nothing else ends it.
#[test]
fn the_worker_ends_with_the_process_that_started_it() {
    let mut parent = Command::new("sh")
        .args(["-c", "\"$0\" --pdf-worker; true", LANCET])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let id = parent.id();
    let children = format!("/proc/{id}/task/{id}/children");
    loop {
        let child = fs::read_to_string(&children).expect("the parent is there");
        let limits = Path::new("/proc").join(child.trim()).join("limits");
        // Its memory is limited after it has requested that the kernel end it with its parent.
        let is_limited = |limits: String| {
            limits
                .lines()
                .any(|line| line.starts_with("Max address space") && line.contains("536870912"))
        };
        if !child.trim().is_empty() && fs::read_to_string(limits).is_ok_and(is_limited) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    parent.kill().expect("killed");
    let mut said = String::new();
    let mut output = parent.stdout.take().expect("a pipe");
    output.read_to_string(&mut said).expect("its end");
    assert_eq!(said, "");
    parent.wait().expect("ended");
}
