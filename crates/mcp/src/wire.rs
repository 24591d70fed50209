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
use crate::message::{self, MessageError, ParsedLine};
use crate::unanswered::{Place, UnansweredRequests};

/// The initial capacity for an answer. Most answers are shorter, so that the buffer does not grow step by step.
const INITIAL_LINE_CAPACITY: usize = 16 * 1024;

type Writer<W> = Arc<Mutex<Option<W>>>;

/// A transport over a reader and a writer.
pub(crate) struct LineTransport<R, W> {
    reader: R,
    lines: LineSplitter,
    limit: usize,
    writer: Writer<W>,
    stage: ConversationStage,
    unanswered: UnansweredRequests,
    /// Set when nothing more can be read.
    input_ended: watch::Sender<bool>,
    log: Log,
}

/// The stage of the conversation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ConversationStage {
    /// No message has decided which generation of the protocol is spoken. In this stage the library treats anything but
    /// a request as the end of the connection, so other messages are not passed to it.
    Opening,
    Open,
}

impl<R, W> LineTransport<R, W>
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
            stage: ConversationStage::Opening,
            unanswered: UnansweredRequests::default(),
            input_ended,
            log,
        }
    }

    /// Answers a line that is not a message, in a separate task, because `receive` may be dropped at any await. The
    /// line keeps its permit until the answer was sent.
    fn answer_fault(&self, fault: &MessageError, place: Place) {
        self.log.log(Level::Warn, || {
            format!("a message was not taken: {}", fault.log_message())
        });
        let (writer, line, log) = (self.writer.clone(), fault.to_json_line(), self.log.clone());
        tokio::spawn(async move {
            if let Err(error) = write(&writer, line).await {
                log.log(Level::Error, || format!("cannot answer: {error}"));
            }
            drop(place);
        });
    }

    /// Registers a request under its id; a cancelled request gets no answer and is removed.
    fn register_request(
        &self,
        message: &RxJsonRpcMessage<RoleServer>,
        place: Place,
    ) -> Result<(), (MessageError, Place)> {
        match message {
            JsonRpcMessage::Request(request) => {
                let entered = self.unanswered.register(&request.id, place);
                entered.map_err(|place| (MessageError::id_in_use(request.id.clone()), place))?;
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    drop(self.unanswered.unregister(id));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn admit(&mut self, message: &RxJsonRpcMessage<RoleServer>) -> bool {
        if self.stage == ConversationStage::Opening {
            let JsonRpcMessage::Request(request) = message else {
                return false;
            };
            if decides_generation(&request.request) {
                self.stage = ConversationStage::Open;
            }
        }
        true
    }
}

/// Reports whether this request decides the generation of the protocol for the library.
fn decides_generation(request: &ClientRequest) -> bool {
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

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
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
            JsonRpcMessage::Response(response) => self.unanswered.unregister(&response.id),
            JsonRpcMessage::Error(error) => error
                .id
                .as_ref()
                .and_then(|id| self.unanswered.unregister(id)),
            _ => None,
        };
        async move {
            let mut line = Vec::with_capacity(INITIAL_LINE_CAPACITY);
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
            let place = self.unanswered.acquire_permit().await?;
            let received = match self.lines.next_line() {
                SplitResult::Line(line) => message::parse_line(line),
                SplitResult::TooLong => ParsedLine::Fault(MessageError::too_long(self.limit)),
                SplitResult::More => match self
                    .reader
                    .read_buf(self.lines.buffer_with_capacity())
                    .await
                {
                    Ok(0) => {
                        self.input_ended.send_replace(true);
                        return None;
                    }
                    Ok(_) => continue,
                    Err(error) => {
                        self.input_ended.send_replace(true);
                        self.log
                            .log(Level::Error, || format!("cannot read: {error}"));
                        return None;
                    }
                },
            };
            match received {
                ParsedLine::Message(message) if self.admit(&message) => {
                    match self.register_request(&message, place) {
                        Ok(()) => return Some(*message),
                        Err((fault, place)) => self.answer_fault(&fault, place),
                    }
                }
                ParsedLine::Message(_) => {
                    self.log.log(Level::Warn, || {
                        "a notification before the first request was passed over".to_owned()
                    });
                }
                ParsedLine::Fault(fault) => self.answer_fault(&fault, place),
                ParsedLine::Nothing => {}
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.writer.lock().await.take();
        Ok(())
    }
}
