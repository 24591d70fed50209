//! Reads, writes and flushes the bytes of a misbehaving file system.

use rustix::io::Errno;

use super::{Done, Lie, NodeContent, NodeId, Store, error};

impl Store {
    pub(in super::super) fn read(&self, id: NodeId, offset: u64, size: u32) -> Done<Vec<u8>> {
        let NodeContent::File(bytes) = &self.node(id)?.content else {
            return error(Errno::ISDIR);
        };
        let begin = usize::try_from(offset).unwrap_or(0).min(bytes.len());
        let end = begin.saturating_add(size as usize).min(bytes.len());
        Ok(bytes[begin..end].to_vec())
    }

    pub(in super::super) fn write(&mut self, id: NodeId, offset: u64, data: &[u8]) -> Done<()> {
        let now = self.now();
        let node = self.node_mut(id)?;
        let NodeContent::File(bytes) = &mut node.content else {
            return error(Errno::ISDIR);
        };
        let begin = usize::try_from(offset).unwrap_or(0);
        if bytes.len() < begin + data.len() {
            bytes.resize(begin + data.len(), 0);
        }
        bytes[begin..begin + data.len()].copy_from_slice(data);
        (node.mtime, node.ctime) = (now, now);
        node.is_dirty = true;
        Ok(())
    }

    /// Flushes a file. With [`Lie::LosesOneFlush`] the next flush fails and the file's content is lost.
    pub(in super::super) fn flush(&mut self, id: NodeId) -> Done<()> {
        if self.has(Lie::LosesOneFlush)
            && let NodeContent::File(bytes) = &mut self.node_mut(id)?.content
        {
            bytes.clear();
            self.set(Lie::LosesOneFlush, false);
            return error(Errno::IO);
        }
        Ok(())
    }

    /// Closes one of the handles of a file. If that is to fail, the data written since is lost.
    pub(in super::super) fn close(&mut self, id: NodeId) -> Done<()> {
        let fails = self.has(Lie::FailsOneClose);
        let node = self.node_mut(id)?;
        if std::mem::take(&mut node.is_dirty)
            && fails
            && let NodeContent::File(bytes) = &mut node.content
        {
            bytes.clear();
            self.set(Lie::FailsOneClose, false);
            return error(Errno::NOSPC);
        }
        Ok(())
    }
}
