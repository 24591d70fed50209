//! Parses the tree of a `use` into its leaves.

/// One name that a `use` imports.
pub(super) struct Leaf {
    /// The path as it is written, without `*` and without a last `self`.
    pub(super) path: Vec<String>,
    /// The name that it has in the file; none after `as _`.
    pub(super) name: Option<String>,
    /// Whether everything below the path is imported.
    pub(super) is_glob: bool,
}

/// Parses the text between `use` and the semicolon.
pub(super) fn leaves(tree: &str) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    spread(tree, &mut Vec::new(), &mut leaves);
    leaves
}

/// Returns the names on a path.
pub(super) fn names(path: &str) -> Vec<String> {
    let names = path.split("::").map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

fn spread(tree: &str, before: &mut Vec<String>, leaves: &mut Vec<Leaf>) {
    for branch in branches(tree) {
        let branch = branch.trim();
        let depth = before.len();
        if let Some((head, inside)) = branch.split_once('{') {
            before.extend(names(head));
            let inside = inside.rsplit_once('}').map_or(inside, |(inside, _)| inside);
            spread(inside, before, leaves);
        } else if !branch.is_empty() {
            let (path, renamed) = match branch.split_once(" as ") {
                Some((path, name)) => (path, Some(name.trim().to_owned())),
                None => (branch, None),
            };
            before.extend(names(path));
            leaves.push(leaf(before.clone(), renamed));
        }
        before.truncate(depth);
    }
}

fn leaf(mut path: Vec<String>, renamed: Option<String>) -> Leaf {
    let is_glob = path.last().is_some_and(|name| name == "*");
    // `{self, C}` imports the module itself.
    if is_glob || path.len() > 1 && path.last().is_some_and(|name| name == "self") {
        path.pop();
    }
    let name = renamed.or_else(|| path.last().cloned());
    Leaf {
        path,
        name: name.filter(|name| name != "_" && !is_glob),
        is_glob,
    }
}

/// Splits a `use` tree at the commas outside braces.
fn branches(tree: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_usize, 0, Vec::new());
    for (at, letter) in tree.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&tree[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tree[start..]);
    parts
}
