//! The engine as a call may use it: on the roots that its client allows, and writing only what the client's sandbox
//! allows. The last view is cached, because the pages of a search belong to one view.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use lancet::{Lancet, WriteScope};
use serde_json::{Map, Value};

use crate::sandbox::Sandbox;

/// The views that calls use.
#[derive(Default)]
pub(crate) struct LimitedViews {
    last: Mutex<Option<LimitedView>>,
    told: AtomicBool,
}

struct LimitedView {
    of: Lancet,
    scope: WriteScope,
    view: Lancet,
}

impl LimitedViews {
    /// Returns the view that a call with this `_meta` uses, and a notice about it that is given only once.
    pub(crate) fn view_for(
        &self,
        lancet: Lancet,
        meta: &Map<String, Value>,
    ) -> (Lancet, Option<String>) {
        match Sandbox::from_meta(meta) {
            Sandbox::Open => (lancet, None),
            Sandbox::Limited(scope) => (self.limited_view(lancet, scope), None),
            Sandbox::Unknown => {
                let is_first = !self.told.swap(true, Ordering::Relaxed);
                let words = "[lancet: the client's sandbox policy is not understood and does not limit writing here]";
                (lancet, is_first.then(|| words.to_owned()))
            }
        }
    }

    fn limited_view(&self, of: Lancet, scope: WriteScope) -> Lancet {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*last
            && known.of.is_same_view(&of)
            && known.scope == scope
        {
            return known.view.clone();
        }
        let view = of.with_write_scope(scope.clone());
        *last = Some(LimitedView {
            of,
            scope,
            view: view.clone(),
        });
        view
    }
}
