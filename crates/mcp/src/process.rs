//! The state that all connections of one process share: the engine, the threads, the list of tools and the options.

use std::io;
use std::sync::Arc;

use lancet::Lancet;
use lancet_serving::decisions::Decisions;
use lancet_serving::idle::Activity;
use lancet_serving::pool::{Pool, Progress};
use rmcp::model::Tool;
use tokio::sync::watch;

use crate::answer;
use crate::listing::ToolList;
use crate::options::{Answers, Options};
use crate::resting::Resting;
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
    pub(crate) activity: Activity,
    /// Calls that wait for a decision.
    pub(crate) decisions: Decisions,
    pub(crate) seal: Seal,
    /// The sessions of clients over HTTP.
    pub(crate) resting: Resting,
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
            activity: Activity::default(),
            decisions: Decisions::default(),
            seal: Seal::new()?,
            resting: Resting::default(),
            input_ended: watch::Sender::new(false),
            lancet,
            options,
        }))
    }

    /// Returns the form of a tool's answers: structured if its output schema was listed.
    pub(crate) fn form(&self, tool: &str) -> Answers {
        if self.options.answers == Answers::Text {
            return Answers::Text;
        }
        let prefix = self.lancet.tool_prefix();
        let declared = |listed: &Tool| {
            listed.output_schema.is_some()
                && listed.name.strip_prefix(prefix.as_str()) == Some(tool)
        };
        let listed = self.listed.known(&self.lancet, &self.options);
        if listed.iter().any(declared) {
            Answers::Structured
        } else {
            Answers::Text
        }
    }

    /// Reports whether a tool, by its own name or its listed one, is declared to change nothing.
    pub(crate) fn only_reads(&self, tool: &str) -> bool {
        let own = self.lancet.own_tool_name(tool);
        self.lancet.only_reads(&own)
    }

    /// Watches a cancelled call and replaces its thread if it does not stop by itself.
    pub(crate) fn replace_if_stuck(&self, progress: Progress) {
        let (pool, grace) = (self.pool.clone(), self.options.grace);
        tokio::spawn(async move {
            tokio::time::sleep(grace).await;
            pool.replace_stuck(&progress);
        });
    }
}
