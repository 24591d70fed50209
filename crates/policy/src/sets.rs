//! The rules of one effect and one access, compiled into a tree for each starting point.

use std::path::{Path, PathBuf};

use crate::decision::RuleLayer;
use crate::fold::{self, FoldStrength};
use crate::name::PreparedPath;
use crate::pattern::{Anchor, Pattern, PatternPart};
use crate::tree::{NameFilter, NameKind, PatternTree, PrefixMatch};

/// The folders that patterns start from.
#[derive(Clone, Debug, Default)]
pub struct Locations {
    /// The folders that may be read and written.
    pub roots: Vec<PathBuf>,
    /// The folders that may be read only.
    pub read_roots: Vec<PathBuf>,
    /// The home folder, for patterns that begin with `~`.
    pub home: Option<PathBuf>,
}

impl Locations {
    /// Returns the read root that contains a path, unless a root further inside contains it, too.
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

/// The state of the match of all trees after the names of a folder.
#[derive(Debug)]
pub(crate) struct FolderStates {
    each: PrefixMatch,
    first: PrefixMatch,
    absolute: PrefixMatch,
    /// The names that may match in some tree from there on.
    filter: NameFilter,
}

/// The rules of one effect and one access.
#[derive(Debug)]
pub(crate) struct RuleSets {
    strength: FoldStrength,
    /// The rules that start from each root.
    each: PatternTree,
    /// The rules that start from the first root only.
    first: PatternTree,
    /// The rules that start from `/`.
    absolute: PatternTree,
}

impl RuleSets {
    pub(crate) fn new(strength: FoldStrength) -> RuleSets {
        RuleSets {
            strength,
            each: PatternTree::new(strength),
            first: PatternTree::new(strength),
            absolute: PatternTree::new(strength),
        }
    }

    /// Adds a pattern of a layer. `number` identifies the pattern when it matches.
    pub(crate) fn add(
        &mut self,
        ground: &Locations,
        resolve: &dyn Fn(&Path) -> PathBuf,
        (pattern, layer): (&Pattern, RuleLayer),
        number: u32,
    ) {
        let any = [PatternPart::AnyDepth];
        match pattern.base {
            Anchor::AnyDepth => {
                let tree = match layer {
                    RuleLayer::Project => &mut self.first,
                    RuleLayer::User | RuleLayer::CommandLine | RuleLayer::Host => &mut self.each,
                };
                tree.add(any.iter().chain(&pattern.parts), pattern.tail, number);
            }
            Anchor::Root => {
                // `**` on the command line means the files of every root.
                let tree = match layer {
                    RuleLayer::User | RuleLayer::Host => &mut self.each,
                    RuleLayer::CommandLine if pattern.parts.is_empty() => &mut self.each,
                    RuleLayer::Project | RuleLayer::CommandLine => &mut self.first,
                };
                tree.add(pattern.parts.iter(), pattern.tail, number);
            }
            Anchor::Absolute => self.add_absolute(Path::new("/"), resolve, pattern, number),
            Anchor::Home => {
                if let Some(home) = &ground.home {
                    self.add_absolute(home, resolve, pattern, number);
                }
            }
        }
    }

    /// Adds a pattern below a folder, both with the folder as it is spelled and with its links resolved.
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
            let names: Vec<PatternPart> = folder
                .iter()
                .filter(|name| *name != "/")
                .map(|name| PatternPart::Literal(name.to_string_lossy().into_owned()))
                .collect();
            let rest = &pattern.parts[leading.len()..];
            self.absolute
                .add(names.iter().chain(rest), pattern.tail, number);
        }
    }

    /// Returns the lowest number of the rules that cover a file.
    pub(crate) fn find(&self, name: &PreparedPath<'_>, kind: NameKind) -> Option<u32> {
        let mut found = None;
        if !self.each.is_empty() || !self.first.is_empty() {
            let folded = name.relative_form(self.strength);
            found = self.find_relative(name.root, folded.as_str(), kind);
            for (root, relative) in &name.inner {
                let folded = fold::fold_path(relative, self.strength);
                let inner = self.find_relative(Some(*root), folded.as_str(), kind);
                found = lowest_number(found, inner);
            }
        }
        if !self.absolute.is_empty() {
            let folded = name.absolute_form(self.strength);
            found = lowest_number(found, self.absolute.find(folded.as_str(), kind));
        }
        if self.strength == FoldStrength::Strict
            && let Some(drive) = &name.drive
        {
            found = lowest_number(found, self.find_relative(name.root, &drive.relative, kind));
            found = lowest_number(found, self.absolute.find(&drive.absolute, kind));
        }
        found
    }

    /// Matches the names of a folder that has one root around it, in all trees.
    pub(crate) fn match_prefix(&self, folder: &PreparedPath<'_>) -> FolderStates {
        let relative = folder.relative_form(self.strength);
        let match_tree = |tree: &PatternTree, path: &str| match tree.is_empty() {
            true => PrefixMatch::default(),
            false => tree.match_prefix(path),
        };
        let each = match_tree(&self.each, relative.as_str());
        let first = match folder.root {
            Some(0) => match_tree(&self.first, relative.as_str()),
            _ => PrefixMatch::default(),
        };
        let absolute = match self.absolute.is_empty() {
            true => PrefixMatch::default(),
            false => self
                .absolute
                .match_prefix(folder.absolute_form(self.strength).as_str()),
        };
        self.join_matches(each, first, absolute)
    }

    /// Continues the match with a folder inside that folder, given by its folded name.
    pub(crate) fn advance(&self, states: &FolderStates, name: &str) -> FolderStates {
        self.join_matches(
            self.each.advance(&states.each, name),
            self.first.advance(&states.first, name),
            self.absolute.advance(&states.absolute, name),
        )
    }

    fn join_matches(
        &self,
        each: PrefixMatch,
        first: PrefixMatch,
        absolute: PrefixMatch,
    ) -> FolderStates {
        let mut filter = NameFilter::default();
        filter.add(&self.each, &each);
        filter.add(&self.first, &first);
        filter.add(&self.absolute, &absolute);
        FolderStates {
            each,
            first,
            absolute,
            filter,
        }
    }

    /// Returns the lowest number of the rules that cover an entry of that folder, given by its folded name.
    pub(crate) fn find_from(
        &self,
        states: &FolderStates,
        name: &str,
        kind: NameKind,
    ) -> Option<u32> {
        if !states.filter.may_match(name) {
            let covered = lowest_number(states.each.best, states.first.best);
            return lowest_number(covered, states.absolute.best);
        }
        let found = self.each.find_from(&states.each, name, kind);
        let found = lowest_number(found, self.first.find_from(&states.first, name, kind));
        lowest_number(found, self.absolute.find_from(&states.absolute, name, kind))
    }

    fn find_relative(&self, root: Option<usize>, folded: &str, kind: NameKind) -> Option<u32> {
        let root = root?;
        let found = self.each.find(folded, kind);
        if root == 0 {
            return lowest_number(found, self.first.find(folded, kind));
        }
        found
    }
}

fn lowest_number(one: Option<u32>, other: Option<u32>) -> Option<u32> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        _ => one.or(other),
    }
}
