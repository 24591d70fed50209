//! A folder that was made for a file which a kill kept from coming: it goes again, unless something is in it.

use std::io::{self, ErrorKind as Kind};

use super::Healed;
use super::step::Scene;

impl Scene<'_> {
    /// A folder that was made for a file: it goes if nothing is in it, whatever came of the file. Kept where it stays.
    pub(super) fn heal_folder(&self) -> io::Result<Healed> {
        let (disk, name) = (self.disk(), &*self.step.name);
        let ours = match disk.stat_at(self.folder(), name) {
            Ok(stamp) => {
                stamp.is_folder() && self.step.new.is_some_and(|new| new.inode == stamp.inode)
            }
            Err(error) if error.kind() == Kind::NotFound => false,
            Err(error) => return Err(error),
        };
        if !ours {
            return Ok(Healed::Finished);
        }
        match disk.remove_folder_at(self.folder(), name) {
            Ok(()) => Ok(Healed::Finished),
            Err(error) => match error.kind() {
                Kind::NotFound => Ok(Healed::Finished),
                Kind::DirectoryNotEmpty
                | Kind::PermissionDenied
                | Kind::ReadOnlyFilesystem
                | Kind::ResourceBusy => Ok(Healed::Kept(self.step.folder.join(name))),
                _ => Err(error),
            },
        }
    }
}
