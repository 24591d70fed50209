//! The state that all connections of one process share: the engine, the threads, the list of tools and the options.

use std::io;
use std::sync::Arc;

use lancet::Lancet;
use lancet_serving::decisions::DecisionWatcher;
use lancet_serving::idle::CallActivity;
use lancet_serving::pool::{JobProgress, Pool};
use rmcp::model::Tool;
use tokio::sync::watch;

use crate::answer;
use crate::listing::ToolList;
use crate::options::{AnswerFormat, Options};
use crate::resting::IdleSessions;
use crate::seal::Seal;

/// The number of threads for calls. Reading tools run in parallel; more threads would only wait for the same disk.
const THREADS: usize = 4;

/// The state of one process, however many connections it serves.
pub(crate) struct Process {
    pub(crate) lancet: Lancet,
    pub(crate) options: Options,
    pub(crate) listed: ToolList,
    pub(crate) instructions: String,
    pub(crate) pool: Arc<Pool>,
    pub(crate) activity: CallActivity,
    /// Calls that wait for a decision.
    pub(crate) decisions: DecisionWatcher,
    pub(crate) seal: Seal,
    /// The sessions of clients over HTTP.
    pub(crate) resting: IdleSessions,
    /// Whether the client of the streams sends nothing more. Calls then stop waiting for a decision.
    pub(crate) input_ended: watch::Sender<bool>,
}

impl Process {
    /// Prepares to serve; fails where the system gives no random bytes.
    pub(crate) fn new(lancet: Lancet, options: Options) -> io::Result<Arc<Self>> {
        Ok(Arc::new(Self {
            listed: ToolList::default(),
            instructions: answer::instructions(&lancet, &options.roots),
            pool: Arc::new(Pool::new(THREADS)),
            activity: CallActivity::default(),
            decisions: DecisionWatcher::default(),
            seal: Seal::new()?,
            resting: IdleSessions::default(),
            input_ended: watch::Sender::new(false),
            lancet,
            options,
        }))
    }

    /// Returns the form of a tool's answers: structured if its output schema was listed.
    pub(crate) fn answer_format(&self, tool: &str) -> AnswerFormat {
        if self.options.answers == AnswerFormat::Text {
            return AnswerFormat::Text;
        }
        let prefix = self.lancet.tool_prefix();
        let declared = |listed: &Tool| {
            listed.output_schema.is_some()
                && listed.name.strip_prefix(prefix.as_str()) == Some(tool)
        };
        let listed = self.listed.cached_list(&self.lancet, &self.options);
        if listed.iter().any(declared) {
            AnswerFormat::Structured
        } else {
            AnswerFormat::Text
        }
    }

    /// Reports whether a tool, by its own name or its listed one, is declared to change nothing.
    pub(crate) fn only_reads(&self, tool: &str) -> bool {
        let own = self.lancet.own_tool_name(tool);
        self.lancet.only_reads(&own)
    }

    /// Watches a cancelled call and replaces its thread if it does not stop by itself.
    pub(crate) fn replace_if_stuck(&self, progress: JobProgress) {
        let (pool, grace) = (self.pool.clone(), self.options.grace);
        tokio::spawn(async move {
            tokio::time::sleep(grace).await;
            pool.replace_stuck(&progress);
        });
    }
}
