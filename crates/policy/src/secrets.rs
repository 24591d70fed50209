//! Finds credentials in a text by the formats that their issuers publish: prefix, alphabet, length, checksum.
//! Placeholders and words are not credentials, so most formats must also look random. One scan looks for all prefixes
//! at once, and only text after a prefix is examined further. A credential is reported by its kind and never quoted.

mod checksum;
mod table;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, MatchKind};

use table::{CREDENTIAL_FORMATS, CredentialAlphabet, CredentialFormat, ExtraCheck};

/// A credential that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credential {
    /// The issuer and type, such as `GitHub personal access token`.
    pub kind: &'static str,
    /// The offset in the text, in bytes.
    pub at: usize,
}

/// Returns the known kinds of credentials.
pub fn credential_kinds() -> impl Iterator<Item = &'static str> {
    CREDENTIAL_FORMATS.iter().map(|format| format.kind)
}

/// Finds the first credential in a text.
pub fn find_credential(text: &str) -> Option<Credential> {
    static SCAN: OnceLock<Option<AhoCorasick>> = OnceLock::new();
    let scan = SCAN.get_or_init(|| {
        let prefixes = CREDENTIAL_FORMATS.iter().map(|format| format.prefix);
        AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(prefixes)
            .ok()
    });
    let found = scan.as_ref()?.find_overlapping_iter(text).filter(|found| {
        let format = &CREDENTIAL_FORMATS[found.pattern().as_usize()];
        format.matches_at(text, found.start())
    });
    found
        .map(|found| Credential {
            kind: CREDENTIAL_FORMATS[found.pattern().as_usize()].kind,
            at: found.start(),
        })
        .min_by_key(|credential| credential.at)
}

impl CredentialFormat {
    /// Returns whether a credential of this format begins at this prefix.
    fn matches_at(&self, text: &str, at: usize) -> bool {
        let before = text[..at].chars().next_back();
        // A PEM header may follow a letter: in a string it is the `n` of an escaped newline.
        let joined = before.is_some_and(|before| before.is_ascii_alphanumeric() || before == '_');
        if joined && self.alphabet != CredentialAlphabet::Pem {
            return false;
        }
        let rest = &text[at + self.prefix.len()..];
        let body = match self.alphabet {
            CredentialAlphabet::Pem => "",
            alphabet => {
                let end = rest
                    .bytes()
                    .position(|byte| !alphabet.allows(byte))
                    .unwrap_or(rest.len());
                &rest[..end]
            }
        };
        // Punctuation after a credential may be in its alphabet: the full stop of a sentence, a dash, the slash of a
        // URL.
        let body = body.trim_end_matches(['.', '-', '/']);
        let (least, most) = self.length;
        if !(least..=most).contains(&body.len()) {
            return false;
        }
        match self.proof {
            ExtraCheck::Random => has_varied_characters(body),
            ExtraCheck::Crc => checksum::has_valid_checksum(body) || has_varied_characters(body),
            ExtraCheck::Jwt => checksum::is_valid_token(self.prefix, body),
            ExtraCheck::Holds(mark) => body.contains(mark) && has_varied_characters(body),
            ExtraCheck::Password => contains_real_password(body),
            ExtraCheck::PrivateKey => is_pem_key(rest),
        }
    }
}

/// Returns whether the characters look random: `xxxx`, `0000` and `your-token-here` do not.
fn has_varied_characters(body: &str) -> bool {
    let lowered = body.to_ascii_lowercase();
    if [
        "example",
        "your",
        "xxxx",
        "placeholder",
        "redacted",
        "changeme",
        "1234567890",
        "abcdefgh",
        "token-here",
    ]
    .iter()
    .any(|word| lowered.contains(word))
    {
        return false;
    }
    let mut counts = [0usize; 256];
    for byte in body.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let total = body.len() as f64;
    let entropy: f64 = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = *count as f64 / total;
            -share * share.log2()
        })
        .sum();
    let digits = body.bytes().filter(u8::is_ascii_digit).count();
    // Words have no digits, but sixteen random characters nearly always have some.
    entropy >= 3.0 && (digits > 0 || body.len() < 16)
}

/// Returns whether a short text repeats the same few characters.
fn has_few_characters(text: &str) -> bool {
    let mut characters: Vec<char> = text.chars().collect();
    characters.sort_unstable();
    characters.dedup();
    characters.len() < 6
}

/// Returns whether a private key follows its header: at least 64 characters of base64 before a footer or the end of the
/// text.
fn is_pem_key(rest: &str) -> bool {
    let Some((_, body)) = rest.split_once("-----") else {
        return false;
    };
    let symbols = body
        .split("-----END")
        .next()
        .unwrap_or(body)
        .bytes()
        .filter(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
        .take(64)
        .count();
    symbols >= 64 && rest.starts_with("PRIVATE KEY")
}

/// Returns whether a URL contains a password that looks real, as in `user:password@host`: placeholders and variables do
/// not.
fn contains_real_password(body: &str) -> bool {
    let Some((account, _)) = body.rsplit_once('@') else {
        return false;
    };
    let Some((_, password)) = account.split_once(':') else {
        return false;
    };
    password.len() >= 8
        && password.bytes().any(|byte| byte.is_ascii_digit())
        && !has_few_characters(password)
        && !password.contains(['$', '{', '<', '*'])
}
