//! A session whose begin and end are recorded as events of the state folder.

use std::sync::Arc;

use lancet_history::{OperationStore, SessionBegin};
use lancet_language::LanguageServers;
use serde_json::json;

use super::Session;

/// A session whose begin was recorded. Its end is recorded when this is dropped. If the process is killed, the next one
/// that uses the state folder records the end.
#[must_use]
pub struct AnnouncedSession {
    store: Arc<dyn OperationStore>,
    language: Option<Arc<LanguageServers>>,
    key: String,
}

impl Session {
    /// Records that the session begins, for the client of this name and version. None without a state folder, or if it
    /// cannot be written; calls that need it report that.
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
        // A store that cannot be written now records the end when it is next opened.
        let _ = self.store.end_session(&self.key);
        if let Some(language) = &self.language {
            language.end_session(&self.key);
        }
    }
}
