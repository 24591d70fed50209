//! Tests of codes and devices on a real folder.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;

fn new_access() -> (tempfile::TempDir, PageAccess) {
    let state = tempfile::tempdir().expect("a folder");
    let door = PageAccess::new(state.path());
    (state, door)
}

fn register_device(door: &PageAccess) -> String {
    let code = door.new_code().expect("a code");
    let cookie = door.redeem_code(&code, "a browser").expect("no trouble");
    cookie.expect("it is good")
}

fn only_file(folder: &Path) -> PathBuf {
    let mut all = fs::read_dir(folder).expect("a folder");
    let path = all.next().expect("a file").expect("an entry").path();
    assert!(all.next().is_none(), "there are several files");
    path
}

fn set_age(path: &Path, age: Duration) {
    let file = File::open(path).expect("opened");
    let time = SystemTime::now() - age;
    file.set_modified(time).expect("set");
}

#[test]
fn code_admits_one_device_and_is_stored_as_a_hash() {
    let (state, door) = new_access();
    let code = door.new_code().expect("a code");
    let file = only_file(&state.path().join("page-codes"));
    assert!(!file.display().to_string().contains(&code));
    assert_eq!(fs::metadata(&file).expect("there").mode() & 0o777, 0o600);
    let folder = fs::metadata(state.path().join("page-codes")).expect("there");
    assert_eq!(folder.mode() & 0o777, 0o700);

    for wrong in [
        "",
        "x",
        &code[1..],
        &format!("{code}0"),
        &"0".repeat(26),
        "../../x",
    ] {
        assert_eq!(
            door.redeem_code(wrong, "").expect("no trouble"),
            None,
            "{wrong}"
        );
    }
    let typed = format!(" {}-{} ", code[..13].to_uppercase(), &code[13..]);
    let cookie = door
        .redeem_code(&typed, "Firefox\n\u{1b}[2J")
        .expect("no trouble");
    let cookie = cookie.expect("it is good");
    assert_eq!(
        door.redeem_code(&code, "").expect("no trouble"),
        None,
        "a second time"
    );

    assert!(door.is_device_known(&cookie));
    for wrong in ["", &cookie[1..], &code, &"0".repeat(64), "../page-codes/x"] {
        assert!(!door.is_device_known(wrong), "{wrong}");
    }
    let file = only_file(&state.path().join("page-devices"));
    assert!(!file.display().to_string().contains(&cookie));
    let kept = fs::read_to_string(&file).expect("text");
    assert!(
        !kept.contains(&cookie) && kept.ends_with("\nFirefox[2J\n"),
        "{kept:?}"
    );
}

#[test]
fn concurrent_uses_of_one_code_admit_one_device() {
    let (_state, door) = new_access();
    let code = door.new_code().expect("a code");
    let entered: usize = std::thread::scope(|scope| {
        let one = || scope.spawn(|| door.redeem_code(&code, "").expect("no trouble"));
        let all: Vec<_> = (0..8).map(|_| one()).collect();
        let cookies = all.into_iter().map(|one| one.join().expect("no panic"));
        cookies.flatten().count()
    });
    assert_eq!(entered, 1);
}

#[test]
fn codes_and_devices_expire() {
    let (state, door) = new_access();
    let code = door.new_code().expect("a code");
    let file = only_file(&state.path().join("page-codes"));
    set_age(&file, CODE_LIFETIME);
    assert_eq!(door.redeem_code(&code, "").expect("no trouble"), None);
    assert!(!file.exists(), "what is too old is removed");
    let code = door.new_code().expect("a code");
    set_age(
        &only_file(&state.path().join("page-codes")),
        CODE_LIFETIME / 2,
    );
    assert!(door.redeem_code(&code, "").expect("no trouble").is_some());
    door.forget_all().expect("forgotten");

    let cookie = register_device(&door);
    let file = only_file(&state.path().join("page-devices"));
    let at = |age: Duration| format!("{}\nx\n", unix_seconds(SystemTime::now() - age));
    fs::write(&file, at(DEVICE_LIFETIME - Duration::from_secs(60))).expect("written");
    // Using a device does not extend its validity.
    assert!(door.is_device_known(&cookie));
    fs::write(&file, at(DEVICE_LIFETIME)).expect("written");
    assert!(!door.is_device_known(&cookie) && door.devices().is_empty());
    door.remove_expired();
    assert!(!file.exists());
}

#[test]
fn refuses_files_that_other_users_can_access() {
    let (state, door) = new_access();
    let cookie = register_device(&door);
    let folder = state.path().join("page-devices");
    let file = only_file(&folder);
    let set = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set");
    };
    set(&file, 0o644);
    assert!(!door.is_device_known(&cookie));
    set(&file, 0o600);
    set(&folder, 0o755);
    assert!(!door.is_device_known(&cookie));
    let code = door.new_code().expect("a code");
    assert!(
        door.redeem_code(&code, "").is_err(),
        "no device is kept there"
    );
    set(&folder, 0o700);
    assert!(door.is_device_known(&cookie));
    let elsewhere = state.path().join("elsewhere");
    fs::rename(&file, &elsewhere).expect("moved");
    symlink(&elsewhere, &file).expect("linked");
    assert!(!door.is_device_known(&cookie), "a link is no device");
    fs::remove_file(&file).expect("removed");
    fs::rename(&elsewhere, &file).expect("moved");
    fs::rename(&folder, &elsewhere).expect("moved");
    symlink(&elsewhere, &folder).expect("linked");
    assert!(
        !door.is_device_known(&cookie),
        "a link is no folder of devices"
    );
}

#[test]
fn lists_and_removes_devices() {
    let (state, door) = new_access();
    let cookies: Vec<String> = (0..3).map(|_| register_device(&door)).collect();
    let ids: Vec<String> = cookies.iter().map(|cookie| hash_secret(cookie)).collect();
    let files = state.path().join("page-devices");
    for (age, id) in ids.iter().enumerate() {
        let age = Duration::from_secs(3600 * (1 + age as u64));
        set_age(&files.join(format!("{DEVICE_FILE_PREFIX}{id}")), age);
    }
    assert!(
        door.is_device_known(&cookies[2]),
        "which makes it the one used last"
    );
    let listed: Vec<String> = door.devices().into_iter().map(|one| one.id).collect();
    assert_eq!(listed, [ids[2].clone(), ids[0].clone(), ids[1].clone()]);
    assert!(door.has_device(&ids[0]));
    assert!(door.forget(&ids[0]) && !door.forget(&ids[0]) && !door.has_device(&ids[0]));
    assert!(!door.forget("../x") && !door.is_device_known(&cookies[0]));
    assert_eq!(door.forget_others(&ids[1]), 1);
    assert!(door.is_device_known(&cookies[1]) && !door.is_device_known(&cookies[2]));
    door.forget_all().expect("forgotten");
    assert!(!door.is_device_known(&cookies[1]) && door.devices().is_empty());
}

#[test]
fn numbers_of_codes_and_devices_are_limited() {
    let (state, door) = new_access();
    for _ in 0..MAX_CODES + 5 {
        door.new_code().expect("a code");
    }
    assert_eq!(
        super::list_own_files(&state.path().join("page-codes")).len(),
        MAX_CODES
    );
    for _ in 0..MAX_DEVICES + 5 {
        register_device(&door);
    }
    assert_eq!(door.devices().len(), MAX_DEVICES);
}
