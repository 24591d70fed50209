//! Tests of codes and devices on a real folder.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;

fn door() -> (tempfile::TempDir, Door) {
    let state = tempfile::tempdir().expect("a folder");
    let door = Door::new(state.path());
    (state, door)
}

fn entered(door: &Door) -> String {
    let code = door.new_code().expect("a code");
    let cookie = door.enter(&code, "a browser").expect("no trouble");
    cookie.expect("it is good")
}

fn one_file(folder: &Path) -> PathBuf {
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
fn a_code_lets_one_device_in_and_is_stored_as_a_hash() {
    let (state, door) = door();
    let code = door.new_code().expect("a code");
    let file = one_file(&state.path().join("page-codes"));
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
        assert_eq!(door.enter(wrong, "").expect("no trouble"), None, "{wrong}");
    }
    let typed = format!(" {}-{} ", code[..13].to_uppercase(), &code[13..]);
    let cookie = door
        .enter(&typed, "Firefox\n\u{1b}[2J")
        .expect("no trouble");
    let cookie = cookie.expect("it is good");
    assert_eq!(
        door.enter(&code, "").expect("no trouble"),
        None,
        "a second time"
    );

    assert!(door.knows(&cookie));
    for wrong in ["", &cookie[1..], &code, &"0".repeat(64), "../page-codes/x"] {
        assert!(!door.knows(wrong), "{wrong}");
    }
    let file = one_file(&state.path().join("page-devices"));
    assert!(!file.display().to_string().contains(&cookie));
    let kept = fs::read_to_string(&file).expect("text");
    assert!(
        !kept.contains(&cookie) && kept.ends_with("\nFirefox[2J\n"),
        "{kept:?}"
    );
}

#[test]
fn many_who_use_one_code_at_once_are_let_in_once() {
    let (_state, door) = door();
    let code = door.new_code().expect("a code");
    let entered: usize = std::thread::scope(|scope| {
        let one = || scope.spawn(|| door.enter(&code, "").expect("no trouble"));
        let all: Vec<_> = (0..8).map(|_| one()).collect();
        let cookies = all.into_iter().map(|one| one.join().expect("no panic"));
        cookies.flatten().count()
    });
    assert_eq!(entered, 1);
}

#[test]
fn codes_last_ten_minutes_and_devices_thirty_days() {
    let (state, door) = door();
    let code = door.new_code().expect("a code");
    let file = one_file(&state.path().join("page-codes"));
    set_age(&file, CODE_AGE);
    assert_eq!(door.enter(&code, "").expect("no trouble"), None);
    assert!(!file.exists(), "what is too old is removed");
    let code = door.new_code().expect("a code");
    set_age(&one_file(&state.path().join("page-codes")), CODE_AGE / 2);
    assert!(door.enter(&code, "").expect("no trouble").is_some());
    door.forget_all().expect("forgotten");

    let cookie = entered(&door);
    let file = one_file(&state.path().join("page-devices"));
    let at = |age: Duration| format!("{}\nx\n", seconds(SystemTime::now() - age));
    fs::write(&file, at(DEVICE_AGE - Duration::from_secs(60))).expect("written");
    // Using a device does not extend its validity.
    assert!(door.knows(&cookie));
    fs::write(&file, at(DEVICE_AGE)).expect("written");
    assert!(!door.knows(&cookie) && door.devices().is_empty());
    door.clean();
    assert!(!file.exists());
}

#[test]
fn what_others_could_have_made_or_can_read_lets_nobody_in() {
    let (state, door) = door();
    let cookie = entered(&door);
    let folder = state.path().join("page-devices");
    let file = one_file(&folder);
    let set = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set");
    };
    set(&file, 0o644);
    assert!(!door.knows(&cookie));
    set(&file, 0o600);
    set(&folder, 0o755);
    assert!(!door.knows(&cookie));
    let code = door.new_code().expect("a code");
    assert!(door.enter(&code, "").is_err(), "no device is kept there");
    set(&folder, 0o700);
    assert!(door.knows(&cookie));
    let elsewhere = state.path().join("elsewhere");
    fs::rename(&file, &elsewhere).expect("moved");
    symlink(&elsewhere, &file).expect("linked");
    assert!(!door.knows(&cookie), "a link is no device");
    fs::remove_file(&file).expect("removed");
    fs::rename(&elsewhere, &file).expect("moved");
    fs::rename(&folder, &elsewhere).expect("moved");
    symlink(&elsewhere, &folder).expect("linked");
    assert!(!door.knows(&cookie), "a link is no folder of devices");
}

#[test]
fn devices_are_listed_and_forgotten() {
    let (state, door) = door();
    let cookies: Vec<String> = (0..3).map(|_| entered(&door)).collect();
    let ids: Vec<String> = cookies.iter().map(|cookie| id(cookie)).collect();
    let files = state.path().join("page-devices");
    for (age, id) in ids.iter().enumerate() {
        let age = Duration::from_secs(3600 * (1 + age as u64));
        set_age(&files.join(format!("{DEVICE_NAME}{id}")), age);
    }
    assert!(door.knows(&cookies[2]), "which makes it the one used last");
    let listed: Vec<String> = door.devices().into_iter().map(|one| one.id).collect();
    assert_eq!(listed, [ids[2].clone(), ids[0].clone(), ids[1].clone()]);
    assert!(door.has(&ids[0]));
    assert!(door.forget(&ids[0]) && !door.forget(&ids[0]) && !door.has(&ids[0]));
    assert!(!door.forget("../x") && !door.knows(&cookies[0]));
    assert_eq!(door.forget_others(&ids[1]), 1);
    assert!(door.knows(&cookies[1]) && !door.knows(&cookies[2]));
    door.forget_all().expect("forgotten");
    assert!(!door.knows(&cookies[1]) && door.devices().is_empty());
}

#[test]
fn there_are_few_codes_and_devices() {
    let (state, door) = door();
    for _ in 0..MOST_CODES + 5 {
        door.new_code().expect("a code");
    }
    assert_eq!(
        super::files(&state.path().join("page-codes")).len(),
        MOST_CODES
    );
    for _ in 0..MOST_DEVICES + 5 {
        entered(&door);
    }
    assert_eq!(door.devices().len(), MOST_DEVICES);
}
