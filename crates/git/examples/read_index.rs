//! Measures the time to read an index: `cargo run --release -p lancet-git --example read_index REPOSITORY`. It prints
//! milliseconds of processor time (Linux): the mean of twenty readings, and the time to query which files are clean.

#![allow(clippy::print_stdout, reason = "it prints figures")]

use std::path::PathBuf;
use std::sync::Arc;

use lancet_git::{CleanFiles, GlobalFiles, Repository};
use lancet_workspace::{Disk, RealDisk, Stamp, Workspace};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os()
        .nth(1)
        .map_or_else(|| ".".into(), PathBuf::from);
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let root = Workspace::open(&[folder], Arc::clone(&disk), None)?;
    let repository = Repository::find_for_file(&root.roots()[0].join("any"), &disk)?
        .ok_or("there is no repository")?;
    let mut read = None;
    let begin = processor_time()?;
    for _ in 0..20 {
        read = repository.index()?;
    }
    let each = (processor_time()? - begin) / 20.0;
    let index = Arc::new(read.ok_or("the repository has no index")?);
    let entries = index.len();
    println!("{entries} entries read in {each:.1} ms");
    // The stat is derived from the entry, so that only the query itself is measured.
    let stamps: Vec<(Vec<u8>, Stamp)> = index
        .entries()
        .map(|entry| {
            let stat = entry.stat;
            let stamp = Stamp {
                device: u64::from(stat.device),
                inode: u64::from(stat.inode),
                size: u64::from(stat.size),
                mtime: (i64::from(stat.mtime.0), stat.mtime.1),
                ctime: (i64::from(stat.ctime.0), stat.ctime.1),
                mode: entry.mode,
                uid: stat.uid,
                gid: stat.gid,
                links: 1,
                taken: (i64::MAX, 0),
            };
            (entry.name.to_vec(), stamp)
        })
        .collect();
    let mut files = CleanFiles::open(&repository, index, GlobalFiles::default())?;
    let begin = processor_time()?;
    let clean = stamps
        .iter()
        .filter(|(name, stamp)| files.certain_blob(name, stamp).is_some())
        .count();
    let asked = processor_time()? - begin;
    println!("{clean} of them clean, asked in {asked:.1} ms");
    Ok(())
}

/// Returns the processor time of this process in milliseconds, by the scheduler's own count.
fn processor_time() -> Result<f64, Box<dyn std::error::Error>> {
    let counts = std::fs::read_to_string("/proc/self/schedstat")?;
    let nanoseconds: f64 = counts.split(' ').next().unwrap_or_default().parse()?;
    Ok(nanoseconds / 1e6)
}
