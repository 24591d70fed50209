//! Changes that a resident tree must take in together: a folder that moves with folders in it, and several files whose times change
//! between two searches.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use lancet_search::{
    AllowAll, Budget, Filter, HiddenFiles, IgnoreFiles, Index, IndexScope, KeepContents,
    LiteralNames, Order, ResidentTree, SearchProgress, SearchSummary, Start, Walk, WatchAllowance,
    list_files, list_resident,
};
use lancet_workspace::{RealDisk, Workspace};

/// A folder with a resident tree.
struct Ground {
    root: PathBuf,
    starts: [Start; 1],
    trees: [Arc<ResidentTree>; 1],
    _folder: tempfile::TempDir,
}

fn scope() -> IndexScope<'static> {
    IndexScope {
        excludes: None,
        gate: &AllowAll,
        encodings: &|_| None,
        stop: &|| false,
    }
}

impl Ground {
    fn with(files: &[&str]) -> Ground {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("there");
        for file in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().expect("inside")).expect("made");
            fs::write(path, file).expect("written");
        }
        let workspace =
            Workspace::open(std::slice::from_ref(&root), Arc::new(RealDisk), None).expect("opens");
        let starts = [Start::new(workspace.locate(&root).expect("there"))];
        let index = Index::build(
            &scope(),
            &starts[0],
            KeepContents::Yes,
            &Budget::of_process(256 << 20),
            &WatchAllowance::of_process(8_192),
        );
        Ground {
            root,
            starts,
            trees: [Arc::new(ResidentTree::new(index.expect("built")))],
            _folder: folder,
        }
    }

    /// The files in memory, newest first, which are those that a walk finds.
    fn newest(&self) -> Vec<PathBuf> {
        let filter = Filter::default()
            .with_globs(&[&self.root], &["**/*.txt"])
            .expect("a glob");
        let walk = Walk {
            starts: &self.starts,
            ignoring: IgnoreFiles::Respect,
            hidden: HiddenFiles::Skip,
            excludes: None,
            filter: &filter,
            named: &LiteralNames::default(),
            gate: &AllowAll,
            stop: &|| false,
            progress: &SearchProgress::default(),
            threads: 1,
        };
        let names = |mut summary: SearchSummary| -> Vec<PathBuf> {
            let files = summary.files.all().iter();
            files.map(|file| file.relative.to_path_buf()).collect()
        };
        let ours = list_resident(&self.trees, &scope(), &walk, Order::Newest, &|_, _| true);
        let ours = names(ours.expect("answered from memory"));
        assert_eq!(ours, names(list_files(&walk, Order::Newest, &|_, _| true)));
        ours
    }

    /// Sets the time of a file, in seconds.
    fn age(&self, file: &str, seconds: u64) {
        let opened = fs::File::options().write(true).open(self.root.join(file));
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        opened.expect("there").set_modified(time).expect("set");
    }
}

#[test]
fn a_folder_inside_a_folder_that_moved_is_still_watched() {
    for (from, to) in [("z", "a"), ("a", "z")] {
        let old = format!("{from}/moved/deep/deeper/old.txt");
        let ground = Ground::with(&[&old, "a/x.txt", "z/x.txt"]);
        assert_eq!(ground.newest().len(), 3);
        let moved = ground.root.join(to).join("moved");
        fs::rename(ground.root.join(from).join("moved"), &moved).expect("moved");
        assert_eq!(ground.newest().len(), 3);
        for (number, inner) in ["", "deep", "deep/deeper"].iter().enumerate() {
            fs::write(moved.join(inner).join("new.txt"), "new").expect("written");
            assert_eq!(ground.newest().len(), 4 + number, "{from} to {to}: {inner}");
        }
    }
}

#[test]
fn files_whose_times_change_together_stand_in_the_order_of_their_times() {
    let names: Vec<String> = (0..9).map(|number| format!("f{number}.txt")).collect();
    let ground = Ground::with(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for (name, seconds) in names.iter().zip((10..).step_by(10)) {
        ground.age(name, seconds);
    }
    assert_eq!(ground.newest()[0], Path::new("f8.txt"));
    // In turn the newest becomes the oldest and one in the middle moves up, many times over.
    for round in 0..30 {
        for (number, name) in names.iter().enumerate() {
            if (number + round) % 3 != 0 {
                ground.age(name, (number * 37 + round * 53) as u64 % 101);
            }
        }
        ground.newest();
    }
}
