//! Checks that contents that were dropped are loaded again while searches go on, and never with a content that the file
//! no longer has.

use std::fs;
use std::time::{Duration, SystemTime};

use lancet_search::{
    CaseMatching, FileFilter, HeldContents as _, KeepContents, MatchSpan, PageNeed, Pattern,
    ResultOrder, WalkedFile, count_resident,
};

use crate::folder::{ResidentFolder, scope};

fn matches(folder: &ResidentFolder, word: &str) -> u64 {
    let pattern = Pattern::new(word, CaseMatching::Sensitive, MatchSpan::SingleLine).expect("one");
    let linked = |_: &WalkedFile<'_>, _: u64| true;
    let summary = folder.with_walk(&FileFilter::default(), 2, |walk| {
        let (order, page) = (ResultOrder::Path, PageNeed::ALL);
        count_resident(
            &folder.trees,
            &scope(),
            walk,
            &pattern,
            order,
            &linked,
            page,
        )
    });
    summary.expect("answered from memory").matches
}

#[test]
fn contents_come_back_and_those_of_changed_files_do_not() {
    let place = tempfile::tempdir().expect("a folder");
    let root = place.path().canonicalize().expect("there");
    // A file that was changed a moment ago could change again without a different stamp.
    let earlier = SystemTime::now() - Duration::from_secs(3_600);
    for number in 0..200 {
        let file = root.join(format!("file{number:03}.txt"));
        fs::write(&file, format!("needle {number}\n")).expect("written");
        let opened = fs::File::options().write(true).open(&file);
        opened
            .and_then(|file| file.set_modified(earlier))
            .expect("set");
    }
    std::thread::sleep(Duration::from_millis(2_100));
    let folder = ResidentFolder::build(&root, KeepContents::Yes);
    let tree = &folder.trees[0];
    let (same, other) = (root.join("file000.txt"), root.join("file001.txt"));
    assert!(tree.content_in_memory(&same).is_some());
    tree.drop_contents();
    assert!(tree.content_in_memory(&same).is_none());
    assert_eq!(matches(&folder, "needle"), 200);

    fs::write(&other, "another text\n").expect("written");
    tree.reload_contents(KeepContents::Yes, &|| false);
    assert!(tree.size().contents > 0);
    let held = tree.content_in_memory(&same).expect("in memory");
    assert_eq!((*held.bytes).as_ref(), b"needle 0\n");
    drop(held);
    assert!(
        tree.content_in_memory(&other).is_none(),
        "it is another file by now"
    );
    assert_eq!(matches(&folder, "needle"), 199);
    assert_eq!(matches(&folder, "another text"), 1);

    tree.drop_contents();
    tree.reload_contents(KeepContents::No, &|| false);
    assert_eq!(tree.size().contents, 0);
}
