//! Figure 13: another process continuously replaces a folder of the root, and a file in it, by links to the outside and
//! back, while we read, write, edit and create. Nothing outside is ever read or changed. A program that resolves a
//! path, compares it and then opens it does read outside; otherwise the swaps had no effect.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lancet_text::RawChange;
use lancet_workspace::{NewBytes, RealDisk, Workspace, WriteOptions};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::commit_kind::{Seen, Site, Tree, creation, files};
use lancet_testing::TestFolder;
use lancet_testing::place::text;

use crate::runner::{Form, Skipped, figure, role};

const SECRET: &str = "SECRET, and it stays outside\n";
const INSIDE: &str = "inside\n";

/// The calls that are tried.
const ATTEMPTS: [(&str, Attempt); 5] = [
    ("read", |workspace, folder, _| {
        let read = |name: &str| Seen::at(workspace, &folder.join(name)).ok();
        let seen: Vec<Seen> = ["f", "l"].into_iter().filter_map(read).collect();
        let is_secret = |seen: &Seen| *seen.snapshot.bytes == SECRET.as_bytes();
        assert!(!seen.iter().any(is_secret), "the outside was read");
        !seen.is_empty()
    }),
    ("write", |workspace, folder, number| {
        let name = if number % 2 == 0 { "f" } else { "l" };
        let Ok(seen) = Seen::at(workspace, &folder.join(name)) else {
            return false;
        };
        let new = NewBytes::Whole(INSIDE.as_bytes());
        workspace
            .commit(vec![seen.becomes(new, WriteOptions::default())])
            .is_ok()
    }),
    ("edit", |workspace, folder, _| {
        let Ok(seen) = Seen::at(workspace, &folder.join("f")) else {
            return false;
        };
        let changes = [RawChange {
            range: 0..1,
            bytes: b"i".to_vec(),
        }];
        let new = NewBytes::Streamed { changes: &changes };
        workspace
            .commit(vec![seen.becomes(new, WriteOptions::default())])
            .is_ok()
    }),
    ("create", |workspace, folder, number| {
        let Ok(new) = workspace.locate(&folder.join(format!("new-{number}"))) else {
            return false;
        };
        workspace.commit(vec![creation(&new, b"new\n")]).is_ok()
    }),
    ("mkdir", |workspace, folder, number| {
        let path = folder.join(format!("folder-{number}/and/one/in/it"));
        let Ok(new) = workspace.locate(&path) else {
            return false;
        };
        workspace.commit(vec![creation(&new, b"new\n")]).is_ok()
    }),
];

type Attempt = fn(&Workspace, &Path, u64) -> bool;

pub(crate) fn prove(form: Form) -> Result<(), Skipped> {
    let folder = TestFolder::in_memory();
    let around = folder.path().to_owned();
    let site = Site::in_folder(&around);
    let outside = around.join("outside");
    for folder in [&site.root.join("d"), &outside] {
        fs::create_dir_all(folder).unwrap();
    }
    fs::write(outside.join("f"), SECRET).unwrap();
    fs::write(outside.join("l"), SECRET).unwrap();
    fs::write(site.root.join("d/f"), INSIDE).unwrap();
    fs::write(site.root.join("d/l"), INSIDE).unwrap();
    // The links that take their places.
    symlink(&outside, site.root.join("other")).unwrap();
    symlink(outside.join("l"), site.root.join("d/other")).unwrap();
    let before = files(&outside);
    let mut swapper = Swapper(role(&["swapper", text(&site.root)]).spawn().unwrap());
    let escaped = naive(&site, Duration::from_secs(form.pick(20, 60)));
    let workspace = site.open(Arc::new(RealDisk));
    let tries = form.pick(2_000, 100_000);
    let limit = form.pick(Duration::from_secs(4), Duration::from_secs(120));
    let mut lines = Vec::new();
    for (name, attempt) in ATTEMPTS {
        let (begun, mut made, mut done) = (Instant::now(), 0, 0);
        while made < tries && begun.elapsed() < limit {
            made += 1;
            done += u64::from(attempt(&workspace, &site.root.join("d"), made));
            if made % 64 == 0 {
                tidy(&site.root, &site.state);
            }
        }
        lines.push(format!("{name} {made} tries, {done} through"));
    }
    assert!(swapper.0.try_wait().unwrap().is_none(), "the swapper ended");
    drop(swapper);
    let now: Tree = files(&outside);
    assert!(now == before, "outside: {:?}", now.keys());
    figure(
        13,
        &format!(
            "{}: 0 outside; resolving, comparing and opening: outside after {escaped} tries",
            lines.join("; ")
        ),
    );
    Ok(())
}

/// The other process, which is killed on drop.
struct Swapper(std::process::Child);

impl Drop for Swapper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Removes the new files, so that they do not accumulate.
fn tidy(root: &Path, state: &Path) {
    for folder in [root.join("d"), root.join("other")] {
        // Only the real folder is cleared, never through a link.
        let flags = rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::NOFOLLOW;
        let Ok(handle) = rustix::fs::open(&folder, flags, rustix::fs::Mode::empty()) else {
            continue;
        };
        use std::os::fd::AsRawFd as _;
        let here = format!("/proc/self/fd/{}", handle.as_raw_fd());
        for entry in fs::read_dir(here).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            if name.starts_with("new-") {
                let _ = fs::remove_file(entry.path());
            } else if name.starts_with("folder-") {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }
    for (name, _) in files(&state.join("displaced")) {
        let _ = fs::remove_file(state.join("displaced").join(name));
    }
}

/// Reads by the method of other tools, repeatedly, until it reads outside.
fn naive(site: &Site, limit: Duration) -> u64 {
    let path = site.root.join("d/f");
    let begun = Instant::now();
    for tries in 1.. {
        let fine = path
            .canonicalize()
            .is_ok_and(|real| real.starts_with(&site.root));
        if fine && fs::read(&path).is_ok_and(|bytes| bytes == SECRET.as_bytes()) {
            return tries;
        }
        assert!(
            begun.elapsed() < limit,
            "the swaps were not met in {tries} tries"
        );
    }
    unreachable!("the loop ends by itself")
}

/// Runs the program of the other process.
pub(crate) fn play(root: &Path) -> ExitCode {
    let swap = |one: &Path, other: &Path| {
        let _ = renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE);
    };
    for turn in 0_u64.. {
        swap(&root.join("d"), &root.join("other"));
        if turn % 4 == 0 {
            // The folder has one name or the other; in it a file and a link exchange their names.
            swap(&root.join("d/l"), &root.join("d/other"));
        }
    }
    ExitCode::SUCCESS
}
