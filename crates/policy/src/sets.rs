//! The rules of one effect and one access, ready to be asked: by starting point, each a tree.

use std::path::{Path, PathBuf};

use crate::decision::Layer;
use crate::fold::{self, Strength};
use crate::name::Name;
use crate::pattern::{Base, Part, Pattern};
use crate::tree::{NameKind, Sieve, Stand, Tree};

/// Where patterns start.
#[derive(Clone, Debug, Default)]
pub struct Ground {
    /// The folders that may be read and written.
    pub roots: Vec<PathBuf>,
    /// The folders that may be read only.
    pub read_roots: Vec<PathBuf>,
    /// What `~` stands for.
    pub home: Option<PathBuf>,
}

impl Ground {
    /// The folder for reading only that a path is in, where no root is further inside around it.
    pub(crate) fn read_root(&self, path: &Path) -> Option<&PathBuf> {
        if self.read_roots.is_empty() {
            return None;
        }
        let depth = |folder: &PathBuf| folder.components().count();
        let roots = self.roots.iter().filter(|root| path.starts_with(root));
        let read_roots = self.read_roots.iter();
        let inmost = read_roots
            .filter(|folder| fold::is_within(path, folder))
            .max_by_key(|folder| depth(folder))?;
        let root = roots.map(depth).max();
        root.is_none_or(|root| root < depth(inmost))
            .then_some(inmost)
    }
}

/// How far the rules of one effect and one access are on the way to a folder.
#[derive(Debug)]
pub(crate) struct Standing {
    each: Stand,
    first: Stand,
    absolute: Stand,
    /// What leads on from there, in all of them.
    sieve: Sieve,
}

/// The rules of one effect and one access.
#[derive(Debug)]
pub(crate) struct Sets {
    strength: Strength,
    /// From each root.
    each: Tree,
    /// From the first root alone.
    first: Tree,
    /// From `/`.
    absolute: Tree,
}

impl Sets {
    pub(crate) fn new(strength: Strength) -> Sets {
        Sets {
            strength,
            each: Tree::new(strength),
            first: Tree::new(strength),
            absolute: Tree::new(strength),
        }
    }

    /// Adds a layer's pattern under its number.
    pub(crate) fn add(
        &mut self,
        ground: &Ground,
        resolve: &dyn Fn(&Path) -> PathBuf,
        (pattern, layer): (&Pattern, Layer),
        number: u32,
    ) {
        let any = [Part::AnyDepth];
        match pattern.base {
            Base::AnyDepth => {
                let tree = match layer {
                    Layer::Project => &mut self.first,
                    Layer::User | Layer::CommandLine | Layer::Host => &mut self.each,
                };
                tree.add(any.iter().chain(&pattern.parts), pattern.tail, number);
            }
            Base::Root => {
                // "All files" is said of every root, whoever says it for the user.
                let tree = match layer {
                    Layer::User | Layer::Host => &mut self.each,
                    Layer::CommandLine if pattern.parts.is_empty() => &mut self.each,
                    Layer::Project | Layer::CommandLine => &mut self.first,
                };
                tree.add(pattern.parts.iter(), pattern.tail, number);
            }
            Base::Absolute => self.add_absolute(Path::new("/"), resolve, pattern, number),
            Base::Home => {
                if let Some(home) = &ground.home {
                    self.add_absolute(home, resolve, pattern, number);
                }
            }
        }
    }

    /// A pattern from a folder on, under the folder's spelling and under the one that opened files have.
    fn add_absolute(
        &mut self,
        start: &Path,
        resolve: &dyn Fn(&Path) -> PathBuf,
        pattern: &Pattern,
        number: u32,
    ) {
        let leading = pattern.leading_folders();
        let mut spelled = start.to_path_buf();
        spelled.extend(&leading);
        let resolved = resolve(&spelled);
        let folders = [Some(&spelled), (resolved != spelled).then_some(&resolved)];
        for folder in folders.into_iter().flatten() {
            let names: Vec<Part> = folder
                .iter()
                .filter(|name| *name != "/")
                .map(|name| Part::Literal(name.to_string_lossy().into_owned()))
                .collect();
            let rest = &pattern.parts[leading.len()..];
            self.absolute
                .add(names.iter().chain(rest), pattern.tail, number);
        }
    }

    /// The first rule that covers a file.
    pub(crate) fn find(&self, name: &Name<'_>, kind: NameKind) -> Option<u32> {
        let mut found = None;
        if !self.each.is_empty() || !self.first.is_empty() {
            let folded = name.relative(self.strength);
            found = self.find_relative(name.root, folded.as_str(), kind);
            for (root, relative) in &name.inner {
                let folded = fold::path(relative, self.strength);
                let inner = self.find_relative(Some(*root), folded.as_str(), kind);
                found = least(found, inner);
            }
        }
        if !self.absolute.is_empty() {
            let folded = name.absolute(self.strength);
            found = least(found, self.absolute.find(folded.as_str(), kind));
        }
        if self.strength == Strength::Strict
            && let Some(drive) = &name.drive
        {
            found = least(found, self.find_relative(name.root, &drive.relative, kind));
            found = least(found, self.absolute.find(&drive.absolute, kind));
        }
        found
    }

    /// How far all of them are on the way to a folder that has one root around it.
    pub(crate) fn stand(&self, folder: &Name<'_>) -> Standing {
        let relative = folder.relative(self.strength);
        let stand = |tree: &Tree, path: &str| match tree.is_empty() {
            true => Stand::default(),
            false => tree.stand(path),
        };
        let each = stand(&self.each, relative.as_str());
        let first = match folder.root {
            Some(0) => stand(&self.first, relative.as_str()),
            _ => Stand::default(),
        };
        let absolute = match self.absolute.is_empty() {
            true => Stand::default(),
            false => self.absolute.stand(folder.absolute(self.strength).as_str()),
        };
        self.standing(each, first, absolute)
    }

    /// How far they are at a folder of that folder, by its folded name.
    pub(crate) fn stand_from(&self, standing: &Standing, name: &str) -> Standing {
        self.standing(
            self.each.stand_from(&standing.each, name),
            self.first.stand_from(&standing.first, name),
            self.absolute.stand_from(&standing.absolute, name),
        )
    }

    fn standing(&self, each: Stand, first: Stand, absolute: Stand) -> Standing {
        let mut sieve = Sieve::default();
        sieve.add(&self.each, &each);
        sieve.add(&self.first, &first);
        sieve.add(&self.absolute, &absolute);
        Standing {
            each,
            first,
            absolute,
            sieve,
        }
    }

    /// The first rule that covers an entry of that folder, by its folded name.
    pub(crate) fn find_from(&self, standing: &Standing, name: &str, kind: NameKind) -> Option<u32> {
        if !standing.sieve.takes(name) {
            let covered = least(standing.each.best, standing.first.best);
            return least(covered, standing.absolute.best);
        }
        let found = self.each.find_from(&standing.each, name, kind);
        let found = least(found, self.first.find_from(&standing.first, name, kind));
        least(
            found,
            self.absolute.find_from(&standing.absolute, name, kind),
        )
    }

    fn find_relative(&self, root: Option<usize>, folded: &str, kind: NameKind) -> Option<u32> {
        let root = root?;
        let found = self.each.find(folded, kind);
        if root == 0 {
            return least(found, self.first.find(folded, kind));
        }
        found
    }
}

fn least(one: Option<u32>, other: Option<u32>) -> Option<u32> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        _ => one.or(other),
    }
}
