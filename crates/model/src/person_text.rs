//! The rendering of an answer for a person. That of a change has its diff, and is made when it is first asked for: hosts
//! that pass answers to a model never ask.

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::outcome::Outcome;

/// Renders an outcome as text.
type RenderOutcome = dyn Fn(&Outcome) -> String + Send + Sync;

/// The rendering of an answer for a person.
#[derive(Clone)]
pub struct PersonText {
    text: OnceLock<String>,
    render: Option<Arc<RenderOutcome>>,
}

impl PersonText {
    /// Makes a rendering that is derived from the outcome when it is first asked for.
    pub fn on_demand(render: impl Fn(&Outcome) -> String + Send + Sync + 'static) -> Self {
        Self {
            text: OnceLock::new(),
            render: Some(Arc::new(render)),
        }
    }

    /// Returns the rendering of an answer with this outcome.
    pub(crate) fn text(&self, outcome: &Outcome) -> &str {
        self.text.get_or_init(|| {
            let render = self.render.as_ref();
            render.map_or_else(String::new, |render| render(outcome))
        })
    }
}

impl From<String> for PersonText {
    fn from(text: String) -> Self {
        Self {
            text: text.into(),
            render: None,
        }
    }
}

impl fmt::Debug for PersonText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_tuple("PersonText");
        shown.field(&self.text.get());
        shown.finish()
    }
}
