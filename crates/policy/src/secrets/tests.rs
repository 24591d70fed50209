//! Made-up credentials are found by kind; ordinary code, hashes and names are not.

mod judge;

use proptest::prelude::*;

use super::checksum::compute_checksum;
use super::table::{CREDENTIAL_FORMATS, CredentialAlphabet, ExtraCheck};
use super::*;
use crate::laws::config;

/// Makes up a credential of a format from a seed.
pub(crate) fn generate_credential(format: &CredentialFormat, seed: u64) -> String {
    let mut bits = seed;
    let mut next = move || {
        bits = bits
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (bits >> 33) as usize
    };
    let letters: Vec<char> = (0u8..128)
        .filter(|byte| format.alphabet.allows(*byte) && byte.is_ascii_alphanumeric())
        .map(char::from)
        .collect();
    let (least, most) = format.length;
    let length = least.max(most.min(least + 8));
    let mut body: String = (0..length)
        .map(|_| letters[next() % letters.len()])
        .collect();
    match format.proof {
        ExtraCheck::Crc => {
            body.truncate(length - 6);
            let sum = compute_checksum(&body);
            body.push_str(std::str::from_utf8(&sum).expect("ASCII"));
        }
        ExtraCheck::Holds(mark) => body.replace_range(20..20 + mark.len(), mark),
        ExtraCheck::Jwt => {
            body = "hbGciOiJIUzI1NiJ9.eyJzdWIiOiI5MDIxIn0.".to_owned() + &body;
        }
        ExtraCheck::Password => body = format!("admin:{}7x@db.internal/app", &body[..10]),
        _ => {}
    }
    if format.alphabet == CredentialAlphabet::Pem {
        let lines: String = (0..200).map(|_| letters[next() % letters.len()]).collect();
        return format!("{}PRIVATE KEY-----\n{lines}\n-----END", format.prefix);
    }
    format!("{}{body}", format.prefix)
}

#[test]
fn has_many_formats_with_distinct_prefixes() {
    assert!(CREDENTIAL_FORMATS.len() >= 40);
    for (at, format) in CREDENTIAL_FORMATS.iter().enumerate() {
        assert!(
            !CREDENTIAL_FORMATS[..at]
                .iter()
                .any(|other| other.prefix == format.prefix),
            "{}",
            format.prefix
        );
    }
}

#[test]
fn finds_every_kind_of_credential() {
    for format in CREDENTIAL_FORMATS {
        let mut found = 0;
        for seed in 0..20 {
            let secret = generate_credential(format, seed * 7919 + 13);
            for text in [
                secret.clone(),
                format!("token = \"{secret}\"\n"),
                format!("use {secret}."),
            ] {
                found += usize::from(find_credential(&text).is_some());
            }
        }
        // A body may by chance contain no digit.
        assert!(found >= 54, "{}: {found} of 60", format.kind);
    }
}

#[test]
fn names_kind_of_found_credential() {
    for (text, kind) in [
        ("key: AKIAQ3EGRXKJ5FZL7PWT", "AWS access key"),
        (
            "ghp_R5vT8nLk2WqYx9bZc4Md7Pf1Gh6JsA3kQwPk",
            "GitHub personal access token",
        ),
        (
            "xoxb-2384710293-5839201847-hT7vKq2LxZp9WnRc4Ydm8Bs1",
            "Slack bot token",
        ),
        (
            "postgres://app:hunter42Zq9@db/x",
            "password in a PostgreSQL address",
        ),
    ] {
        assert_eq!(
            find_credential(text).map(|found| found.kind),
            Some(kind),
            "{text}"
        );
    }
}

#[test]
fn finds_nothing_in_ordinary_text() {
    for text in [
        "d41d8cd98f00b204e9800998ecf8427e",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "commit 8c6f0d8f3b2a1e4d5c6b7a8f9e0d1c2b3a4f5e6d",
        "550e8400-e29b-41d4-a716-446655440000",
        "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "set GITHUB_TOKEN=ghp_your_token_here",
        "AKIAIOSFODNN7EXAMPLE",
        "let sk_test_connection = skip_live_updates();",
        "https://user@example.com/path and https://example.com:8080/a@b",
        "postgres://user:password@localhost/db",
        "postgres://$USER:${PASSWORD}@localhost/db",
        "fn key_and_path(pattern: &str) -> SKStoreProduct { patience() }",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEVs/o5+uQbTjL3chynL4wXgUg2R9\n-----END PUBLIC KEY-----",
        "-----BEGIN RSA PRIVATE KEY----- goes first, then the key",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "eyJ is how a token begins",
        "The quick brown fox jumps over the lazy dog.",
        "npm_config_registry and npm_lifecycle_event_of_this_package_here",
        "hf_hub_download(repo_id, filename, revision=main_branch_of_it)",
    ] {
        assert_eq!(find_credential(text), None, "{text}");
    }
}

#[test]
fn finds_nothing_in_source_files_of_this_repository() {
    let mut folders = vec![std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")];
    let mut looked = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                // Tests may contain made-up credentials.
                if !path.ends_with("tests") && !path.ends_with("target") {
                    folders.push(path);
                }
            } else if path
                .extension()
                .is_some_and(|end| end == "rs" || end == "md")
                && !path.ends_with("secrets/tests.rs")
            {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                looked += 1;
                assert_eq!(find_credential(&text), None, "{}", path.display());
            }
        }
    }
    assert!(looked > 100, "{looked}");
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn finds_nothing_in_hashes_and_identifiers(hex in "[0-9a-f]{32,64}", name in "[a-z]{2,12}(_[a-z]{2,12}){0,4}") {
        prop_assert_eq!(find_credential(&hex), None);
        let text = format!("let {name} = \"{hex}\";");
        prop_assert_eq!(find_credential(&text), None);
    }

    #[test]
    fn arbitrary_text_never_panics(text in any::<String>(), at in 0..CREDENTIAL_FORMATS.len()) {
        let _ = find_credential(&text);
        let _ = find_credential(&format!("{}{text}", CREDENTIAL_FORMATS[at].prefix));
    }
}
