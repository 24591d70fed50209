//! Renames in a misbehaving file system, at once or in steps.

use super::{Done, NodeId, Store};

impl Store {
    pub(in super::super) fn rename(
        &mut self,
        (folder, name): (NodeId, &[u8]),
        (to_folder, to): (NodeId, &[u8]),
    ) -> Done<()> {
        let (name, id) = self.found(folder, name)?;
        match self.find(to_folder, to) {
            Some((_, other)) if other == id => return Ok(()),
            Some((other, _)) => self.drop_name(to_folder, &other)?,
            None => {}
        }
        self.entries(folder)?.remove(&name);
        self.name_it(to_folder, to, id)
    }

    /// Performs the first step of a rename that has several: removes the replaced file.
    pub(in super::super) fn clear_target(&mut self, folder: NodeId, name: &[u8]) -> Done<()> {
        match self.find(folder, name) {
            Some((name, _)) => self.drop_name(folder, &name),
            None => Ok(()),
        }
    }

    /// Performs the second step: gives the file both names.
    pub(in super::super) fn give_second_name(
        &mut self,
        (folder, name): (NodeId, &[u8]),
        (to_folder, to): (NodeId, &[u8]),
    ) -> Done<NodeId> {
        let (_, id) = self.found(folder, name)?;
        self.name_it(to_folder, to, id)?;
        Ok(id)
    }

    /// Performs the last step: removes the old name, if it is still that file's.
    pub(in super::super) fn drop_first_name(
        &mut self,
        folder: NodeId,
        name: &[u8],
        id: NodeId,
    ) -> Done<()> {
        match self.find(folder, name) {
            Some((name, found)) if found == id => {
                self.entries(folder)?.remove(&name);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    pub(in super::super) fn exchange(
        &mut self,
        (folder, name): (NodeId, &[u8]),
        (to_folder, to): (NodeId, &[u8]),
    ) -> Done<()> {
        let (name, first) = self.found(folder, name)?;
        let (to, second) = self.found(to_folder, to)?;
        self.name_it(folder, &name, second)?;
        self.name_it(to_folder, &to, first)
    }
}
