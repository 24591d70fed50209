//! Answers the kernel's requests to a misbehaving file system.

use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::io::Errno;

use super::lie::Lie;
use super::store::{AttributeChange, Maker, NodeId, Store};
use super::wire::{self, Answer, KernelRequest};

/// The maximum number of bytes of one write.
const MAX_WRITE: usize = 128 * 1024;
/// The kernel forwards locks of whole files, instead of deciding itself.
const ASKS_ABOUT_LOCKS: u32 = 1 << 10;
const BIG_WRITES: u32 = 1 << 5;
/// The pause between the steps of a rename that has several.
const STEP: Duration = Duration::from_micros(300);

/// Answers requests until the file system is unmounted.
pub(super) fn until_unmounted(store: &Mutex<Store>, device: &OwnedFd) {
    let mut buffer = vec![0; MAX_WRITE + 8192];
    loop {
        let read = match rustix::io::read(device, &mut buffer) {
            Ok(read) => read,
            Err(Errno::INTR | Errno::NOENT | Errno::AGAIN) => continue,
            Err(_) => return,
        };
        let Some(request) = KernelRequest::read(&buffer[..read]) else {
            return;
        };
        if let Some(answer) = answer(store, &request) {
            let _ = rustix::io::write(device, &wire::message(request.unique, &answer));
        }
    }
}

fn locked(store: &Mutex<Store>) -> MutexGuard<'_, Store> {
    store.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the answer to a request; none if the kernel expects none.
fn answer(store: &Mutex<Store>, request: &KernelRequest<'_>) -> Option<Answer> {
    // The numbers are those of the protocol.
    let answer = match request.operation {
        // Forget, batch forget, interrupt.
        2 | 42 | 36 => return None,
        12 => rename(store, request, 8, 0),
        45 => rename(store, request, 16, request.u32(8)),
        _ => answer_from(&mut locked(store), request),
    };
    Some(answer)
}

fn answer_from(store: &mut Store, request: &KernelRequest<'_>) -> Answer {
    let node = request.node;
    let maker = |mode: u32, umask: u32| Maker {
        uid: request.uid,
        gid: request.gid,
        mode: mode & !umask,
    };
    match request.operation {
        1 => {
            let id = store.look_up(node, request.name(0))?;
            entry(store, id)
        }
        3 => attributes(store, node),
        4 => {
            store.change(node, &change(request))?;
            attributes(store, node)
        }
        5 => store.target(node),
        6 => {
            let mut names = request.names(0);
            let (name, target) = (names.next(), names.next());
            let (name, target) = (name.unwrap_or_default(), target.unwrap_or_default());
            let id = store.make_link(node, name, target, maker(0o777, 0))?;
            entry(store, id)
        }
        8 => {
            let maker = maker(request.u32(0), request.u32(8));
            let id = store.make_file(node, request.name(16), maker)?;
            entry(store, id)
        }
        9 => {
            let maker = maker(request.u32(0), request.u32(4));
            let id = store.make_folder(node, request.name(8), maker)?;
            entry(store, id)
        }
        10 => done(store.remove(node, request.name(0))),
        11 => done(store.remove_folder(node, request.name(0))),
        13 => {
            let id = request.u64(0);
            store.link(id, node, request.name(8))?;
            entry(store, id)
        }
        // Open a file, open a folder: no handle.
        14 | 27 => Ok(vec![0; 16]),
        15 => store.read(node, request.u64(8), request.u32(16)),
        16 => {
            let size = request.u32(16);
            store.write(node, request.u64(8), request.bytes(40, size as usize))?;
            Ok([size.to_ne_bytes(), [0; 4]].concat())
        }
        17 => Ok(wire::statistics()),
        20 => done(store.flush(node)),
        21..=24 => extended_attribute(store, request),
        26 => Ok(wire::init(init_flags(store, request), MAX_WRITE as u32)),
        28 => list(store, request),
        32 | 33 if store.has(Lie::LocksNobodyOut) => Ok(Vec::new()),
        35 => {
            let maker = maker(request.u32(4), request.u32(8));
            let id = store.make_file(node, request.name(16), maker)?;
            let mut body = entry(store, id)?;
            body.extend([0; 16]);
            Ok(body)
        }
        25 => done(store.close(node)),
        // Release, release and flush of a folder, destroy.
        18 | 29 | 30 | 38 => Ok(Vec::new()),
        _ => Err(Errno::NOSYS.raw_os_error()),
    }
}

/// Sets, gets, lists or removes an extended attribute.
fn extended_attribute(store: &mut Store, request: &KernelRequest<'_>) -> Answer {
    let node = request.node;
    match request.operation {
        21 => {
            let size = request.u32(0) as usize;
            let name = request.name(8);
            let value = request.bytes(8 + name.len() + 1, size);
            store.extended(node)?.insert(name.to_vec(), value.to_vec());
            Ok(Vec::new())
        }
        22 => {
            let lacks = Errno::NODATA.raw_os_error();
            let value = store.extended(node)?.get(request.name(8)).cloned();
            sized(request, value.ok_or(lacks)?)
        }
        23 => {
            let names = store.extended(node)?.keys();
            let list = names.flat_map(|name| [name, &b"\0"[..]].concat()).collect();
            sized(request, list)
        }
        _ => {
            let lacks = Errno::NODATA.raw_os_error();
            let old = store.extended(node)?.remove(request.name(0));
            old.map(|_| Vec::new()).ok_or(lacks)
        }
    }
}

fn done(result: Result<(), i32>) -> Answer {
    result.map(|()| Vec::new())
}

fn trusted(store: &Store) -> u64 {
    match store.has(Lie::CachedForAnHour) {
        true => 3600,
        false => 1,
    }
}

fn entry(store: &Store, id: NodeId) -> Answer {
    Ok(wire::entry(id, trusted(store), &store.attributes(id)?))
}

fn attributes(store: &Store, id: NodeId) -> Answer {
    Ok(wire::attributes(trusted(store), &store.attributes(id)?))
}

fn init_flags(store: &Store, request: &KernelRequest<'_>) -> u32 {
    let locks = match store.has(Lie::LocksNobodyOut) {
        true => ASKS_ABOUT_LOCKS,
        false => 0,
    };
    (BIG_WRITES | locks) & request.u32(12)
}

/// Returns the answer for an extended attribute: its length if the size limit is zero, else its bytes.
fn sized(request: &KernelRequest<'_>, value: Vec<u8>) -> Answer {
    let size = request.u32(0) as usize;
    match size {
        0 => Ok([
            u32::try_from(value.len()).unwrap_or(0).to_ne_bytes(),
            [0; 4],
        ]
        .concat()),
        size if size < value.len() => Err(Errno::RANGE.raw_os_error()),
        _ => Ok(value),
    }
}

fn change(request: &KernelRequest<'_>) -> AttributeChange {
    let valid = request.u32(0);
    let asks = |bit: u32| valid & bit != 0;
    let now = std::time::SystemTime::now()
        .duration_since(std::time::SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    AttributeChange {
        mode: asks(1).then(|| request.u32(68)),
        uid: asks(2).then(|| request.u32(76)),
        gid: asks(4).then(|| request.u32(80)),
        size: asks(8).then(|| request.u64(16)),
        mtime: match (asks(32), asks(256)) {
            (_, true) => Some((now.as_secs(), now.subsec_nanos())),
            (true, false) => Some((request.u64(40), request.u32(60))),
            (false, false) => None,
        },
    }
}

fn list(store: &mut Store, request: &KernelRequest<'_>) -> Answer {
    let (offset, room) = (request.u64(8), request.u32(16) as usize);
    let mut body = Vec::new();
    let entries = store.list(request.node)?;
    for (at, (name, number, kind)) in (1_u64..).zip(&entries).skip(offset as usize) {
        let one = wire::listed(*number, at, *kind, name);
        if body.len() + one.len() > room {
            break;
        }
        body.extend(one);
    }
    Ok(body)
}

/// The flags of a rename.
const NO_REPLACE: u32 = 1;
const EXCHANGE: u32 = 2;

fn rename(
    store: &Mutex<Store>,
    request: &KernelRequest<'_>,
    names_at: usize,
    flags: u32,
) -> Answer {
    let mut names = request.names(names_at);
    let (name, to) = (names.next(), names.next());
    let from = (request.node, name.unwrap_or_default());
    let to = (request.u64(0), to.unwrap_or_default());
    let mut open = locked(store);
    let ignores = |lie| open.has(lie) || open.has(Lie::IgnoresFlags);
    if flags != 0 && open.has(Lie::RefusesFlags) {
        return Err(Errno::INVAL.raw_os_error());
    }
    if flags & EXCHANGE != 0 && open.has(Lie::ExchangesNothing) {
        return Ok(Vec::new());
    }
    if flags & EXCHANGE != 0 && !open.has(Lie::IgnoresFlags) {
        if open.has(Lie::ExchangesOnce) {
            open.set(Lie::ExchangesOnce, false);
            open.set(Lie::IgnoresFlags, true);
        }
        return done(open.exchange(from, to));
    }
    if flags & NO_REPLACE != 0 && !ignores(Lie::IgnoresNoReplace) && open.exists(to.0, to.1) {
        return Err(Errno::EXIST.raw_os_error());
    }
    if !open.has(Lie::RenamesInSteps) {
        return done(open.rename(from, to));
    }
    open.clear_target(to.0, to.1)?;
    drop(open);
    std::thread::sleep(STEP);
    let id = locked(store).give_second_name(from, to)?;
    std::thread::sleep(STEP);
    done(locked(store).drop_first_name(from.0, from.1, id))
}
