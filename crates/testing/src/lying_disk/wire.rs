//! The messages of the kernel's FUSE protocol, as far as the misbehaving file system uses them.

use super::store::{Attributes, NodeId};

/// A request of the kernel: the header of every message, and its body.
pub(super) struct KernelRequest<'b> {
    pub(super) operation: u32,
    pub(super) unique: u64,
    pub(super) node: NodeId,
    pub(super) uid: u32,
    pub(super) gid: u32,
    body: &'b [u8],
}

/// The size of the header of every request.
const HEADER: usize = 40;

impl<'b> KernelRequest<'b> {
    pub(super) fn read(bytes: &'b [u8]) -> Option<KernelRequest<'b>> {
        let header = bytes.get(..HEADER)?;
        let whole = KernelRequest {
            operation: 0,
            unique: 0,
            node: 0,
            uid: 0,
            gid: 0,
            body: header,
        };
        Some(KernelRequest {
            operation: whole.u32(4),
            unique: whole.u64(8),
            node: whole.u64(16),
            uid: whole.u32(24),
            gid: whole.u32(28),
            body: &bytes[HEADER..],
        })
    }

    /// Returns the number at this offset of the body; 0 beyond its end.
    pub(super) fn u32(&self, at: usize) -> u32 {
        let bytes = self.body.get(at..at + 4);
        bytes.map_or(0, |bytes| u32::from_ne_bytes(bytes.try_into().unwrap()))
    }

    /// Returns the number at this offset of the body; 0 beyond its end.
    pub(super) fn u64(&self, at: usize) -> u64 {
        let bytes = self.body.get(at..at + 8);
        bytes.map_or(0, |bytes| u64::from_ne_bytes(bytes.try_into().unwrap()))
    }

    /// Returns the bytes from an offset on.
    pub(super) fn bytes(&self, at: usize, length: usize) -> &'b [u8] {
        let rest = self.body.get(at..).unwrap_or_default();
        &rest[..length.min(rest.len())]
    }

    /// Returns the names from an offset on, each of which ends with a zero.
    pub(super) fn names(&self, at: usize) -> impl Iterator<Item = &'b [u8]> {
        let rest = self.body.get(at..).unwrap_or_default();
        rest.split(|&byte| byte == 0)
    }

    pub(super) fn name(&self, at: usize) -> &'b [u8] {
        self.names(at).next().unwrap_or_default()
    }
}

/// The body of an answer, or the number of an error.
pub(super) type Answer = Result<Vec<u8>, i32>;

/// Returns a whole answer, as the kernel reads it.
pub(super) fn message(unique: u64, answer: &Answer) -> Vec<u8> {
    let (error, body): (i32, &[u8]) = match answer {
        Ok(body) => (0, body),
        Err(error) => (-error, &[]),
    };
    let length = u32::try_from(16 + body.len()).unwrap_or(u32::MAX);
    let mut message = Vec::with_capacity(16 + body.len());
    message.extend(length.to_ne_bytes());
    message.extend(error.to_ne_bytes());
    message.extend(unique.to_ne_bytes());
    message.extend(body);
    message
}

/// Returns the answer to the first request: version 7.31, and writes of at most 128 KiB.
pub(super) fn init(flags: u32, max_write: u32) -> Vec<u8> {
    let mut body = Vec::with_capacity(64);
    for number in [7, 31, 0, flags] {
        body.extend(u32::to_ne_bytes(number));
    }
    body.extend(16_u16.to_ne_bytes());
    body.extend(12_u16.to_ne_bytes());
    body.extend(max_write.to_ne_bytes());
    body.extend(1_u32.to_ne_bytes());
    body.resize(64, 0);
    body
}

/// Returns the entry of a name; the kernel may cache it for `trusted` seconds.
pub(super) fn entry(node: NodeId, trusted: u64, attributes: &Attributes) -> Vec<u8> {
    let mut body = Vec::with_capacity(128);
    for number in [node, 0, trusted, trusted] {
        body.extend(number.to_ne_bytes());
    }
    body.extend([0; 8]);
    body.extend(attributes_of(attributes));
    body
}

pub(super) fn attributes(trusted: u64, attributes: &Attributes) -> Vec<u8> {
    let mut body = Vec::with_capacity(104);
    body.extend(trusted.to_ne_bytes());
    body.extend([0; 8]);
    body.extend(attributes_of(attributes));
    body
}

fn attributes_of(of: &Attributes) -> Vec<u8> {
    let mut body = Vec::with_capacity(88);
    let blocks = of.size.div_ceil(512);
    for number in [
        of.number, of.size, blocks, of.mtime.0, of.mtime.0, of.ctime.0,
    ] {
        body.extend(number.to_ne_bytes());
    }
    let (mtime, ctime) = (of.mtime.1, of.ctime.1);
    for number in [
        mtime, mtime, ctime, of.mode, of.links, of.uid, of.gid, 0, 4096, 0,
    ] {
        body.extend(number.to_ne_bytes());
    }
    body
}

/// Returns one entry of a listing; `next` is where the listing continues after it.
pub(super) fn listed(number: u64, next: u64, kind: u32, name: &[u8]) -> Vec<u8> {
    let mut body = Vec::with_capacity(32 + name.len());
    body.extend(number.to_ne_bytes());
    body.extend(next.to_ne_bytes());
    body.extend(u32::try_from(name.len()).unwrap_or(0).to_ne_bytes());
    body.extend(kind.to_ne_bytes());
    body.extend(name);
    body.resize(body.len().next_multiple_of(8), 0);
    body
}

/// Returns the statistics of a file system with unlimited space.
pub(super) fn statistics() -> Vec<u8> {
    let mut body = Vec::with_capacity(80);
    for number in [1_u64 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20] {
        body.extend(number.to_ne_bytes());
    }
    for number in [4096_u32, 255, 4096, 0] {
        body.extend(number.to_ne_bytes());
    }
    body.resize(80, 0);
    body
}
