//! Several files in one commit: all or none.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use lancet_workspace::CommitError;

use crate::ground::{Ground, creation};

#[test]
fn all_are_written() {
    let ground = Ground::with(&[("a", "one"), ("d/b", "two"), ("c", "three")]);
    fs::hard_link(ground.root.join("c"), ground.root.join("c2")).unwrap();
    let (a, b, c) = (ground.seen("a"), ground.seen("d/b"), ground.seen("c"));
    let (new, other) = (ground.locate("n/e/w"), ground.locate("n/e/x"));
    let written = ground
        .workspace
        .commit(vec![
            a.whole(b"1"),
            creation(&new, b"new"),
            b.whole(b"2"),
            c.whole(b"3"),
            creation(&other, b"other"),
        ])
        .unwrap();
    let guarantees: Vec<_> = written
        .iter()
        .map(|written| written.guarantee.name())
        .collect();
    assert_eq!(
        guarantees,
        [
            "exchange+lease",
            "create",
            "exchange+lease",
            "in-place-leased",
            "create"
        ]
    );
    assert!(written.iter().all(|written| written.durable));
    assert_eq!(written[1].created_folders.len(), 2);
    let texts = ["a", "d/b", "c", "c2", "n/e/w", "n/e/x"].map(|name| ground.text(name));
    assert_eq!(texts, ["1", "2", "3", "3", "new", "other"]);
    assert_eq!(ground.tree().len(), 6 + 3, "six files, three folders");
    assert_eq!(fs::metadata(ground.root.join("a")).unwrap().nlink(), 1);
}

#[test]
fn one_that_changed_leaves_all_as_they_were() {
    let ground = Ground::with(&[("a", "one"), ("b", "two")]);
    let (a, b, new) = (ground.seen("a"), ground.seen("b"), ground.locate("n/new"));
    ground.put("b", "theirs");
    let before = ground.tree();
    let inode = fs::metadata(ground.root.join("a")).unwrap().ino();
    let refused =
        ground
            .workspace
            .commit(vec![a.whole(b"1"), creation(&new, b"new"), b.whole(b"2")]);
    assert!(
        matches!(refused, Err(CommitError::Changed { index: 2 })),
        "{refused:?}"
    );
    assert_eq!(ground.tree(), before);
    assert_eq!(fs::metadata(ground.root.join("a")).unwrap().ino(), inode);
}

#[test]
fn one_whose_name_is_taken_at_the_last_moment_takes_the_others_back() {
    let ground = Ground::with(&[("a", "one"), ("b", "two")]);
    fs::set_permissions(ground.root.join("a"), fs::Permissions::from_mode(0o640)).unwrap();
    fs::hard_link(ground.root.join("b"), ground.root.join("b2")).unwrap();
    let (a, b) = (ground.seen("a"), ground.seen("b"));
    let (first, last) = (ground.locate("x/first"), ground.locate("x/last"));
    let before = ground.tree();
    let inode = fs::metadata(ground.root.join("a")).unwrap().ino();
    let theirs = ground.root.join("x/last");
    ground.disk.set_hook(move |call| {
        if call.method == "link_unnamed" && call.name.is_some_and(|name| name == "last") {
            fs::write(&theirs, "theirs").unwrap();
        }
    });
    let refused = ground.workspace.commit(vec![
        a.whole(b"1"),
        creation(&first, b"first"),
        b.whole(b"2 longer"),
        creation(&last, b"last"),
    ]);
    assert!(
        matches!(refused, Err(CommitError::Exists { index: 3 })),
        "{refused:?}"
    );
    let mut after = ground.tree();
    assert_eq!(after.remove("x/last"), Some(Some(b"theirs".to_vec())));
    after.remove("x");
    assert_eq!(after, before);
    let a = fs::metadata(ground.root.join("a")).unwrap();
    assert_eq!(
        (a.ino(), a.mode() & 0o777, a.nlink()),
        (inode, 0o640, 1),
        "the old file itself is back"
    );
    assert!(ground.displaced().is_empty());
}

#[test]
fn a_change_by_somebody_else_is_not_taken_back() {
    let ground = Ground::with(&[("a", "one"), ("b", "two")]);
    let (a, b) = (ground.seen("a"), ground.seen("b"));
    let (first, second) = (ground.root.join("a"), ground.root.join("b"));
    ground.disk.set_hook(move |call| {
        if call.method == "exchange_at" && fs::read(&first).unwrap() == b"1" && second.exists() {
            // Another program writes both files between the two swaps.
            fs::write(&first, "theirs").unwrap();
            fs::remove_file(&second).unwrap();
        }
    });
    let refused = ground.workspace.commit(vec![a.whole(b"1"), b.whole(b"2")]);
    assert!(
        matches!(&refused, Err(CommitError::Partly { standing, .. }) if standing == &[0]),
        "{refused:?}"
    );
    assert_eq!(ground.text("a"), "theirs");
    assert_eq!(ground.tree().len(), 1);
}

#[test]
fn one_file_twice_is_refused() {
    let ground = Ground::with(&[("a", "one"), ("b", "two")]);
    fs::hard_link(ground.root.join("b"), ground.root.join("b2")).unwrap();
    let (a, b, b2) = (ground.seen("a"), ground.seen("b"), ground.seen("b2"));
    let refused = ground
        .workspace
        .commit(vec![a.whole(b"1"), b.whole(b"2"), b2.whole(b"3")]);
    assert!(
        matches!(
            refused,
            Err(CommitError::Twice {
                first: 1,
                second: 2
            })
        ),
        "{refused:?}"
    );
    let refused = ground.workspace.commit(vec![a.whole(b"1"), a.whole(b"2")]);
    assert!(
        matches!(
            refused,
            Err(CommitError::Twice {
                first: 0,
                second: 1
            })
        ),
        "{refused:?}"
    );
    assert_eq!(ground.text("a"), "one");
}
