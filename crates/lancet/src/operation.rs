//! Ids and times of operations. An id is twelve lower-case letters and digits; ids sort by time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

const ID_DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// The last number issued, so that two ids of one process never collide and always ascend.
static LAST: AtomicU64 = AtomicU64::new(0);

/// Makes a new id. 36^12 units of 1/1024 microsecond last until the year 2120; the low ten bits differ between
/// processes, so that processes that write in the same microsecond rarely collide.
pub(crate) fn new_id() -> String {
    let micros = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_micros() as u64);
    let wanted = (micros << 10) | u64::from(std::process::id() & 0x3ff);
    let mut next = wanted;
    let _ = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| {
        next = wanted.max(last + 1);
        Some(next)
    });
    let mut id = [b'0'; 12];
    for place in id.iter_mut().rev() {
        *place = ID_DIGITS[(next % 36) as usize];
        next /= 36;
    }
    String::from_utf8_lossy(&id).into_owned()
}

/// Returns the current time in milliseconds since 1970.
pub(crate) fn current_milliseconds() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_ascend_without_repeats() {
        let ids: Vec<String> = (0..1000).map(|_| new_id()).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(
            ids.iter()
                .all(|id| id.len() == 12 && id.bytes().all(|b| ID_DIGITS.contains(&b)))
        );
    }
}
