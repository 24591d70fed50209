//! The transport: lines from the client, messages to it. It replaces the protocol library's own transport, which
//! silently drops what it cannot parse. Here every request line is answered, and none ends the server.

use std::io;
use std::sync::Arc;

use lancet_serving::{Level, Log};
use rmcp::RoleServer;
use rmcp::model::{ClientNotification, ClientRequest, GetMeta, JsonRpcMessage, ProtocolVersion};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Mutex, watch};

use crate::lines::{LineSplitter, SplitResult};
use crate::message::{self, Fault, Received};
use crate::unanswered::{Place, Unanswered};

/// The initial capacity for an answer. Most answers are shorter, so that the buffer does not grow step by step.
const LINE_ROOM: usize = 16 * 1024;

type Writer<W> = Arc<Mutex<Option<W>>>;

/// A transport over a reader and a writer.
pub(crate) struct Wire<R, W> {
    reader: R,
    lines: LineSplitter,
    limit: usize,
    writer: Writer<W>,
    stage: Stage,
    unanswered: Unanswered,
    /// Set when nothing more can be read.
    input_ended: watch::Sender<bool>,
    log: Log,
}

/// The stage of the conversation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// No message has decided which generation of the protocol is spoken. In this stage the library treats anything but
    /// a request as the end of the connection, so other messages are not passed to it.
    Opening,
    Open,
}

impl<R, W> Wire<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// Makes a transport whose messages may have up to `limit` bytes.
    pub(crate) fn new(
        reader: R,
        writer: W,
        limit: usize,
        input_ended: watch::Sender<bool>,
        log: Log,
    ) -> Self {
        Self {
            reader,
            lines: LineSplitter::new(limit),
            limit,
            writer: Arc::new(Mutex::new(Some(writer))),
            stage: Stage::Opening,
            unanswered: Unanswered::default(),
            input_ended,
            log,
        }
    }

    /// Answers a line that is not a message, in a separate task, because `receive` may be dropped at any await. The
    /// line keeps its permit until the answer was sent.
    fn answer(&self, fault: &Fault, place: Place) {
        self.log.say(Level::Warn, || {
            format!("a message was not taken: {}", fault.message())
        });
        let (writer, line, log) = (self.writer.clone(), fault.line(), self.log.clone());
        tokio::spawn(async move {
            if let Err(error) = write(&writer, line).await {
                log.say(Level::Error, || format!("cannot answer: {error}"));
            }
            drop(place);
        });
    }

    /// Registers a request under its id; a cancelled request gets no answer and is removed.
    fn enter(
        &self,
        message: &RxJsonRpcMessage<RoleServer>,
        place: Place,
    ) -> Result<(), (Fault, Place)> {
        match message {
            JsonRpcMessage::Request(request) => {
                let entered = self.unanswered.enter(&request.id, place);
                entered.map_err(|place| (Fault::id_in_use(request.id.clone()), place))?;
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    drop(self.unanswered.leave(id));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn admit(&mut self, message: &RxJsonRpcMessage<RoleServer>) -> bool {
        if self.stage == Stage::Opening {
            let JsonRpcMessage::Request(request) = message else {
                return false;
            };
            if settles(&request.request) {
                self.stage = Stage::Open;
            }
        }
        true
    }
}

/// Reports whether this request decides the generation of the protocol for the library.
fn settles(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        other => {
            let meta = other.get_meta();
            meta.missing_required_keys(&ProtocolVersion::NO_INITIALIZE)
                .is_empty()
                && meta
                    .protocol_version()
                    .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

async fn write<W: AsyncWrite + Unpin>(writer: &Writer<W>, mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    let mut writer = writer.lock().await;
    let Some(writer) = writer.as_mut() else {
        return Err(io::Error::new(
            io::ErrorKind::NotConnected,
            "the connection is closed",
        ));
    };
    writer.write_all(&line).await?;
    writer.flush().await
}

impl<R, W> Transport<RoleServer> for Wire<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let writer = self.writer.clone();
        let place = match &message {
            JsonRpcMessage::Response(response) => self.unanswered.leave(&response.id),
            JsonRpcMessage::Error(error) => {
                error.id.as_ref().and_then(|id| self.unanswered.leave(id))
            }
            _ => None,
        };
        async move {
            let mut line = Vec::with_capacity(LINE_ROOM);
            serde_json::to_writer(&mut line, &message)?;
            let written = write(&writer, line).await;
            // The permit is not released before, because the answer was in memory until now.
            drop(place);
            written
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            // Nothing is read while too many requests are unanswered.
            let place = self.unanswered.place().await?;
            let received = match self.lines.next_line() {
                SplitResult::Line(line) => message::read(line),
                SplitResult::TooLong => Received::Fault(Fault::too_long(self.limit)),
                SplitResult::More => match self.reader.read_buf(self.lines.room()).await {
                    Ok(0) => {
                        self.input_ended.send_replace(true);
                        return None;
                    }
                    Ok(_) => continue,
                    Err(error) => {
                        self.input_ended.send_replace(true);
                        self.log
                            .say(Level::Error, || format!("cannot read: {error}"));
                        return None;
                    }
                },
            };
            match received {
                Received::Message(message) if self.admit(&message) => {
                    match self.enter(&message, place) {
                        Ok(()) => return Some(*message),
                        Err((fault, place)) => self.answer(&fault, place),
                    }
                }
                Received::Message(_) => {
                    self.log.say(Level::Warn, || {
                        "a notification before the first request was passed over".to_owned()
                    });
                }
                Received::Fault(fault) => self.answer(&fault, place),
                Received::Nothing => {}
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.writer.lock().await.take();
        Ok(())
    }
}
