//! Outside writers: programs and people that do not use lancet.

use std::fs;
use std::time::{Duration, SystemTime};

use lancet_testing::make_pipe;
use proptest::prelude::*;

use super::model::{Model, NAMES, Node};
use super::text;
use crate::ground::Ground;

#[derive(Clone, Debug)]
pub(crate) enum Outside {
    Touch,
    SameBytes,
    SameBytesElsewhere,
    SameSize(u16),
    Rewrite(Vec<u8>),
    RenameOver(Vec<u8>),
    Line(u16),
    Delete,
    Link(usize),
    LinkOut,
    Pipe,
    Folder,
}

pub(crate) fn outside() -> impl Strategy<Value = Outside> {
    prop_oneof![
        2 => Just(Outside::Touch),
        2 => Just(Outside::SameBytes),
        1 => Just(Outside::SameBytesElsewhere),
        3 => any::<u16>().prop_map(Outside::SameSize),
        3 => text().prop_map(Outside::Rewrite),
        2 => text().prop_map(Outside::RenameOver),
        4 => any::<u16>().prop_map(Outside::Line),
        1 => Just(Outside::Delete),
        1 => (0..3_usize).prop_map(Outside::Link),
        1 => Just(Outside::LinkOut),
        1 => Just(Outside::Pipe),
        1 => Just(Outside::Folder),
    ]
}

/// Makes the path a plain file with this text, whatever it was.
pub(crate) fn put(model: &mut Model, ground: &Ground, file: usize, text: &str) {
    if !matches!(model.files[file], Node::File(_)) {
        remove(model, ground, file);
    }
    fs::write(ground.path(NAMES[file]), text).unwrap();
    model.files[file] = Node::File(text.to_owned());
}

fn remove(model: &mut Model, ground: &Ground, file: usize) {
    let path = ground.path(NAMES[file]);
    match &model.files[file] {
        Node::Missing => {}
        Node::Folder => fs::remove_dir(path).unwrap(),
        _ => fs::remove_file(path).unwrap(),
    }
    model.files[file] = Node::Missing;
}

impl Outside {
    pub(crate) fn act(&self, model: &mut Model, ground: &Ground, file: usize) {
        let path = ground.path(NAMES[file]);
        let current = match &model.files[file] {
            Node::File(text) => Some(text.clone()),
            _ => None,
        };
        match (self, current) {
            (Outside::Touch, Some(_)) => {
                let file = fs::File::options().write(true).open(&path).unwrap();
                file.set_modified(SystemTime::now() - Duration::from_secs(100))
                    .unwrap();
            }
            (Outside::SameBytes, Some(text)) => fs::write(&path, text).unwrap(),
            (Outside::SameBytesElsewhere, Some(text)) => rename_over(ground, file, &text),
            (Outside::SameSize(at), Some(text)) if !text.is_empty() => {
                let modified = fs::metadata(&path).unwrap().modified().unwrap();
                let at = usize::from(*at) % text.len();
                let mut bytes = text.into_bytes();
                bytes[at] = if bytes[at] == b'z' { b'y' } else { b'z' };
                fs::write(&path, &bytes).unwrap();
                fs::File::options()
                    .write(true)
                    .open(&path)
                    .unwrap()
                    .set_modified(modified)
                    .unwrap();
                model.files[file] = Node::File(String::from_utf8(bytes).unwrap());
            }
            (Outside::Line(at), Some(text)) => {
                let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
                let at = usize::from(*at) % (lines.len() + 1);
                lines.insert(at, "foreign\n");
                put(model, ground, file, &lines.concat());
            }
            (Outside::Rewrite(words), _) => put(model, ground, file, &super::spell(words)),
            (Outside::RenameOver(words), Some(_)) => {
                let text = super::spell(words);
                rename_over(ground, file, &text);
                model.files[file] = Node::File(text);
            }
            (Outside::Delete, _) => remove(model, ground, file),
            (Outside::Link(to), _) if *to != file => {
                remove(model, ground, file);
                std::os::unix::fs::symlink(NAMES[*to], &path).unwrap();
                model.files[file] = Node::Link(*to);
            }
            (Outside::LinkOut, _) => {
                remove(model, ground, file);
                std::os::unix::fs::symlink("/etc/hostname", &path).unwrap();
                model.files[file] = Node::Outside;
            }
            (Outside::Pipe, _) => {
                remove(model, ground, file);
                make_pipe(&path);
                model.files[file] = Node::Pipe;
            }
            (Outside::Folder, _) => {
                remove(model, ground, file);
                fs::create_dir(&path).unwrap();
                model.files[file] = Node::Folder;
            }
            _ => {}
        }
    }
}

fn rename_over(ground: &Ground, file: usize, text: &str) {
    let beside = ground.path("beside");
    fs::write(&beside, text).unwrap();
    fs::rename(beside, ground.path(NAMES[file])).unwrap();
}
