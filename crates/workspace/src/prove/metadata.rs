//! Tests whether permission bits, links, extended attributes and times are stored.

use std::fs::{self, File, FileTimes};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{XattrFlags, fgetxattr, fsetxattr};

use super::check::{Check, CheckResult};

pub(super) fn check_permissions(room: &Path) -> io::Result<CheckResult> {
    let file = room.join("modes");
    fs::write(&file, "one")?;
    let mut wrong = Vec::new();
    for mode in [0o640, 0o755, 0o600] {
        let set = fs::set_permissions(&file, fs::Permissions::from_mode(mode));
        let found = fs::metadata(&file)?.mode() & 0o7777;
        if set.is_err() || found != mode {
            wrong.push(format!("{mode:o} became {found:o}"));
        }
    }
    let (seen, meaning) = match wrong.is_empty() {
        true => (
            "640, 755 and 600 are kept".to_owned(),
            "an edit keeps the mode of a file",
        ),
        false => (
            wrong.join(", "),
            "the mount decides who may read and run files",
        ),
    };
    Ok(CheckResult::new(
        Check::Permissions,
        wrong.is_empty(),
        seen,
        meaning,
    ))
}

pub(super) fn check_symbolic_links(room: &Path) -> io::Result<CheckResult> {
    let link = room.join("link");
    let made = std::os::unix::fs::symlink("target of the link", &link);
    let holds = fs::read_link(&link).is_ok_and(|to| to == Path::new("target of the link"));
    let seen = match (made, holds) {
        (Ok(()), true) => "a link leads where it was made to".to_owned(),
        (Ok(()), false) => "a link does not lead where it was made to".to_owned(),
        (Err(error), _) => format!("a link cannot be made ({error})"),
    };
    let meaning = "an edit through a link changes the file and keeps the link";
    Ok(CheckResult::new(Check::SymbolicLinks, holds, seen, meaning))
}

pub(super) fn check_hard_links(room: &Path) -> io::Result<CheckResult> {
    let (one, two) = (room.join("one"), room.join("two"));
    fs::write(&one, "one")?;
    let (holds, seen) = match fs::hard_link(&one, &two) {
        Err(error) => (false, format!("a second name cannot be made ({error})")),
        Ok(()) => {
            fs::write(&two, "two")?;
            let (first, second) = (fs::metadata(&one)?, fs::metadata(&two)?);
            let is_one = fs::read(&one)? == b"two" && first.ino() == second.ino();
            match (is_one, first.nlink()) {
                (true, 2) => (true, "two names are one file, which counts them".to_owned()),
                (true, count) => (
                    false,
                    format!("two names are one file, which counts {count}"),
                ),
                (false, _) => (false, "two names are two files".to_owned()),
            }
        }
    };
    let meaning = match holds {
        true => "a file with several names is rewritten in place, so that it keeps them",
        false => "lancet cannot count on a file's other names here",
    };
    Ok(CheckResult::new(Check::HardLinks, holds, seen, meaning))
}

pub(super) fn check_attributes(room: &Path) -> io::Result<CheckResult> {
    let file = File::create(room.join("attributes"))?;
    let set = fsetxattr(&file, "user.lancet.proof", b"kept", XattrFlags::empty());
    let mut value = [0; 16];
    let found = fgetxattr(&file, "user.lancet.proof", &mut value);
    let holds = found.is_ok_and(|length| &value[..length] == b"kept");
    let seen = match set {
        Ok(()) if holds => "an attribute has the value it was given".to_owned(),
        Ok(()) => "an attribute that was set is not there".to_owned(),
        Err(error) => format!("an attribute cannot be set ({error})"),
    };
    let meaning = match holds {
        true => "an edit keeps the attributes of a file",
        false => "there are none to keep",
    };
    Ok(CheckResult::new(Check::Attributes, holds, seen, meaning))
}

/// A timestamp that shows a file system's resolution: the odd second reveals a resolution of two seconds, and the
/// nanoseconds change when they are rounded to any coarser unit.
const TEST_TIMESTAMP: Duration = Duration::new(1_600_000_001, 123_456_789);

pub(super) fn check_times(room: &Path) -> io::Result<CheckResult> {
    let path = room.join("times");
    let moment = SystemTime::UNIX_EPOCH + TEST_TIMESTAMP;
    let both = FileTimes::new().set_accessed(moment).set_modified(moment);
    let kept = |times: FileTimes| -> io::Result<Duration> {
        File::create(&path)?.set_times(times)?;
        let kept = fs::metadata(&path)?.modified()?;
        Ok(kept
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default())
    };
    let alone = kept(FileTimes::new().set_modified(moment))?;
    let together = kept(both)?;
    let Some((unit, word)) = timestamp_resolution(together) else {
        let (seconds, rest) = (together.as_secs(), together.subsec_nanos());
        let seen = format!("a time that is set becomes another ({seconds}.{rest:09})");
        let meaning = "lancet compares contents wherever it matters";
        return Ok(CheckResult::new(Check::Times, false, seen, meaning));
    };
    let mut seen = format!("kept to {word}");
    if timestamp_resolution(alone).is_none() {
        seen.push_str("; a modification time that is set without the access time is ignored");
    }
    let is_fine = unit < 1_000_000_000;
    let meaning = match is_fine {
        true => "a change shows in the time of a file",
        false => {
            "two changes within a second have one time; lancet gives each a later one, and compares contents wherever it matters"
        }
    };
    Ok(CheckResult::new(Check::Times, is_fine, seen, meaning)
        .with_figures(vec![("resolutionNanoseconds", unit as f64)]))
}

/// Returns the finest unit that explains the stored value of [`TEST_TIMESTAMP`]; none if it is another moment.
fn timestamp_resolution(kept: Duration) -> Option<(u128, &'static str)> {
    const RESOLUTION_UNITS: [(u128, &str); 7] = [
        (1, "a nanosecond"),
        (100, "100 nanoseconds"),
        (1_000, "a microsecond"),
        (1_000_000, "a millisecond"),
        (10_000_000, "10 milliseconds"),
        (1_000_000_000, "a second"),
        (2_000_000_000, "two seconds"),
    ];
    let (set, kept) = (TEST_TIMESTAMP.as_nanos(), kept.as_nanos());
    RESOLUTION_UNITS
        .into_iter()
        .find(|(unit, _)| set / unit * unit == kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derives_resolution_from_stored_timestamp() {
        let kept = |seconds, nanoseconds| {
            timestamp_resolution(Duration::new(seconds, nanoseconds)).map(|found| found.0)
        };
        assert_eq!(kept(1_600_000_001, 123_456_789), Some(1));
        assert_eq!(kept(1_600_000_001, 123_456_700), Some(100));
        assert_eq!(kept(1_600_000_001, 120_000_000), Some(10_000_000));
        assert_eq!(kept(1_600_000_001, 0), Some(1_000_000_000));
        assert_eq!(kept(1_600_000_000, 0), Some(2_000_000_000));
        assert_eq!(kept(1_600_000_009, 0), None);
    }
}
