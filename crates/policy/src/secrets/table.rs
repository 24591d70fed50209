//! The formats of credentials, as their issuers publish them.

/// The characters that may follow a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CredentialAlphabet {
    /// `0-9A-Za-z`
    Letters,
    /// `0-9A-Z`
    Capitals,
    /// `0-9a-f`
    Hex,
    /// Letters, `_` and `-`.
    Words,
    /// Letters, `_`, `-`, `.`, `/`, `+`, `=`, `~`.
    Wide,
    /// The characters of a URL.
    Address,
    /// A text of several lines with a header and a footer (PEM).
    Pem,
}

impl CredentialAlphabet {
    pub(super) fn allows(self, byte: u8) -> bool {
        match self {
            CredentialAlphabet::Letters => byte.is_ascii_alphanumeric(),
            CredentialAlphabet::Capitals => byte.is_ascii_digit() || byte.is_ascii_uppercase(),
            CredentialAlphabet::Hex => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
            CredentialAlphabet::Words => {
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
            }
            CredentialAlphabet::Wide => byte.is_ascii_alphanumeric() || b"_-./+=~".contains(&byte),
            CredentialAlphabet::Address => byte.is_ascii_graphic() && !b"\"'`<>|\\".contains(&byte),
            CredentialAlphabet::Pem => true,
        }
    }
}

/// An additional check, besides prefix, characters and length, that separates a credential from text that only looks
/// like one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExtraCheck {
    /// Its characters look random.
    Random,
    /// It ends in its CRC-32, or its characters look random.
    Crc,
    /// It has two parts that are JSON, and a signature.
    Jwt,
    /// It has this marker in the middle, and its characters look random.
    Holds(&'static str),
    /// It is a URL with a password.
    Password,
    /// A private key in PEM format follows its header.
    PrivateKey,
}

/// The format of one kind of credential.
#[derive(Debug)]
pub(super) struct CredentialFormat {
    pub(super) kind: &'static str,
    pub(super) prefix: &'static str,
    pub(super) alphabet: CredentialAlphabet,
    /// The least and the greatest number of characters after the prefix.
    pub(super) length: (usize, usize),
    pub(super) proof: ExtraCheck,
}

const fn new_format(
    kind: &'static str,
    prefix: &'static str,
    alphabet: CredentialAlphabet,
    least: usize,
    most: usize,
    proof: ExtraCheck,
) -> CredentialFormat {
    CredentialFormat {
        kind,
        prefix,
        alphabet,
        length: (least, most),
        proof,
    }
}

use CredentialAlphabet::{Address, Capitals, Hex, Letters, Pem, Wide, Words};
use ExtraCheck::{Crc, Holds, Jwt, Password, PrivateKey, Random};

/// All known formats.
#[rustfmt::skip]
pub(super) const CREDENTIAL_FORMATS: &[CredentialFormat] = &[
    new_format("GitHub personal access token", "ghp_", Letters, 36, 36, Crc),
    new_format("GitHub OAuth token", "gho_", Letters, 36, 36, Crc),
    new_format("GitHub user-to-server token", "ghu_", Letters, 36, 36, Crc),
    new_format("GitHub server-to-server token", "ghs_", Letters, 36, 36, Crc),
    new_format("GitHub refresh token", "ghr_", Letters, 36, 76, Crc),
    new_format("GitHub fine-grained token", "github_pat_", Words, 82, 82, Random),
    new_format("GitLab personal access token", "glpat-", Wide, 20, 60, Random),
    new_format("GitLab deploy token", "gldt-", Words, 20, 40, Random),
    new_format("GitLab runner token", "glrt-", Words, 20, 40, Random),
    new_format("GitLab pipeline trigger token", "glptt-", Hex, 40, 40, Random),
    new_format("GitLab feed token", "glft-", Words, 20, 40, Random),
    new_format("AWS access key", "AKIA", Capitals, 16, 16, Random),
    new_format("AWS temporary access key", "ASIA", Capitals, 16, 16, Random),
    new_format("Anthropic API key", "sk-ant-api03-", Words, 80, 120, Random),
    new_format("Anthropic admin key", "sk-ant-admin01-", Words, 80, 120, Random),
    new_format("Anthropic OAuth token", "sk-ant-oat01-", Words, 80, 120, Random),
    new_format("OpenAI API key", "sk-", Letters, 48, 48, Holds("T3BlbkFJ")),
    new_format("OpenAI project key", "sk-proj-", Words, 48, 200, Random),
    new_format("OpenAI service account key", "sk-svcacct-", Words, 48, 200, Random),
    new_format("OpenRouter API key", "sk-or-v1-", Hex, 64, 64, Random),
    new_format("Groq API key", "gsk_", Letters, 52, 52, Random),
    new_format("Hugging Face token", "hf_", Letters, 34, 40, Random),
    new_format("Replicate API token", "r8_", Letters, 37, 40, Random),
    new_format("Perplexity API key", "pplx-", Letters, 48, 56, Random),
    new_format("xAI API key", "xai-", Letters, 80, 80, Random),
    new_format("Google API key", "AIza", Words, 35, 35, Random),
    new_format("Google OAuth client secret", "GOCSPX-", Words, 28, 28, Random),
    new_format("Google OAuth access token", "ya29.", Words, 60, 400, Random),
    new_format("Slack bot token", "xoxb-", Words, 40, 100, Random),
    new_format("Slack user token", "xoxp-", Words, 40, 120, Random),
    new_format("Slack app token", "xapp-", Words, 40, 120, Random),
    new_format("Slack workspace token", "xoxa-", Words, 30, 120, Random),
    new_format("Slack webhook", "hooks.slack.com/services/T", Wide, 30, 60, Random),
    new_format("Stripe secret key", "sk_live_", Letters, 24, 128, Random),
    new_format("Stripe test key", "sk_test_", Letters, 24, 128, Random),
    new_format("Stripe restricted key", "rk_live_", Letters, 24, 128, Random),
    new_format("Stripe webhook secret", "whsec_", Wide, 32, 64, Random),
    new_format("Square access token", "EAAA", Words, 60, 64, Random),
    new_format("Twilio API key", "SK", Hex, 32, 32, Random),
    new_format("SendGrid API key", "SG.", Wide, 66, 66, Holds(".")),
    new_format("Mailgun API key", "key-", Hex, 32, 32, Random),
    new_format("Mailchimp API key", "md-", Words, 22, 22, Random),
    new_format("npm access token", "npm_", Letters, 36, 36, Crc),
    new_format("PyPI upload token", "pypi-AgEIcHlwaS5vcmc", Words, 50, 250, Random),
    new_format("RubyGems API key", "rubygems_", Hex, 48, 48, Random),
    new_format("crates.io token", "cio", Letters, 32, 32, Random),
    new_format("Docker access token", "dckr_pat_", Words, 27, 27, Random),
    new_format("NuGet API key", "oy2", Letters, 43, 43, Random),
    new_format("DigitalOcean token", "dop_v1_", Hex, 64, 64, Random),
    new_format("DigitalOcean OAuth token", "doo_v1_", Hex, 64, 64, Random),
    new_format("Heroku API key", "HRKU-AA", Words, 58, 58, Random),
    new_format("Fly.io token", "FlyV1 fm2_", Wide, 40, 1_000, Random),
    new_format("Cloudflare origin CA key", "v1.0-", Hex, 100, 180, Random),
    new_format("Netlify token", "nfp_", Letters, 36, 40, Random),
    new_format("Vercel token", "vcp_", Letters, 40, 60, Random),
    new_format("Supabase token", "sbp_", Hex, 40, 40, Random),
    new_format("PlanetScale password", "pscale_pw_", Wide, 32, 64, Random),
    new_format("PlanetScale token", "pscale_tkn_", Wide, 32, 64, Random),
    new_format("Databricks token", "dapi", Hex, 32, 34, Random),
    new_format("HashiCorp Vault token", "hvs.", Words, 24, 200, Random),
    new_format("Terraform Cloud token", "atlasv1.", Words, 60, 70, Random),
    new_format("Pulumi access token", "pul-", Hex, 40, 40, Random),
    new_format("Doppler token", "dp.pt.", Letters, 40, 44, Random),
    new_format("Grafana service account token", "glsa_", Words, 41, 41, Random),
    new_format("Grafana Cloud token", "glc_", Wide, 40, 400, Random),
    new_format("New Relic user key", "NRAK-", Capitals, 27, 27, Random),
    new_format("Sentry auth token", "sntrys_", Wide, 80, 250, Random),
    new_format("Linear API key", "lin_api_", Letters, 40, 40, Random),
    new_format("Notion token", "ntn_", Letters, 40, 50, Random),
    new_format("Airtable token", "pat", Wide, 78, 82, Holds(".")),
    new_format("Postman API key", "PMAK-", Words, 59, 59, Random),
    new_format("Figma token", "figd_", Words, 40, 44, Random),
    new_format("Atlassian API token", "ATATT3", Wide, 180, 200, Random),
    new_format("Shopify access token", "shpat_", Hex, 32, 32, Random),
    new_format("Shopify shared secret", "shpss_", Hex, 32, 32, Random),
    new_format("Tailscale key", "tskey-", Words, 30, 80, Random),
    new_format("1Password service account token", "ops_eyJ", Wide, 200, 2_000, Random),
    new_format("age secret key", "AGE-SECRET-KEY-1", Capitals, 58, 58, Random),
    new_format("Telegram bot token", "bot_token=", Address, 40, 60, Holds(":AA")),
    new_format("JSON Web Token", "eyJ", Wide, 60, 8_000, Jwt),
    new_format("RSA private key", "-----BEGIN RSA ", Pem, 0, 0, PrivateKey),
    new_format("OpenSSH private key", "-----BEGIN OPENSSH ", Pem, 0, 0, PrivateKey),
    new_format("EC private key", "-----BEGIN EC ", Pem, 0, 0, PrivateKey),
    new_format("DSA private key", "-----BEGIN DSA ", Pem, 0, 0, PrivateKey),
    new_format("private key", "-----BEGIN ", Pem, 0, 0, PrivateKey),
    new_format("encrypted private key", "-----BEGIN ENCRYPTED ", Pem, 0, 0, PrivateKey),
    new_format("password in a PostgreSQL address", "postgres://", Address, 10, 400, Password),
    new_format("password in a PostgreSQL address", "postgresql://", Address, 10, 400, Password),
    new_format("password in a MySQL address", "mysql://", Address, 10, 400, Password),
    new_format("password in a MongoDB address", "mongodb+srv://", Address, 10, 400, Password),
    new_format("password in a MongoDB address", "mongodb://", Address, 10, 400, Password),
    new_format("password in a Redis address", "redis://", Address, 10, 400, Password),
    new_format("password in an AMQP address", "amqp://", Address, 10, 400, Password),
    new_format("password in a web address", "https://", Address, 10, 400, Password),
];
