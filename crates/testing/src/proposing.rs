//! A host tool that proposes any request that a test wants to make.

use std::sync::{Arc, Mutex};

use lancet::request::{FileRequest, Request};
use lancet::tools::{Declaration, HostTool, Proposal};
use lancet::{RawCall, Refusal, Reply, Session};
use serde_json::{Value, json};

/// The name of the tool.
const NAME: &str = "Propose";

/// A host tool, `Propose`, that proposes the changes that a test hands over. A clone of it is added to the engine.
#[derive(Clone, Debug, Default)]
pub struct ProposingTool {
    request: Arc<Mutex<Request>>,
}

impl ProposingTool {
    /// Proposes changes of files in one call of the tool.
    pub fn propose(&self, session: &Session, files: Vec<FileRequest>) -> Reply {
        *self.request.lock().expect("unpoisoned") = Request::new(files);
        session.call(RawCall::new(NAME, json!({})))
    }
}

impl HostTool for ProposingTool {
    fn declaration(&self) -> Declaration {
        let schema = json!({ "type": "object", "properties": {}, "additionalProperties": false });
        Declaration::new(NAME, "Changes files.", schema)
    }

    fn propose(&self, _: &Session, _: &Value) -> Result<Proposal, Refusal> {
        let request = self.request.lock().expect("unpoisoned");
        Ok(Proposal::Change(request.clone()))
    }
}
