//! Finds the conversation that an event of a hook belongs to: the user's, or a sub-agent's.

use lancet::history::{
    AnnouncementHandling, CallOwner, ConversationReport, ConversationRole, History,
};
use lancet_serving::conversation::{
    announced_key, session_name_for_hook, sub_agent_session_for_hook,
};

use super::event::{HookEvent, ToolCall};

/// The name in place of a sub-agent's id where several run at once and the event may belong to any of them.
const UNKNOWN_SUB_AGENT: &str = "several";

/// The origin of an event: the agent, its process, and its id of the conversation.
pub(super) struct EventOrigin<'p> {
    pub(super) history: &'p History,
    pub(super) agent: &'p str,
    /// The agent's process; none where the system does not provide it.
    pub(super) process: Option<&'p str>,
    /// The agent's id of the conversation.
    pub(super) id: &'p str,
}

impl EventOrigin<'_> {
    /// Returns the conversation of an event. A sub-agent that was not known is recorded.
    pub(super) fn find_owner(&self, event: &HookEvent) -> Option<CallOwner> {
        let alone = |session| CallOwner {
            session,
            is_shared: false,
        };
        let top = session_name_for_hook(self.agent, self.id)?;
        if let Some(found) = &event.sub_agent {
            let (session, parent) = match &found.parent {
                Some(parent) => (top, session_name_for_hook(self.agent, parent)?),
                None => (
                    sub_agent_session_for_hook(self.agent, self.id, &found.id)?,
                    top,
                ),
            };
            let kind = found.kind.as_deref();
            self.history.add_sub_agent(&session, &parent, kind).ok()?;
            return Some(alone(session));
        }
        // Qwen Code names a sub-agent only at its beginning and end.
        let (Some(process), "qwen") = (self.process, self.agent) else {
            return Some(alone(top));
        };
        let before = event.time.unwrap_or(i64::MAX);
        let running = self.history.running(process, before).ok()?;
        match running.as_slice() {
            [] => Some(alone(top)),
            [one] if !one.is_beside => Some(alone(one.session.clone())),
            _ => {
                let session = sub_agent_session_for_hook(self.agent, self.id, UNKNOWN_SUB_AGENT)?;
                let kind = Some("several at once");
                self.history.add_sub_agent(&session, &top, kind).ok()?;
                Some(CallOwner {
                    session,
                    is_shared: true,
                })
            }
        }
    }

    /// Records the conversation of a call that is about to be made.
    pub(super) fn announce_call(&self, event: &HookEvent, call: &ToolCall) -> Option<()> {
        let key = self.call_key(call)?;
        let owner = self.find_owner(event)?;
        self.history.announce_call(&key, &owner).ok()
    }

    /// Returns the session in which the agent's own tool has shown a file; none where it is not known.
    pub(super) fn reading_session(&self, event: &HookEvent, call: &ToolCall) -> Option<String> {
        let owner = match self.agent {
            "qwen" => {
                let key = self.call_key(call)?;
                let announced = self.history.call_owner(&key, AnnouncementHandling::Removed);
                match announced.ok()? {
                    Some(owner) => owner,
                    // It was not announced: a sub-agent that began since then may have made it.
                    None => self.find_owner(event).filter(|owner| {
                        session_name_for_hook(self.agent, self.id).as_ref() == Some(&owner.session)
                    })?,
                }
            }
            _ => self.find_owner(event)?,
        };
        (!owner.is_shared).then_some(owner.session)
    }

    fn call_key(&self, call: &ToolCall) -> Option<String> {
        let id = call.id.as_deref();
        announced_key(self.agent, self.process, id, &call.tool, &call.arguments)
    }

    /// Records a prompt or the start of a conversation. Returns the session if it is a user's.
    pub(super) fn record_report(
        &self,
        event: &HookEvent,
        report: ConversationReport,
    ) -> Option<String> {
        if event.sub_agent.is_some() {
            self.find_owner(event);
            return None;
        }
        let session = session_name_for_hook(self.agent, self.id)?;
        let Some(process) = self.process else {
            return Some(session);
        };
        // If the end of a turn is never reported, every later conversation would count as a sub-agent.
        let heard = self.history.last_hook_runs(self.agent).unwrap_or_default();
        let ends_are_told = heard.iter().any(|(event, _)| event == "turn-end");
        let told = match ends_are_told {
            true => report,
            false => ConversationReport::Switch,
        };
        match self.history.report_conversation(process, &session, told) {
            Ok(ConversationRole::SubAgentOf(parent)) => {
                let _ = self.history.add_sub_agent(&session, &parent, None);
                return None;
            }
            Ok(ConversationRole::Person) | Err(_) => {}
        }
        if report == ConversationReport::Prompt {
            // A user who can send a prompt has stopped the sub-agents that were waited for.
            let _ = self.history.end_awaited_runs(process);
        }
        Some(session)
    }
}
