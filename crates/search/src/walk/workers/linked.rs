//! What a walk does with a symbolic link that it follows.

use std::ffi::OsStr;
use std::sync::Arc;

use lancet_workspace::{EntryKind, FileType, Located};

use super::Workers;
use crate::tally::Tally;
use crate::walk::folder::{WalkedFolder, relative_to_start};
use crate::walk::{EnteredFolder, FileSource, Visitor, WalkedFile};

impl Workers<'_, '_> {
    /// Visits what a link leads to, under the path of the link.
    pub(super) fn visit_linked(
        &self,
        folder: &Arc<WalkedFolder>,
        name: &OsStr,
        target: &Located,
        visitor: &mut impl Visitor,
        tally: &mut Tally,
    ) {
        let path = folder.path.join(name);
        let kind = match target.kind() {
            FileType::File => EntryKind::File,
            FileType::Directory => EntryKind::Folder,
            _ => return,
        };
        if !folder.accepts(self.walk, &path, name, kind, tally) {
            return;
        }
        let relative = relative_to_start(&path, folder.base);
        if kind == EntryKind::File {
            let file = WalkedFile {
                start: folder.start,
                path: &path,
                relative,
                place: FileSource::Linked(target),
            };
            visitor.visit(&file, tally);
        } else if self.walk.filter.may_enter(&path) {
            match folder.enter_link(name, target) {
                Ok(Some(entered)) => {
                    visitor.visit_folder(&EnteredFolder {
                        start: folder.start,
                        path: &path,
                        relative,
                    });
                    self.list(entered, visitor, &|| (), tally);
                }
                Ok(None) => tally.links += 1,
                Err(_) => {
                    tally.unreadable += 1;
                    visitor.miss_folder(folder.start, relative);
                }
            }
        }
    }
}
