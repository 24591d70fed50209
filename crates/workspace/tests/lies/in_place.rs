//! A rewrite in place: it is called leased only if a lease detects every writer, and another machine's files are
//! rewritten only if that is allowed.

use std::fs;
use std::sync::Arc;

use lancet_testing::lying_disk::LyingDisk;
use lancet_testing::{TestFolder, judges};
use lancet_workspace::{
    CommitError, FaultyDisk, FileSystemHost, UnsafeReason, WeakProtectionPolicy, WriteOptions,
    WriteStrategy, WriteWarning,
};
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};

use crate::site::{Site, open, replace};

fn in_place(weak: WeakProtectionPolicy) -> WriteOptions {
    WriteOptions {
        strategy: WriteStrategy::InPlace,
        weak,
        ..WriteOptions::default()
    }
}

#[test]
fn files_that_other_machines_may_write_are_rewritten_only_where_that_is_allowed() {
    let Some(site) = Site::new(&[]) else { return };
    site.put("a", "one\n");
    let workspace = site.open(Arc::new(FaultyDisk::new()));
    let path = site.root.join("a");
    for (weak, reason) in [
        (WeakProtectionPolicy::Auto, UnsafeReason::Network),
        (WeakProtectionPolicy::Refuse, UnsafeReason::Forbidden),
    ] {
        let error = replace(&workspace, &path, "two\n", in_place(weak)).unwrap_err();
        assert!(
            matches!(error, CommitError::Unsafe { reason: told, .. } if told == reason),
            "{error:?}"
        );
        assert_eq!(site.text("a").as_deref(), Some("one\n"));
        assert_eq!(site.lying.names(), ["a"]);
    }
    let written = replace(
        &workspace,
        &path,
        "two\n",
        in_place(WeakProtectionPolicy::Allow),
    )
    .unwrap();
    assert_eq!(written.guarantee.name(), "in-place");
    assert_eq!(written.warnings, [WriteWarning::Unprotected]);
    assert_eq!(site.text("a").as_deref(), Some("two\n"));
    // A file whose other names are to be preserved is rewritten in place, too, and therefore refused.
    let options = WriteOptions::default();
    fs::hard_link(&path, site.root.join("b")).unwrap();
    let error = replace(&workspace, &path, "three\n", options).unwrap_err();
    assert!(matches!(error, CommitError::Unsafe { .. }), "{error:?}");
}

#[test]
fn on_this_machine_a_rewrite_without_full_protection_is_told() {
    let lying = LyingDisk::new(&[]).on_this_machine();
    let Some(site) = Site::with_disk(lying) else {
        return;
    };
    site.put("a", "one\n");
    let workspace = site.open(Arc::new(FaultyDisk::new()));
    let path = site.root.join("a");
    let written = replace(
        &workspace,
        &path,
        "two\n",
        in_place(WeakProtectionPolicy::Auto),
    )
    .unwrap();
    assert_eq!(written.guarantee.name(), "in-place");
    assert_eq!(written.warnings, [WriteWarning::Unprotected]);
    let error = replace(
        &workspace,
        &path,
        "three\n",
        in_place(WeakProtectionPolicy::Refuse),
    )
    .unwrap_err();
    assert!(matches!(error, CommitError::Unsafe { .. }), "{error:?}");
}

#[test]
fn in_layers_a_lease_misses_mappings_and_is_not_called_one() {
    let folder = TestFolder::in_memory();
    let [lower, upper, work, at] = ["lower", "upper", "work", "at"].map(|name| folder.make(name));
    fs::write(lower.join("a"), "one\n").unwrap();
    let options = format!(
        "lowerdir={},upperdir={},workdir={}",
        lower.display(),
        upper.display(),
        work.display()
    );
    let options = std::ffi::CString::new(options).unwrap();
    let flags = MountFlags::empty();
    if let Err(why) = mount("overlay", &at, "overlay", flags, Some(options.as_c_str())) {
        return judges::skipped(&format!("overlayfs: {why}"));
    }
    let written = {
        let state = folder.join("state");
        let workspace = open(&at, &state, Arc::new(FaultyDisk::new()));
        replace(
            &workspace,
            &at.join("a"),
            "two\n",
            in_place(WeakProtectionPolicy::Auto),
        )
    };
    let text = fs::read_to_string(at.join("a"));
    unmount(&at, UnmountFlags::DETACH).unwrap();
    let written = written.unwrap();
    assert_eq!(written.guarantee.name(), "in-place");
    assert_eq!(written.warnings, [WriteWarning::Unprotected]);
    assert_eq!(text.unwrap(), "two\n");
}

#[test]
fn the_kernels_own_file_systems_are_not_tried_out() {
    let folder = TestFolder::new();
    let root = folder.make("root");
    fs::write(root.join("a"), "one\n").unwrap();
    let disk = Arc::new(FaultyDisk::new());
    let calls = Arc::new(std::sync::Mutex::new(Vec::new()));
    let told = Arc::clone(&calls);
    disk.set_hook(move |call| told.lock().unwrap().push(call.method));
    let workspace = open(&root, &folder.join("state"), Arc::clone(&disk));
    let path = root.join("a");
    replace(&workspace, &path, "two\n", WriteOptions::default()).unwrap();
    let made = |method: &str| calls.lock().unwrap().contains(&method);
    assert!(!made("make_folder_at") && !made("list_inodes"));
    // The same folder, as if a program served it.
    disk.pretend_host(FileSystemHost::Program);
    replace(&workspace, &path, "three\n", WriteOptions::default()).unwrap();
    assert!(made("list_inodes"));
}
