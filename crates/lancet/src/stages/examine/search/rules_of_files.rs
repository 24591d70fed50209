//! The settings for the files that a search visits: their encodings, and git's excludes file.

use std::path::Path;

use lancet_search::Excludes;

use crate::engine::EngineView;

/// Returns the encoding that the settings specify for a file.
pub(super) fn configured_encoding(engine: &EngineView, path: &Path) -> Option<&'static str> {
    if !engine.settings.encodings_configured() {
        return None;
    }
    let name = engine
        .settings
        .encoding_for(engine.relative_to_root(path))?
        .name();
    (!name.starts_with("utf-8")).then_some(name)
}

/// git's global excludes file.
pub(super) fn global_excludes(engine: &EngineView) -> Option<Excludes> {
    let file = engine.settings.search.excludes.clone()?;
    Some(Excludes {
        file,
        relative_to: engine.full_workspace().roots()[0].clone(),
    })
}
