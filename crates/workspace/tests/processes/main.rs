//! Tests that start other programs: further processes of lancet, and `mount` for a small disk. A process that is being
//! started holds copies of all open handles until it runs its program, so that locks and leases of other tests last
//! longer and files seem to be open for writing. This would break tests that count calls or drop a workspace as if it
//! had been killed; they are in the test program `it`, which starts no other program.

mod counting;
#[cfg(target_os = "linux")]
mod full_disk;
