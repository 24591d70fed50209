//! Somebody else acts just before each call of a commit in turn. What stands afterwards is theirs or ours, whole, and
//! nothing outside the root was touched.

use std::fs;
use std::os::unix::fs::symlink;

use lancet_workspace::CommitError;

use crate::ground::{Ground, creation};

/// What somebody does to the file `a`.
type Deed = fn(&Place);

struct Place {
    root: std::path::PathBuf,
    around: std::path::PathBuf,
}

const DEEDS: [(&str, Deed); 4] = [
    ("rename over", |at| {
        fs::write(at.root.join(".theirs"), "theirs").unwrap();
        fs::rename(at.root.join(".theirs"), at.root.join("a")).unwrap();
    }),
    ("rewrite", |at| {
        fs::write(at.root.join("a"), "theirs").unwrap()
    }),
    ("remove", |at| {
        let _ = fs::remove_file(at.root.join("a"));
    }),
    ("link to the twin outside", |at| {
        let _ = fs::remove_file(at.root.join("a"));
        symlink(at.around.join("out"), at.root.join("a")).unwrap();
    }),
];

#[test]
fn a_foreign_deed_before_any_call_ends_in_theirs_or_ours() {
    for (name, deed) in DEEDS {
        for hard_links in [1, 2] {
            let (mut refused, mut overwritten) = (0, 0);
            for at in 1.. {
                let ground = Ground::in_memory_with(&[("a", "twin"), ("other", "other")]);
                fs::write(ground.around.join("out"), "twin").unwrap();
                if hard_links == 2 {
                    fs::hard_link(ground.root.join("a"), ground.root.join("b")).unwrap();
                }
                let seen = ground.seen("a");
                let place = Place {
                    root: ground.root.clone(),
                    around: ground.around.clone(),
                };
                ground.disk.mend();
                ground.disk.before_each(move |call| {
                    if call.number == at {
                        deed(&place);
                    }
                });
                let result = ground.workspace.commit(vec![seen.whole(b"ours")]);
                ground.disk.clear_hook();
                let what = format!("{name} before call {at}, {hard_links} names: {result:?}");
                assert_eq!(
                    fs::read(ground.around.join("out")).unwrap(),
                    b"twin",
                    "{what}"
                );
                if ground.disk.calls() < at {
                    assert!(result.is_ok(), "{what}");
                    break;
                }
                let tree = ground.tree();
                let count = tree.len() - usize::from(tree.contains_key("a"));
                assert_eq!(
                    count, hard_links,
                    "nothing left lying about: {what}: {tree:?}"
                );
                assert!(!ground.root.join(".theirs").exists());
                let stands = tree.get("a").cloned().flatten();
                match result {
                    // Two who write into the same inode at once get a mixture: only a lease could keep them apart.
                    Ok(_) if name == "rewrite" && hard_links == 2 => {}
                    Ok(_) => {
                        // A deed in the last gap before the rename is overwritten, one after it stands.
                        overwritten += usize::from(stands == Some(b"ours".to_vec()));
                        let fine = [Some(b"ours".to_vec()), Some(b"theirs".to_vec()), None];
                        assert!(
                            fine.contains(&stands) || ground.root.join("a").is_symlink(),
                            "{what}: {stands:?}"
                        );
                    }
                    Err(CommitError::Changed { .. } | CommitError::Io { .. }) => {
                        refused += 1;
                        assert_ne!(stands, Some(b"ours".to_vec()), "{what}");
                    }
                    Err(_) => panic!("{what}"),
                }
            }
            assert!(refused > 3, "{name}: {refused}");
            // The gap is one call wide: the rename itself. In place it is the writing.
            assert!(hard_links == 2 || overwritten <= 1, "{name}: {overwritten}");
        }
    }
}

#[test]
fn a_creation_never_replaces_what_appears_meanwhile() {
    for at in 1.. {
        let ground = Ground::in_memory();
        let located = ground.locate("a");
        let path = ground.root.join("a");
        ground.disk.mend();
        ground.disk.before_each(move |call| {
            if call.number == at {
                fs::write(&path, "theirs").unwrap();
            }
        });
        let result = ground.workspace.commit(vec![creation(&located, b"ours")]);
        if ground.disk.calls() < at {
            break;
        }
        assert_eq!(ground.text("a"), "theirs", "before call {at}: {result:?}");
        assert_eq!(ground.tree().len(), 1);
    }
}

#[test]
fn a_deed_while_reading_gives_one_state_or_an_error() {
    let long: Vec<u8> = vec![b'o'; 600 * 1024];
    for at in 1.. {
        let ground = Ground::in_memory();
        ground.put("a", &long);
        let path = ground.root.join("a");
        let located = ground.locate("a");
        ground.disk.mend();
        ground.disk.before_each(move |call| {
            if call.number == at {
                fs::write(&path, vec![b't'; 600 * 1024]).unwrap();
            }
        });
        let read = located.snapshot(1 << 30).unwrap();
        if ground.disk.calls() < at {
            break;
        }
        let first = read.bytes[0];
        assert!(
            read.bytes.len() == long.len() && read.bytes.iter().all(|&byte| byte == first),
            "torn at call {at}"
        );
    }
}
