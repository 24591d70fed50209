//! A project with the page on it, for the tests of the page.

use std::path::PathBuf;
use std::sync::Arc;

use axum::response::Response;
use http::StatusCode;
use http_body_util::BodyExt as _;
use lancet::{Lancet, Mode, RawCall, Reply};
use lancet_testing::project::SharedProject;

use crate::page::WebPage;
use crate::page::visitor::Visitor;

/// A project with the page on it, and a device that has access.
pub(in crate::page) struct Desk {
    pub(in crate::page) project: SharedProject,
    /// The engine of the agents.
    pub(in crate::page) agent: Lancet,
    pub(in crate::page) page: Arc<WebPage>,
    pub(in crate::page) visitor: Visitor,
    /// What the device sends with its requests.
    pub(in crate::page) cookie: String,
    runtime: tokio::runtime::Runtime,
}

/// An answer of the page.
pub(in crate::page) struct Seen {
    pub(in crate::page) status: StatusCode,
    /// The address that it leads to.
    pub(in crate::page) to: String,
    pub(in crate::page) text: String,
}

impl Desk {
    /// Opens the page on an engine in this mode, which is also that of the agents.
    pub(in crate::page) fn new(mode: Mode) -> Desk {
        let project = SharedProject::new(&[]);
        let lancet = project.engine(mode);
        Desk::serving(project, lancet.clone(), lancet, "cookie".to_owned())
    }

    /// Opens the page on one engine, for the device with this cookie; the agents use another engine.
    pub(in crate::page) fn serving(
        project: SharedProject,
        agent: Lancet,
        served: Lancet,
        cookie: String,
    ) -> Desk {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        Desk {
            page: Arc::new(WebPage::new(served, &project.state, None)),
            visitor: Visitor::new(&cookie, false),
            cookie,
            project,
            agent,
            runtime,
        }
    }

    pub(in crate::page) fn path(&self, name: &str) -> PathBuf {
        self.project.path(name)
    }

    pub(in crate::page) fn text(&self, name: &str) -> String {
        self.project.text(name)
    }

    /// Makes a call in a session of an agent.
    pub(in crate::page) fn call(&self, session: &str, call: RawCall) -> Reply {
        let name = session.parse().expect("a name");
        self.agent.session(&name).call(call)
    }

    /// Waits for an answer of the page.
    pub(in crate::page) fn seen(&self, response: impl Future<Output = Response>) -> Seen {
        self.runtime.block_on(async {
            let (parts, body) = response.await.into_parts();
            let body = body.collect().await.expect("a body").to_bytes();
            let to = parts.headers.get("location");
            let to = to.map(|to| to.to_str().expect("text").to_owned());
            Seen {
                status: parts.status,
                to: to.unwrap_or_default(),
                text: String::from_utf8(body.to_vec()).expect("text"),
            }
        })
    }
}
