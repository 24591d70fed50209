//! git's side of a look: the index, the objects, HEAD, and the hard links to the objects.

use std::path::Path;
use std::sync::Arc;

use lancet_git::{CleanFiles, GitIndex, GlobalFiles, ObjectReader, Repository};
use lancet_history::{CheckpointEntry, ContentIdentity, EntryChange, GitHead, HeadMove, Operation};
use lancet_workspace::Disk;

use crate::contents::{ContentRecorder, ObjectRetention};
use crate::object_links::ObjectLinks;

/// The repository whose work tree is the root, as a look finds it.
#[derive(Default)]
pub(crate) struct GitView<'g> {
    pub(crate) index: Option<Arc<GitIndex>>,
    pub(crate) clean: Option<CleanFiles>,
    pub(crate) objects: Option<ObjectReader>,
    pub(crate) head: Option<GitHead>,
    /// None where objects cannot be linked.
    links: Option<ObjectLinks<'g>>,
}

impl<'g> GitView<'g> {
    /// Opens the repository whose work tree is the root. An unreadable one counts as none. `links` is the folder for hard
    /// links to its objects, which are read, too: git may have dropped them.
    pub(crate) fn open(
        root: &Path,
        disk: &'g Arc<dyn Disk>,
        outside: GlobalFiles<'_>,
        links: Option<&'g Path>,
    ) -> GitView<'g> {
        let Some(repository) = find_repository(root, disk) else {
            return GitView::with_linked_objects(disk, links);
        };
        let linked = links.and_then(|path| ObjectReader::open_in_folder(path, disk).ok());
        let index = repository.index().ok().flatten().map(Arc::new);
        let clean = index
            .as_ref()
            .and_then(|index| CleanFiles::open(&repository, Arc::clone(index), outside).ok());
        let objects = match (repository.open_objects().ok(), linked) {
            (Some(mut objects), Some(linked)) => {
                objects.append(linked);
                Some(objects)
            }
            (own, linked) => own.or(linked),
        };
        let folder = repository.open_common_folder().ok();
        GitView {
            head: read_head(&repository),
            links: links
                .zip(folder)
                .and_then(|(path, folder)| ObjectLinks::open(disk, path, &folder)),
            index,
            clean,
            objects,
        }
    }

    /// Returns the view without a repository: only the objects that earlier looks linked are read.
    pub(crate) fn with_linked_objects(
        disk: &'g Arc<dyn Disk>,
        links: Option<&'g Path>,
    ) -> GitView<'g> {
        GitView {
            objects: links.and_then(|path| ObjectReader::open_in_folder(path, disk).ok()),
            ..GitView::default()
        }
    }

    /// Returns the view of a look that found no changed file: HEAD may have moved all the same.
    pub(crate) fn with_head_only(root: &Path, disk: &Arc<dyn Disk>) -> GitView<'g> {
        GitView {
            head: find_repository(root, disk).as_ref().and_then(read_head),
            ..GitView::default()
        }
    }

    /// Returns whether git's objects outlive their removal from git.
    pub(crate) fn retention(&self) -> ObjectRetention {
        match self.links {
            Some(_) => ObjectRetention::Linked,
            None => ObjectRetention::InGitOnly,
        }
    }

    /// Adds the blobs of a checkpoint that an earlier look may have left without links.
    pub(crate) fn need_unlinked(&mut self, entries: &[CheckpointEntry]) {
        if let Some(links) = self.links.as_mut().filter(|links| links.is_unfinished()) {
            links.need(entries.iter().filter_map(blob));
        }
    }

    /// Links the objects that a checkpoint with these changes needs. A failure leaves them to git. Returns whether
    /// nothing is left to be linked.
    pub(crate) fn link_objects(
        self,
        changes: &[EntryChange],
        contents: &ContentRecorder<'_>,
    ) -> bool {
        let Some(mut links) = self.links else {
            return true;
        };
        let Some(objects) = contents.objects() else {
            return false;
        };
        links.need(changes.iter().filter_map(|change| match change {
            EntryChange::Now(entry) | EntryChange::Touched(entry) => blob(entry),
            EntryChange::Gone(_) => None,
        }));
        links.link(objects).unwrap_or(false)
    }
}

/// Returns the repository whose work tree is a root. An unreadable repository counts as none.
pub(crate) fn find_repository(root: &Path, disk: &Arc<dyn Disk>) -> Option<Repository> {
    let repository = Repository::find_for_file(&root.join("any"), disk);
    let repository = repository.ok().flatten();
    repository.filter(|found| found.work_tree() == root)
}

fn read_head(repository: &Repository) -> Option<GitHead> {
    let head = repository.head().ok()?;
    Some(GitHead {
        branch: head.branch,
        commit: head.commit.map(|id| id.to_string()),
    })
}

fn blob(entry: &CheckpointEntry) -> Option<[u8; 20]> {
    match entry.identity {
        ContentIdentity::Blob(id) => Some(id),
        ContentIdentity::Revision(_) | ContentIdentity::Unknown => None,
    }
}

/// Returns how HEAD moved, apart from the moves that other operations have.
pub(crate) fn head_move(
    before: Option<&GitHead>,
    now: Option<&GitHead>,
    between: &[Operation],
) -> Option<HeadMove> {
    let mut from = before?;
    let mut operations: Vec<&Operation> = between.iter().collect();
    operations.sort_by_key(|operation| operation.sequence);
    let recorded = operations
        .into_iter()
        .filter_map(|one| one.recorded.as_ref());
    for step in recorded.filter_map(|call| call.head.as_ref()) {
        if step.from == *from {
            from = &step.to;
        }
    }
    let to = now?;
    (from != to).then(|| HeadMove {
        from: from.clone(),
        to: to.clone(),
    })
}
