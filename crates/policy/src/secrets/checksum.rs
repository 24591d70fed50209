//! Verifies the checksums and the structure that some credentials contain.

/// The digits of base 62 in which GitHub and npm write their checksums.
const BASE62_DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Returns whether the last six characters are the CRC-32 of those before them, in base 62.
pub(super) fn has_valid_checksum(body: &str) -> bool {
    let Some((value, sum)) = body
        .len()
        .checked_sub(6)
        .and_then(|at| body.split_at_checked(at))
    else {
        return false;
    };
    compute_checksum(value) == sum.as_bytes()
}

/// Computes the CRC-32 of a text, in base 62.
pub(super) fn compute_checksum(value: &str) -> [u8; 6] {
    let mut rest = crc32(value.as_bytes());
    let mut written = [b'0'; 6];
    for place in written.iter_mut().rev() {
        *place = BASE62_DIGITS[(rest % 62) as usize];
        rest /= 62;
    }
    written
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0xEDB8_8320 & 0u32.wrapping_sub(sum & 1));
        }
    }
    !sum
}

/// Returns whether this is a JSON Web Token: a header and a payload that are JSON, and a signature.
pub(super) fn is_valid_token(prefix: &str, body: &str) -> bool {
    let whole = format!("{prefix}{body}");
    let mut parts = whole.split('.');
    let (Some(header), Some(payload), Some(signature)) = (parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let is_object = |part: &str| {
        let decoded = decode_base64url(part);
        decoded.starts_with(b"{\"") && decoded.contains(&b':')
    };
    is_object(header) && is_object(payload) && signature.len() >= 20
}

/// Decodes the longest prefix of a text that is base64url.
fn decode_base64url(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut held, mut bits) = (0u32, 0);
    for character in text.bytes() {
        let value = match character {
            b'A'..=b'Z' => character - b'A',
            b'a'..=b'z' => character - b'a' + 26,
            b'0'..=b'9' => character - b'0' + 52,
            b'-' | b'+' => 62,
            b'_' | b'/' => 63,
            _ => break,
        };
        held = (held << 6 | u32::from(value)) & 0xFF_FFFF;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    bytes
}
