//! The state of one connection, which it shares with no other of the same process: the client's session, roots and
//! sandbox, and the notices for its next answer.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lancet::{Lancet, Refusal, RefusalKind, Session, SessionName};
use lancet_serving::identity::{CallerIdentity, SESSION_KEY};
use lancet_serving::sub_agents::SubAgentClient;
use lancet_serving::tokens::TokenKind;

use crate::announced::AnnouncedSessions;
use crate::limited::LimitedViews;
use crate::link::Link;
use crate::notices::PendingNotices;
use crate::process::Process;
use crate::resting::ConnectionSession;
use crate::roots::ClientRoots;
use crate::subscriptions::Subscriptions;

/// The most sessions whose first answer says that sub-agents share them.
const MAX_NOTIFIED_SESSIONS: usize = 64;

/// The state of one connection.
pub(crate) struct Connection {
    /// The session of all calls, whatever they name themselves. If there is none, each call's own session is used.
    fixed: Option<SessionName>,
    /// The session of calls that name none; it ends with the connection.
    own: Arc<ConnectionSession>,
    /// The sessions whose beginning was reported.
    pub(crate) announced: AnnouncedSessions,
    /// The subscriptions to resources, once there is one. The inner value is none where the system lets no files be
    /// watched.
    pub(crate) subscriptions: OnceLock<Option<Subscriptions>>,
    /// The roots of the client.
    pub(crate) roots: Arc<ClientRoots>,
    /// The views of the engine that calls use.
    pub(crate) views: LimitedViews,
    /// The notices for the next answer.
    pub(crate) notices: PendingNotices,
    /// The sessions whose first answer has said that sub-agents share them.
    told_shared: Mutex<BTreeSet<String>>,
}

impl Connection {
    pub(crate) fn new(process: &Process, link: Link) -> Self {
        let (lancet, options) = (&process.lancet, &process.options);
        let own = match &options.session {
            Some(name) => lancet.session(name),
            None => lancet.new_session(),
        };
        let own = ConnectionSession::new(own);
        if link == Link::Http {
            process.resting.add(&own);
        }
        let roots = ClientRoots::new(lancet.clone(), process.pool.clone(), options, link);
        Self {
            fixed: options.session.clone(),
            own,
            announced: AnnouncedSessions::default(),
            subscriptions: OnceLock::new(),
            roots: Arc::new(roots),
            views: LimitedViews::default(),
            notices: PendingNotices::default(),
            told_shared: Mutex::default(),
        }
    }

    /// Makes the first answer of a session say that sub-agents of the client share it.
    pub(crate) fn notify_once_of_shared_session(&self, session: &str, client: &SubAgentClient) {
        let mut told = self
            .told_shared
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if told.len() < MAX_NOTIFIED_SESSIONS && told.insert(session.to_owned()) {
            self.notices.add(Some(client.shared_session_notice()));
        }
    }

    /// Reports whether calls may name their own session.
    pub(crate) fn accepts_session_names(&self) -> bool {
        self.fixed.is_none()
    }

    /// Finds the session that a call belongs to, on the engine that the call uses. A caller that may only read always
    /// gets the connection's own session, because what it reads would count as seen by the model whose session it
    /// names.
    pub(crate) fn find_session(
        &self,
        identity: &CallerIdentity,
        lancet: &Lancet,
        token: TokenKind,
    ) -> Result<Session, Refusal> {
        let (None, Some(name), TokenKind::Write) = (&self.fixed, &identity.session, token) else {
            return Ok(self.own.session().with_view(lancet));
        };
        let name = SessionName::new(name.as_str()).map_err(|error| {
            Refusal::new(
                RefusalKind::Invalid,
                format!("_meta[\"{SESSION_KEY}\"] is no name of a session: {error}."),
            )
        })?;
        Ok(lancet.session(&name))
    }
}
