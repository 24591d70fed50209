//! Pictures checked with Pillow: whatever a file is, Read sends for it either a whole picture within the limits of the
//! APIs of models, or nothing. The server keeps answering.

use std::fmt::Write as _;
use std::path::Path;

use lancet::tools::ReadArguments;
use lancet::{Block, Lancet, Mode, RefusalKind, Reply, Session};
use lancet_testing::TestFolder;
use serde_json::json;

use crate::python::{packages, run};

/// A PNG of 13 by 7 pixels.
const SMALL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\r\0\0\0\x07\x08\x02\0\0\0\\\x12PM\0\0\0\x11IDATx\xdac8!'G\x0cb\x18a\xea\0\xcb\x84\\m\x9am\xd0\x90\0\0\0\0IEND\xaeB`\x82";

fn opened(folder: &TestFolder, state: &TestFolder, settings: &str) -> Session {
    Lancet::builder()
        .root(folder.path())
        .state_dir(state.path())
        .mode(Mode::AcceptEdits)
        .settings(lancet_testing::settings(settings))
        .open()
        .expect("opened")
        .new_session()
}

fn read(session: &Session, path: &Path) -> Reply {
    let mut arguments = ReadArguments::default();
    arguments.file_path = path.to_str().expect("UTF-8").to_owned();
    session.read(arguments)
}

#[test]
fn a_picture_is_a_block_of_its_own_with_words_about_it() {
    let (folder, state) = (TestFolder::new(), TestFolder::new());
    folder.put("a.txt", SMALL);
    let session = opened(&folder, &state, "");
    let path = folder.path().join("a.txt");
    let reply = read(&session, &path);
    let [Block::Picture { media_type, bytes }, Block::Text(words)] = reply.blocks() else {
        panic!("{:?}", reply.blocks());
    };
    assert_eq!((*media_type, bytes.as_slice()), ("image/png", SMALL));
    assert!(words.contains("PNG picture, 13x7 px"), "{words}");
    assert_eq!(reply.data()["type"], "image");
    let again = read(&session, &path);
    assert_eq!(again.data()["type"], "unchanged");
    assert_eq!(again.blocks().len(), 1);
}

#[test]
fn no_picture_is_sent_where_they_are_off() {
    let (folder, state) = (TestFolder::new(), TestFolder::new());
    folder.put("a.png", SMALL);
    let session = opened(&folder, &state, "read.images = \"off\"\n");
    let reply = read(&session, &folder.path().join("a.png"));
    assert!(matches!(reply.blocks(), [Block::Text(_)]));
    assert!(reply.text().contains("13x7 px"), "{}", reply.text());
}

#[test]
fn pillow_loads_everything_that_is_sent_and_nothing_damaged_is() {
    let Some(packages) = packages() else { return };
    let (folder, state) = (TestFolder::new(), TestFolder::new());
    run(&packages, "make_pictures.py", folder.path(), "");
    let session = opened(&folder, &state, "");
    let mut files: Vec<_> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    assert!(files.len() > 150, "{}", files.len());
    let mut sent = String::new();
    for path in &files {
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .expect("UTF-8");
        let reply = read(&session, path);
        let picture = reply.blocks().iter().find_map(|block| match block {
            Block::Picture { media_type, bytes } => Some((media_type, bytes)),
            _ => None,
        });
        match (name.split('-').next(), picture) {
            (Some("ok"), None) => panic!("{name} is not sent: {}", reply.text()),
            (Some("bad"), Some(_)) => panic!("{name} is sent: {}", reply.text()),
            (Some("bad"), None) => assert!(
                matches!(
                    reply.refusal(),
                    Some(RefusalKind::Damaged | RefusalKind::TooLarge | RefusalKind::Binary)
                ),
                "{name}: {}",
                reply.text()
            ),
            _ => {}
        }
        if let Some((media_type, bytes)) = picture {
            let file = format!("{name}.sent");
            std::fs::write(folder.path().join(&file), &**bytes).expect("written");
            writeln!(
                sent,
                "{}",
                json!({ "file": file, "media_type": media_type })
            )
            .expect("a string");
        }
    }
    let said = run(&packages, "judge_pictures.py", folder.path(), &sent);
    assert_eq!(said.trim(), "0 wrong", "{said}");
}
