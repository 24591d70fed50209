//! A session whose begin and end are told to those who read the events of the state folder.

use std::sync::Arc;

use lancet_history::{OperationStore, SessionBegin};
use lancet_language::Language;
use serde_json::json;

use super::Session;

/// A session that was told to have begun; its end is told when this is dropped. The end of a process that is killed is told by
/// the next one that uses the state folder.
#[must_use]
pub struct AnnouncedSession {
    store: Arc<dyn OperationStore>,
    language: Option<Arc<Language>>,
    key: String,
}

impl Session {
    /// Records that the session begins, for the client of this name and version. None without a state folder, or where it cannot be
    /// written: calls that need it say so.
    pub fn announce(
        &self,
        client: Option<&str>,
        version: Option<&str>,
    ) -> Option<AnnouncedSession> {
        let engine = self.lancet.engine();
        let store = Arc::clone(engine.history()?);
        let roots = engine.roots();
        let named: Vec<_> = roots
            .iter()
            .map(|root| root.display().to_string())
            .collect();
        let begin = SessionBegin {
            session: self.key(),
            client,
            version,
            workspace: roots.first().and_then(|root| engine.workspace_of(root)),
            body: &json!({ "roots": named, "pid": std::process::id() }).to_string(),
        };
        store.begin_session(&begin).ok()?;
        Some(AnnouncedSession {
            store,
            language: engine.shared_language(),
            key: self.key().to_owned(),
        })
    }
}

impl Drop for AnnouncedSession {
    fn drop(&mut self) {
        // A store that cannot be written now tells the end when it is opened next.
        let _ = self.store.end_session(&self.key);
        if let Some(language) = &self.language {
            language.end_session(&self.key);
        }
    }
}
