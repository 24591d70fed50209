//! Narrowing: a view of the engine on the intersection of its roots with a client's own roots. It is always computed
//! from the roots that the engine was opened on, so it can never be wider than those.
//!
//! Rules, the search for hard links and recovery use the roots that the engine was opened on, so narrowing never
//! loosens a rule.

use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};

use lancet_workspace::{FileType, Located, Workspace, resolve_folder};

use super::terms::EffectiveSettings;
use super::{ClientView, EngineView, Lancet};
use crate::write_scope::WriteScope;

impl Lancet {
    /// Returns the same engine on the intersection of these folders with the roots that it was opened on: a folder
    /// below a root counts as itself, a folder around a root as that root, a folder that does not exist is ignored.
    /// None where the intersection is empty. Rules, read roots and history stay as they are.
    pub fn narrowed(&self, folders: &[PathBuf]) -> Option<Lancet> {
        let base = &self.view.base;
        let terms = base.live.current(&base.fixed);
        let narrowed: Vec<PathBuf> = folders
            .iter()
            .filter(|folder| folder.is_absolute())
            .map(|folder| resolve_folder(folder))
            .collect();
        let place = open_workspace(&terms, &narrowed)?;
        let engine = EngineView::new(base, terms, place, None);
        Some(Lancet {
            view: Arc::new(ClientView {
                base: Arc::clone(base),
                narrowed: Some(narrowed),
                scope: None,
                engine: RwLock::new(Arc::new(engine)),
            }),
        })
    }

    /// Returns the same view of the engine with writing limited to a scope. Reading and searching stay as they are.
    pub fn with_write_scope(&self, scope: WriteScope) -> Lancet {
        let engine = self.engine();
        let place = (Arc::clone(&engine.workspace), engine.roots);
        let scope = Some(Arc::new(scope));
        let terms = Arc::clone(&engine.terms);
        let limited = EngineView::new(&self.view.base, terms, place, scope.clone());
        Lancet {
            view: Arc::new(ClientView {
                base: Arc::clone(&self.view.base),
                narrowed: self.view.narrowed.clone(),
                scope,
                engine: RwLock::new(Arc::new(limited)),
            }),
        }
    }
}

/// Computes the intersection of some folders with the roots, in the order of the folders.
fn intersect_with_roots(terms: &EffectiveSettings, folders: &[PathBuf]) -> Vec<Located> {
    let all = &terms.workspace;
    let roots = &all.roots()[..terms.permissions.roots];
    let mut found: Vec<Located> = Vec::new();
    for folder in folders {
        let mut take = |folder: &Path| {
            // The lookup goes through the roots' own handles, so a folder that was swapped meanwhile cannot lead
            // elsewhere.
            let located = all.locate_as_spelled(folder).ok();
            let located = located.filter(|located| {
                located.kind() == FileType::Directory
                    && roots.iter().any(|root| located.path().starts_with(root))
            });
            if let Some(located) = located
                && !found.iter().any(|known| known.path() == located.path())
            {
                found.push(located);
            }
        };
        if roots.iter().any(|root| folder.starts_with(root)) {
            take(folder);
        }
        for root in roots.iter().filter(|root| root.starts_with(folder)) {
            take(root);
        }
    }
    found
}

/// Opens the folders that a narrowed view may read, and returns how many of them are roots. None where no root is left.
pub(super) fn open_workspace(
    terms: &EffectiveSettings,
    folders: &[PathBuf],
) -> Option<(Arc<Workspace>, usize)> {
    let mut all = intersect_with_roots(terms, folders);
    let roots = all.len();
    if roots == 0 {
        return None;
    }
    for folder in &terms.workspace.roots()[terms.permissions.roots..] {
        if let Ok(located) = terms.workspace.locate_as_spelled(folder)
            && !all.iter().any(|known| known.path() == located.path())
        {
            all.push(located);
        }
    }
    Some((Arc::new(terms.workspace.restricted_to_folders(&all)), roots))
}
