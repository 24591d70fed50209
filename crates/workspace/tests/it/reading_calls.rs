//! The disk calls that change nothing.

/// The calls that change neither a name nor content and flush nothing. The call that opens a file is not among them,
/// because it may create the file.
pub(crate) const READING_CALLS: [&str; 17] = [
    "resolve",
    "stat_path",
    "stat_folder",
    "open_folder",
    "open_beneath",
    "stat_at",
    "stat",
    "check_writable_at",
    "read_link_at",
    "list",
    "read_at",
    "read_more",
    "take_lease",
    "lease_is_unbroken",
    "try_lock",
    "unlock",
    "pause",
];
