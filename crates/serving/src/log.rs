//! The log of the server's own messages: a callback of the program that runs it. Standard output belongs to the
//! protocol, and no line contains a file's content, a call's arguments or an answer.

use std::fmt;
use std::sync::Arc;

/// The severity of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// lancet itself failed.
    Error,
    /// A request of the client was not carried out.
    Warn,
    /// The server started or ended.
    Info,
    /// Every call, with its name and duration.
    Debug,
}

type Sink = dyn Fn(Level, &str) + Send + Sync;

/// A sink for log lines, and the level up to which it gets them.
#[derive(Clone)]
pub struct Log {
    level: Option<Level>,
    sink: Arc<Sink>,
}

impl Log {
    /// Passes every line up to `level` to `sink`.
    pub fn new(level: Level, sink: impl Fn(Level, &str) + Send + Sync + 'static) -> Self {
        Self {
            level: Some(level),
            sink: Arc::new(sink),
        }
    }

    /// Creates a log that discards everything.
    pub fn discard() -> Self {
        Self {
            level: None,
            sink: Arc::new(|_, _| {}),
        }
    }

    /// Logs a line, which is built only if its level is enabled.
    pub fn log(&self, level: Level, line: impl FnOnce() -> String) {
        if self.level.is_some_and(|heard| level <= heard) {
            (self.sink)(level, &line());
        }
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Log")
            .field("level", &self.level)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn builds_and_passes_only_enabled_lines() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let kept = heard.clone();
        let log = Log::new(Level::Warn, move |level, line| {
            kept.lock()
                .expect("not poisoned")
                .push((level, line.to_owned()));
        });
        log.log(Level::Error, || "e".to_owned());
        log.log(Level::Warn, || "w".to_owned());
        log.log(Level::Info, || unreachable!("not built"));
        Log::discard().log(Level::Error, || unreachable!("not built"));
        let heard = heard.lock().expect("not poisoned");
        assert_eq!(
            *heard,
            [
                (Level::Error, "e".to_owned()),
                (Level::Warn, "w".to_owned())
            ]
        );
    }
}
