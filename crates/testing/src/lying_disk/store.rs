//! The files of the misbehaving file system, and the effects of its operations on them.

mod bytes;
mod renames;

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::{Duration, Instant, SystemTime};

use rustix::io::Errno;

use super::lie::Lie;

pub(super) type NodeId = u64;
type Done<T> = Result<T, i32>;

/// The folder at the top.
pub(super) const TOP: NodeId = 1;
/// How old the state shown by a late listing is.
const LATE: Duration = Duration::from_secs(1);

const FOLDER: u32 = 0o040_000;
const FILE: u32 = 0o100_000;
const LINK: u32 = 0o120_000;
const KIND: u32 = 0o170_000;

#[derive(Clone)]
enum NodeContent {
    File(Vec<u8>),
    Folder(BTreeMap<Vec<u8>, NodeId>),
    Link(Vec<u8>),
}

#[derive(Clone)]
struct StoredNode {
    content: NodeContent,
    mode: u32,
    uid: u32,
    gid: u32,
    links: u32,
    mtime: (u64, u32),
    ctime: (u64, u32),
    extended: BTreeMap<Vec<u8>, Vec<u8>>,
    /// The inode number that is reported for it, if that depends on the name.
    number: u64,
    /// Whether it was written since it was last closed.
    is_dirty: bool,
}

/// The attributes of a file that the kernel receives.
pub(super) struct Attributes {
    pub(super) number: u64,
    pub(super) size: u64,
    pub(super) mtime: (u64, u32),
    pub(super) ctime: (u64, u32),
    pub(super) mode: u32,
    pub(super) links: u32,
    pub(super) uid: u32,
    pub(super) gid: u32,
}

/// The changes that a request asks for.
#[derive(Default)]
pub(super) struct AttributeChange {
    pub(super) mode: Option<u32>,
    pub(super) uid: Option<u32>,
    pub(super) gid: Option<u32>,
    pub(super) size: Option<u64>,
    pub(super) mtime: Option<(u64, u32)>,
}

/// The user that a request comes from, and the permission bits to use.
#[derive(Clone, Copy)]
pub(super) struct Maker {
    pub(super) uid: u32,
    pub(super) gid: u32,
    pub(super) mode: u32,
}

type Entries = Vec<(Vec<u8>, u64, u32)>;

pub(super) struct Store {
    lies: Vec<Lie>,
    nodes: HashMap<NodeId, StoredNode>,
    next: NodeId,
    /// The state that late listings show, and since when.
    listings: HashMap<NodeId, (Instant, Entries)>,
}

fn error<T>(errno: Errno) -> Done<T> {
    Err(errno.raw_os_error())
}

impl Store {
    pub(super) fn new(lies: &[Lie]) -> Store {
        let mut store = Store {
            lies: lies.to_vec(),
            nodes: HashMap::new(),
            next: TOP,
            listings: HashMap::new(),
        };
        let maker = Maker {
            uid: 0,
            gid: 0,
            mode: FOLDER | 0o755,
        };
        store.make(NodeContent::Folder(BTreeMap::new()), maker);
        store
    }

    pub(super) fn has(&self, lie: Lie) -> bool {
        self.lies.contains(&lie)
    }

    pub(super) fn set(&mut self, lie: Lie, lies: bool) {
        self.lies.retain(|other| *other != lie);
        if lies {
            self.lies.push(lie);
        }
    }

    pub(super) fn names(&self) -> Vec<String> {
        let Some(NodeContent::Folder(entries)) = self.nodes.get(&TOP).map(|node| &node.content)
        else {
            return Vec::new();
        };
        let text = |name: &Vec<u8>| String::from_utf8_lossy(name).into_owned();
        entries.keys().map(text).collect()
    }

    pub(super) fn content(&self, name: &str) -> Option<Vec<u8>> {
        let (_, id) = self.find(TOP, name.as_bytes())?;
        match &self.nodes.get(&id)?.content {
            NodeContent::File(bytes) => Some(bytes.clone()),
            _ => None,
        }
    }

    fn now(&self) -> (u64, u32) {
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        self.rounded((now.as_secs(), now.subsec_nanos()))
    }

    fn rounded(&self, (seconds, nanoseconds): (u64, u32)) -> (u64, u32) {
        match self.has(Lie::WholeSeconds) {
            true => (seconds, 0),
            false => (seconds, nanoseconds),
        }
    }

    fn make(&mut self, content: NodeContent, maker: Maker) -> NodeId {
        let (id, now) = (self.next, self.now());
        self.next += 1;
        let links = if matches!(content, NodeContent::Folder(_)) {
            2
        } else {
            1
        };
        let node = StoredNode {
            content,
            mode: maker.mode,
            uid: maker.uid,
            gid: maker.gid,
            links,
            mtime: now,
            ctime: now,
            extended: BTreeMap::new(),
            number: id,
            is_dirty: false,
        };
        self.nodes.insert(id, node);
        id
    }

    fn node(&self, id: NodeId) -> Done<&StoredNode> {
        let gone = Errno::NOENT.raw_os_error();
        self.nodes.get(&id).ok_or(gone)
    }

    fn node_mut(&mut self, id: NodeId) -> Done<&mut StoredNode> {
        let gone = Errno::NOENT.raw_os_error();
        self.nodes.get_mut(&id).ok_or(gone)
    }

    fn entries(&mut self, folder: NodeId) -> Done<&mut BTreeMap<Vec<u8>, NodeId>> {
        match &mut self.node_mut(folder)?.content {
            NodeContent::Folder(entries) => Ok(entries),
            _ => error(Errno::NOTDIR),
        }
    }

    /// Returns the entry of a name, as it is spelled in the folder.
    fn find(&self, folder: NodeId, name: &[u8]) -> Option<(Vec<u8>, NodeId)> {
        let NodeContent::Folder(entries) = &self.nodes.get(&folder)?.content else {
            return None;
        };
        let folds = self.has(Lie::FoldsCase);
        let is_it = |other: &[u8]| other == name || (folds && other.eq_ignore_ascii_case(name));
        let found = entries.iter().find(|(other, _)| is_it(other));
        found.map(|(name, id)| (name.clone(), *id))
    }

    fn found(&self, folder: NodeId, name: &[u8]) -> Done<(Vec<u8>, NodeId)> {
        let gone = Errno::NOENT.raw_os_error();
        self.find(folder, name).ok_or(gone)
    }

    /// Returns the inode number of a file, which may depend on its name.
    fn number(&self, folder: NodeId, name: &[u8], id: NodeId) -> u64 {
        if !self.has(Lie::NumbersNames) {
            return id;
        }
        let mut hasher = DefaultHasher::new();
        (folder, name).hash(&mut hasher);
        hasher.finish() >> 8
    }

    fn name_it(&mut self, folder: NodeId, name: &[u8], id: NodeId) -> Done<()> {
        let (number, now) = (self.number(folder, name, id), self.now());
        self.entries(folder)?.insert(name.to_vec(), id);
        self.node_mut(folder)?.mtime = now;
        let node = self.node_mut(id)?;
        (node.number, node.ctime) = (number, now);
        Ok(())
    }

    fn drop_name(&mut self, folder: NodeId, name: &[u8]) -> Done<()> {
        let now = self.now();
        let id = self.entries(folder)?.remove(name);
        self.node_mut(folder)?.mtime = now;
        if let Some(node) = id.and_then(|id| self.nodes.get_mut(&id)) {
            node.links = node.links.saturating_sub(1);
            node.ctime = now;
        }
        Ok(())
    }

    pub(super) fn attributes(&self, id: NodeId) -> Done<Attributes> {
        let node = self.node(id)?;
        let size = match &node.content {
            NodeContent::File(bytes) | NodeContent::Link(bytes) => bytes.len(),
            NodeContent::Folder(_) => 4096,
        };
        Ok(Attributes {
            number: node.number,
            size: size as u64,
            mtime: node.mtime,
            ctime: node.ctime,
            mode: node.mode,
            links: node.links,
            uid: node.uid,
            gid: node.gid,
        })
    }

    pub(super) fn look_up(&mut self, folder: NodeId, name: &[u8]) -> Done<NodeId> {
        let (name, id) = self.found(folder, name)?;
        let number = self.number(folder, &name, id);
        self.node_mut(id)?.number = number;
        Ok(id)
    }

    pub(super) fn change(&mut self, id: NodeId, change: &AttributeChange) -> Done<()> {
        let now = self.now();
        let mtime = change.mtime.map(|time| self.rounded(time));
        let node = self.node_mut(id)?;
        if let (Some(size), NodeContent::File(bytes)) = (change.size, &mut node.content) {
            bytes.resize(usize::try_from(size).unwrap_or(0), 0);
            node.mtime = now;
        }
        if let Some(mode) = change.mode {
            node.mode = node.mode & KIND | mode & !KIND;
        }
        node.uid = change.uid.unwrap_or(node.uid);
        node.gid = change.gid.unwrap_or(node.gid);
        node.mtime = mtime.unwrap_or(node.mtime);
        node.ctime = now;
        Ok(())
    }

    fn add(
        &mut self,
        folder: NodeId,
        name: &[u8],
        content: NodeContent,
        maker: Maker,
    ) -> Done<NodeId> {
        if self.find(folder, name).is_some() {
            return error(Errno::EXIST);
        }
        let id = self.make(content, maker);
        self.name_it(folder, name, id)?;
        Ok(id)
    }

    pub(super) fn make_file(&mut self, folder: NodeId, name: &[u8], maker: Maker) -> Done<NodeId> {
        let maker = Maker {
            mode: FILE | maker.mode & !KIND,
            ..maker
        };
        self.add(folder, name, NodeContent::File(Vec::new()), maker)
    }

    pub(super) fn make_folder(
        &mut self,
        folder: NodeId,
        name: &[u8],
        maker: Maker,
    ) -> Done<NodeId> {
        let maker = Maker {
            mode: FOLDER | maker.mode & !KIND,
            ..maker
        };
        self.add(folder, name, NodeContent::Folder(BTreeMap::new()), maker)
    }

    pub(super) fn make_link(
        &mut self,
        folder: NodeId,
        name: &[u8],
        target: &[u8],
        maker: Maker,
    ) -> Done<NodeId> {
        let maker = Maker {
            mode: LINK | 0o777,
            ..maker
        };
        self.add(folder, name, NodeContent::Link(target.to_vec()), maker)
    }

    pub(super) fn target(&self, id: NodeId) -> Done<Vec<u8>> {
        match &self.node(id)?.content {
            NodeContent::Link(target) => Ok(target.clone()),
            _ => error(Errno::INVAL),
        }
    }

    pub(super) fn remove(&mut self, folder: NodeId, name: &[u8]) -> Done<()> {
        let (name, _) = self.found(folder, name)?;
        self.drop_name(folder, &name)
    }

    pub(super) fn remove_folder(&mut self, folder: NodeId, name: &[u8]) -> Done<()> {
        let (name, id) = self.found(folder, name)?;
        if !self.entries(id)?.is_empty() {
            return error(Errno::NOTEMPTY);
        }
        self.drop_name(folder, &name)
    }

    pub(super) fn link(&mut self, id: NodeId, folder: NodeId, name: &[u8]) -> Done<()> {
        if self.has(Lie::LacksLinks) {
            return error(Errno::PERM);
        }
        if self.find(folder, name).is_some() {
            return error(Errno::EXIST);
        }
        self.name_it(folder, name, id)?;
        self.node_mut(id)?.links += 1;
        Ok(())
    }

    pub(super) fn exists(&self, folder: NodeId, name: &[u8]) -> bool {
        self.find(folder, name).is_some()
    }

    pub(super) fn extended(&mut self, id: NodeId) -> Done<&mut BTreeMap<Vec<u8>, Vec<u8>>> {
        Ok(&mut self.node_mut(id)?.extended)
    }

    /// Returns the names in a folder, each with its number and kind.
    pub(super) fn list(&mut self, folder: NodeId) -> Done<Entries> {
        if self.has(Lie::ListsLate)
            && let Some((since, entries)) = self.listings.get(&folder)
            && since.elapsed() < LATE
        {
            return Ok(entries.clone());
        }
        let NodeContent::Folder(entries) = &self.node(folder)?.content else {
            return error(Errno::NOTDIR);
        };
        let mut list: Entries = [&b"."[..], b".."]
            .map(|name| (name.to_vec(), folder, FOLDER >> 12))
            .to_vec();
        for (name, id) in entries {
            let mode = self.node(*id)?.mode;
            let number = self.number(folder, name, *id);
            list.push((name.clone(), number, (mode & KIND) >> 12));
        }
        self.listings.insert(folder, (Instant::now(), list.clone()));
        Ok(list)
    }
}
