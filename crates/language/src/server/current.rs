//! The current problems of files according to one server, new or old.

use std::path::Path;

use super::Server;
use crate::Problem;

impl Server {
    /// Returns everything that it last reported for this file, or for every file.
    pub(crate) fn current_problems(&self, path: Option<&Path>) -> Vec<Problem> {
        let asked = |known: &Path| path.is_none_or(|path| path == known);
        let files = self.files.iter().filter(|(known, _)| asked(known));
        let mut problems = Vec::new();
        for (known, state) in files {
            let document = self.documents.get(known);
            let revision = document.and_then(|document| document.revision.as_deref());
            let said = state.reported_diagnostics().into_iter();
            problems.extend(said.map(|one| one.to_problem(known, &self.entry.name, revision)));
        }
        problems
    }
}
