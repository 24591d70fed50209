//! Reads the body of a request whole, within limits: of its length, of the time that it takes, and of how many long ones
//! are in memory at once.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body::Body;
use http_body_util::BodyExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// How long nothing may arrive.
const SILENCE: Duration = Duration::from_secs(10);
/// How long a body may take in all: at the pace of a slow line, a message of the longest length needs less.
const IN_ALL: Duration = Duration::from_secs(120);
/// A body beyond this length is a long one.
const LONG: usize = 1024 * 1024;
/// How many long bodies are read at once; others wait, and their senders with them.
const MOST_LONG: usize = 8;

/// The limits of bodies, for all requests together.
pub(super) struct BodyLimits {
    /// The greatest length in bytes.
    pub(super) most: usize,
    silence: Duration,
    in_all: Duration,
    long: Arc<Semaphore>,
}

/// Why a body was not read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BodyError {
    TooLong,
    TooSlow,
    Broken,
}

impl BodyLimits {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            silence: SILENCE,
            in_all: IN_ALL,
            long: Arc::new(Semaphore::new(MOST_LONG)),
        }
    }

    /// Reads a body. One that is too long is read on and dropped, as far again as the limit: a client that is still sending
    /// would not see the answer.
    pub(super) async fn read<B>(&self, body: B) -> Result<Bytes, BodyError>
    where
        B: Body<Data = Bytes>,
    {
        let mut body = pin!(body);
        let end = Instant::now() + self.in_all;
        let mut whole = BytesMut::new();
        let mut permit: Option<OwnedSemaphorePermit> = None;
        let mut length = 0_usize;
        loop {
            let now = (Instant::now() + self.silence).min(end);
            let frame = match timeout_at(now, body.frame()).await {
                Err(_) => return Err(BodyError::TooSlow),
                Ok(None) => break,
                Ok(Some(Err(_))) => return Err(BodyError::Broken),
                Ok(Some(Ok(frame))) => frame,
            };
            let Ok(data) = frame.into_data() else {
                continue;
            };
            length = length.saturating_add(data.len());
            if length > self.most {
                whole = BytesMut::new();
                permit = None;
                if length / 2 > self.most {
                    break;
                }
                continue;
            }
            if length > LONG && permit.is_none() {
                let place = timeout_at(end, Arc::clone(&self.long).acquire_owned()).await;
                // The semaphore is never closed.
                permit = place.map_err(|_| BodyError::TooSlow)?.ok();
            }
            whole.extend_from_slice(&data);
        }
        match length > self.most {
            true => Err(BodyError::TooLong),
            false => Ok(whole.freeze()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body::Frame;
    use std::convert::Infallible;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    /// Gives so many chunks of one length, then ends, or is silent for ever.
    struct Chunks(usize, usize, bool);

    impl Body for Chunks {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            match (self.0, self.2) {
                (0, true) => Poll::Pending,
                (0, false) => Poll::Ready(None),
                _ => {
                    self.0 -= 1;
                    Poll::Ready(Some(Ok(Frame::data(vec![b'x'; self.1].into()))))
                }
            }
        }
    }

    fn limits(most: usize) -> BodyLimits {
        BodyLimits {
            silence: Duration::from_millis(20),
            ..BodyLimits::new(most)
        }
    }

    #[tokio::test]
    async fn a_body_of_exactly_the_limit_is_read_and_a_longer_one_is_not() {
        let read =
            |count, length| async move { limits(100).read(Chunks(count, length, false)).await };
        assert_eq!(read(10, 10).await.expect("read").len(), 100);
        assert_eq!(read(0, 10).await.expect("read").len(), 0);
        assert_eq!(read(101, 1).await, Err(BodyError::TooLong));
        assert_eq!(
            read(usize::MAX, 7).await,
            Err(BodyError::TooLong),
            "it never ends"
        );
    }

    #[tokio::test]
    async fn a_body_that_stops_coming_is_given_up() {
        let read = limits(100).read(Chunks(3, 10, true)).await;
        assert_eq!(read, Err(BodyError::TooSlow));
    }

    #[tokio::test]
    async fn long_bodies_wait_for_each_other_and_short_ones_do_not() {
        let mut limits = limits(4 * LONG);
        limits.long = Arc::new(Semaphore::new(0));
        limits.in_all = Duration::from_millis(50);
        let short = limits.read(Chunks(1, LONG, false)).await;
        assert_eq!(short.expect("read").len(), LONG);
        let long = limits.read(Chunks(2, LONG, false)).await;
        assert_eq!(long, Err(BodyError::TooSlow), "there is no place");
    }
}
