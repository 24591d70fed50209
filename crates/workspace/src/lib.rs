//! The only door to the disk: roots, snapshots, the write.
