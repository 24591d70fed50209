//! Reads the body of a request whole, within limits: for its length, for the time that it takes, and for the bytes of
//! all long bodies that are in memory at once.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body::Body;
use http_body_util::BodyExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// The longest time without any bytes arriving.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest time for a whole body: over a slow line, a message of the longest length needs less.
const TOTAL_TIMEOUT: Duration = Duration::from_secs(120);
/// A body beyond this length counts as long: memory is reserved for it until its call has ended.
const LONG_BODY_BYTES: usize = 64 * 1024;
/// The memory for bodies, as a number of bodies of the greatest length. When it is used up, further requests wait.
const MAX_LONG_BODIES: usize = 8;
/// Memory is counted in units of so many bytes, because the semaphore counts no further than 32 bits.
const UNIT_BYTES: usize = 1024;

/// The limits of bodies, for all requests together.
pub(super) struct BodyLimits {
    /// The greatest length in bytes.
    pub(super) most: usize,
    silence: Duration,
    in_all: Duration,
    /// The free units of memory.
    room: Arc<Semaphore>,
}

/// A body and its memory reservation. Code that uses the bytes, or anything made from them, keeps the reservation.
#[derive(Debug, Default)]
pub(super) struct ReservedBody {
    pub(super) bytes: Bytes,
    pub(super) room: Option<OwnedSemaphorePermit>,
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
        let room = units_for(most).saturating_mul(MAX_LONG_BODIES);
        Self {
            most,
            silence: IDLE_TIMEOUT,
            in_all: TOTAL_TIMEOUT,
            room: Arc::new(Semaphore::new(room.min(Semaphore::MAX_PERMITS))),
        }
    }

    /// Reads a body. One that is too long is read and dropped, up to twice the limit: a client that is still sending
    /// would not see the answer.
    pub(super) async fn read_body<B>(&self, body: B) -> Result<ReservedBody, BodyError>
    where
        B: Body<Data = Bytes>,
    {
        let mut body = pin!(body);
        let end = Instant::now() + self.in_all;
        let mut whole = BytesMut::new();
        let mut room: Option<OwnedSemaphorePermit> = None;
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
                room = None;
                if length / 2 > self.most {
                    break;
                }
                continue;
            }
            if length > LONG_BODY_BYTES && room.is_none() {
                // All of it is reserved at once: two bodies that had a part each would wait for each other.
                let rest = body.size_hint().upper().map(usize::try_from);
                let rest = rest.and_then(Result::ok).unwrap_or(usize::MAX);
                let whole = length.saturating_add(rest).min(self.most);
                let whole = u32::try_from(units_for(whole)).unwrap_or(u32::MAX);
                let reserved = Arc::clone(&self.room).acquire_many_owned(whole);
                // The semaphore is never closed.
                room = timeout_at(end, reserved)
                    .await
                    .map_err(|_| BodyError::TooSlow)?
                    .ok();
            }
            whole.extend_from_slice(&data);
        }
        if length > self.most {
            return Err(BodyError::TooLong);
        }
        // The greatest length was reserved for a body whose length was not known.
        if let Some(room) = &mut room {
            let surplus = room.num_permits().saturating_sub(units_for(length));
            drop(room.split(surplus));
        }
        let bytes = whole.freeze();
        Ok(ReservedBody { bytes, room })
    }
}

/// Returns the number of units for a length.
fn units_for(length: usize) -> usize {
    length.div_ceil(UNIT_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body::Frame;
    use std::convert::Infallible;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    /// Yields so many chunks of one length, then ends, or stays silent forever.
    struct TestChunks(usize, usize, bool);

    impl Body for TestChunks {
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
    async fn accepts_body_of_exactly_the_limit() {
        let read = |count, length| async move {
            let read = limits(100)
                .read_body(TestChunks(count, length, false))
                .await;
            read.map(|held| held.bytes.len())
        };
        assert_eq!(read(10, 10).await, Ok(100));
        assert_eq!(read(0, 10).await, Ok(0));
        assert_eq!(read(101, 1).await, Err(BodyError::TooLong));
        let endless = read(usize::MAX, 7).await;
        assert_eq!(endless, Err(BodyError::TooLong), "it never ends");
    }

    #[tokio::test]
    async fn stalled_body_times_out() {
        let read = limits(100).read_body(TestChunks(3, 10, true)).await;
        assert_eq!(read.expect_err("given up"), BodyError::TooSlow);
    }

    #[tokio::test]
    async fn long_body_reserves_memory_until_dropped() {
        let mut limits = limits(4 * LONG_BODY_BYTES);
        limits.room = Arc::new(Semaphore::new(units_for(4 * LONG_BODY_BYTES)));
        limits.in_all = Duration::from_millis(50);
        let held = limits
            .read_body(TestChunks(2, LONG_BODY_BYTES, false))
            .await
            .expect("read");
        assert_eq!(held.bytes.len(), 2 * LONG_BODY_BYTES);
        let free = limits.room.available_permits();
        assert_eq!(
            free,
            units_for(2 * LONG_BODY_BYTES),
            "what was reserved beyond it is free"
        );
        let long = limits
            .read_body(TestChunks(3, LONG_BODY_BYTES, false))
            .await;
        assert_eq!(long.expect_err("no room"), BodyError::TooSlow);
        let short = limits
            .read_body(TestChunks(1, LONG_BODY_BYTES, false))
            .await
            .expect("read");
        assert!(short.room.is_none());
        drop(held);
        limits
            .read_body(TestChunks(3, LONG_BODY_BYTES, false))
            .await
            .expect("room");
    }
}
