//! A stat in the form of the history.

use lancet_history::StampRecord;
use lancet_workspace::Stamp;

/// Converts a stat to its record.
pub(crate) fn to_record(stamp: &Stamp) -> StampRecord {
    let mut numbers = [0; StampRecord::NUMBER_COUNT];
    let fields = [
        stamp.device.cast_signed(),
        stamp.inode.cast_signed(),
        stamp.size.cast_signed(),
        stamp.mtime.0,
        i64::from(stamp.mtime.1),
        stamp.ctime.0,
        i64::from(stamp.ctime.1),
        i64::from(stamp.mode),
        i64::from(stamp.uid),
        i64::from(stamp.gid),
        stamp.links.cast_signed(),
        stamp.taken.0,
        i64::from(stamp.taken.1),
    ];
    numbers[..fields.len()].copy_from_slice(&fields);
    StampRecord(numbers)
}

/// The number after those of the stat: whether the file had extended attributes or an access control list when its bytes
/// were read.
const ATTRIBUTES: usize = 13;

/// Notes that a file has extended attributes or an access control list.
pub(crate) fn with_attributes(mut record: StampRecord) -> StampRecord {
    record.0[ATTRIBUTES] = 1;
    record
}

/// Returns whether a file had extended attributes or an access control list when a checkpoint read its bytes; false if it
/// did not read them.
pub fn had_attributes(record: &StampRecord) -> bool {
    record.0[ATTRIBUTES] != 0
}

/// Converts the record back.
pub(crate) fn from_record(record: &StampRecord) -> Stamp {
    let number = |at: usize| record.0[at];
    let small = |at: usize| u32::try_from(number(at)).unwrap_or_default();
    Stamp {
        device: number(0).cast_unsigned(),
        inode: number(1).cast_unsigned(),
        size: number(2).cast_unsigned(),
        mtime: (number(3), small(4)),
        ctime: (number(5), small(6)),
        mode: small(7),
        uid: small(8),
        gid: small(9),
        links: number(10).cast_unsigned(),
        taken: (number(11), small(12)),
    }
}

/// Returns the device and inode of a file.
pub(crate) fn inode(record: &StampRecord) -> (i64, i64) {
    (record.0[0], record.0[1])
}

/// Returns whether a later stat proves that the file is unchanged.
pub(crate) fn proves_unchanged(before: &StampRecord, now: &Stamp) -> bool {
    let before = from_record(before);
    before.has_same_state(now) && before.mode == now.mode && !before.is_racy()
}
