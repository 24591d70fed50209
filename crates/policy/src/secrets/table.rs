//! The formats of credentials, as their issuers publish them.

/// The characters that may follow a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alphabet {
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
    Armour,
}

impl Alphabet {
    pub(super) fn has(self, byte: u8) -> bool {
        match self {
            Alphabet::Letters => byte.is_ascii_alphanumeric(),
            Alphabet::Capitals => byte.is_ascii_digit() || byte.is_ascii_uppercase(),
            Alphabet::Hex => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
            Alphabet::Words => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Alphabet::Wide => byte.is_ascii_alphanumeric() || b"_-./+=~".contains(&byte),
            Alphabet::Address => byte.is_ascii_graphic() && !b"\"'`<>|\\".contains(&byte),
            Alphabet::Armour => true,
        }
    }
}

/// How a credential is distinguished from text that only looks like one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// By its format, and by random-looking characters.
    Form,
    /// By a CRC-32 at its end.
    Crc,
    /// By two parts that are JSON, and a signature.
    Jwt,
    /// By a marker in the middle.
    Holds(&'static str),
    /// By a password in a URL.
    Password,
    /// By the format alone, which hardly occurs by chance.
    Account,
}

/// The format of one kind of credential.
#[derive(Debug)]
pub(super) struct Format {
    pub(super) kind: &'static str,
    pub(super) prefix: &'static str,
    pub(super) alphabet: Alphabet,
    /// The least and the greatest number of characters after the prefix.
    pub(super) length: (usize, usize),
    pub(super) proof: Proof,
}

const fn form(
    kind: &'static str,
    prefix: &'static str,
    alphabet: Alphabet,
    least: usize,
    most: usize,
    proof: Proof,
) -> Format {
    Format {
        kind,
        prefix,
        alphabet,
        length: (least, most),
        proof,
    }
}

use Alphabet::{Address, Armour, Capitals, Hex, Letters, Wide, Words};
use Proof::{Account, Crc, Form, Holds, Jwt, Password};

/// All known formats.
#[rustfmt::skip]
pub(super) const FORMATS: &[Format] = &[
    form("GitHub personal access token", "ghp_", Letters, 36, 36, Crc),
    form("GitHub OAuth token", "gho_", Letters, 36, 36, Crc),
    form("GitHub user-to-server token", "ghu_", Letters, 36, 36, Crc),
    form("GitHub server-to-server token", "ghs_", Letters, 36, 36, Crc),
    form("GitHub refresh token", "ghr_", Letters, 36, 76, Crc),
    form("GitHub fine-grained token", "github_pat_", Words, 82, 82, Form),
    form("GitLab personal access token", "glpat-", Wide, 20, 60, Form),
    form("GitLab deploy token", "gldt-", Words, 20, 40, Form),
    form("GitLab runner token", "glrt-", Words, 20, 40, Form),
    form("GitLab pipeline trigger token", "glptt-", Hex, 40, 40, Form),
    form("GitLab feed token", "glft-", Words, 20, 40, Form),
    form("AWS access key", "AKIA", Capitals, 16, 16, Form),
    form("AWS temporary access key", "ASIA", Capitals, 16, 16, Form),
    form("Anthropic API key", "sk-ant-api03-", Words, 80, 120, Form),
    form("Anthropic admin key", "sk-ant-admin01-", Words, 80, 120, Form),
    form("Anthropic OAuth token", "sk-ant-oat01-", Words, 80, 120, Form),
    form("OpenAI API key", "sk-", Letters, 48, 48, Holds("T3BlbkFJ")),
    form("OpenAI project key", "sk-proj-", Words, 48, 200, Form),
    form("OpenAI service account key", "sk-svcacct-", Words, 48, 200, Form),
    form("OpenRouter API key", "sk-or-v1-", Hex, 64, 64, Form),
    form("Groq API key", "gsk_", Letters, 52, 52, Form),
    form("Hugging Face token", "hf_", Letters, 34, 40, Form),
    form("Replicate API token", "r8_", Letters, 37, 40, Form),
    form("Perplexity API key", "pplx-", Letters, 48, 56, Form),
    form("xAI API key", "xai-", Letters, 80, 80, Form),
    form("Google API key", "AIza", Words, 35, 35, Form),
    form("Google OAuth client secret", "GOCSPX-", Words, 28, 28, Form),
    form("Google OAuth access token", "ya29.", Words, 60, 400, Form),
    form("Slack bot token", "xoxb-", Words, 40, 100, Form),
    form("Slack user token", "xoxp-", Words, 40, 120, Form),
    form("Slack app token", "xapp-", Words, 40, 120, Form),
    form("Slack workspace token", "xoxa-", Words, 30, 120, Form),
    form("Slack webhook", "hooks.slack.com/services/T", Wide, 30, 60, Form),
    form("Stripe secret key", "sk_live_", Letters, 24, 128, Form),
    form("Stripe test key", "sk_test_", Letters, 24, 128, Form),
    form("Stripe restricted key", "rk_live_", Letters, 24, 128, Form),
    form("Stripe webhook secret", "whsec_", Wide, 32, 64, Form),
    form("Square access token", "EAAA", Words, 60, 64, Form),
    form("Twilio API key", "SK", Hex, 32, 32, Form),
    form("SendGrid API key", "SG.", Wide, 66, 66, Holds(".")),
    form("Mailgun API key", "key-", Hex, 32, 32, Form),
    form("Mailchimp API key", "md-", Words, 22, 22, Form),
    form("npm access token", "npm_", Letters, 36, 36, Crc),
    form("PyPI upload token", "pypi-AgEIcHlwaS5vcmc", Words, 50, 250, Account),
    form("RubyGems API key", "rubygems_", Hex, 48, 48, Form),
    form("crates.io token", "cio", Letters, 32, 32, Form),
    form("Docker access token", "dckr_pat_", Words, 27, 27, Form),
    form("NuGet API key", "oy2", Letters, 43, 43, Form),
    form("DigitalOcean token", "dop_v1_", Hex, 64, 64, Form),
    form("DigitalOcean OAuth token", "doo_v1_", Hex, 64, 64, Form),
    form("Heroku API key", "HRKU-AA", Words, 58, 58, Form),
    form("Fly.io token", "FlyV1 fm2_", Wide, 40, 1_000, Form),
    form("Cloudflare origin CA key", "v1.0-", Hex, 100, 180, Form),
    form("Netlify token", "nfp_", Letters, 36, 40, Form),
    form("Vercel token", "vcp_", Letters, 40, 60, Form),
    form("Supabase token", "sbp_", Hex, 40, 40, Form),
    form("PlanetScale password", "pscale_pw_", Wide, 32, 64, Form),
    form("PlanetScale token", "pscale_tkn_", Wide, 32, 64, Form),
    form("Databricks token", "dapi", Hex, 32, 34, Form),
    form("HashiCorp Vault token", "hvs.", Words, 24, 200, Form),
    form("Terraform Cloud token", "atlasv1.", Words, 60, 70, Form),
    form("Pulumi access token", "pul-", Hex, 40, 40, Form),
    form("Doppler token", "dp.pt.", Letters, 40, 44, Form),
    form("Grafana service account token", "glsa_", Words, 41, 41, Form),
    form("Grafana Cloud token", "glc_", Wide, 40, 400, Form),
    form("New Relic user key", "NRAK-", Capitals, 27, 27, Form),
    form("Sentry auth token", "sntrys_", Wide, 80, 250, Form),
    form("Linear API key", "lin_api_", Letters, 40, 40, Form),
    form("Notion token", "ntn_", Letters, 40, 50, Form),
    form("Airtable token", "pat", Wide, 78, 82, Holds(".")),
    form("Postman API key", "PMAK-", Words, 59, 59, Form),
    form("Figma token", "figd_", Words, 40, 44, Form),
    form("Atlassian API token", "ATATT3", Wide, 180, 200, Form),
    form("Shopify access token", "shpat_", Hex, 32, 32, Form),
    form("Shopify shared secret", "shpss_", Hex, 32, 32, Form),
    form("Tailscale key", "tskey-", Words, 30, 80, Form),
    form("1Password service account token", "ops_eyJ", Wide, 200, 2_000, Form),
    form("age secret key", "AGE-SECRET-KEY-1", Capitals, 58, 58, Form),
    form("Telegram bot token", "bot_token=", Address, 40, 60, Holds(":AA")),
    form("JSON Web Token", "eyJ", Wide, 60, 8_000, Jwt),
    form("RSA private key", "-----BEGIN RSA ", Armour, 0, 0, Account),
    form("OpenSSH private key", "-----BEGIN OPENSSH ", Armour, 0, 0, Account),
    form("EC private key", "-----BEGIN EC ", Armour, 0, 0, Account),
    form("DSA private key", "-----BEGIN DSA ", Armour, 0, 0, Account),
    form("private key", "-----BEGIN ", Armour, 0, 0, Account),
    form("encrypted private key", "-----BEGIN ENCRYPTED ", Armour, 0, 0, Account),
    form("password in a PostgreSQL address", "postgres://", Address, 10, 400, Password),
    form("password in a PostgreSQL address", "postgresql://", Address, 10, 400, Password),
    form("password in a MySQL address", "mysql://", Address, 10, 400, Password),
    form("password in a MongoDB address", "mongodb+srv://", Address, 10, 400, Password),
    form("password in a MongoDB address", "mongodb://", Address, 10, 400, Password),
    form("password in a Redis address", "redis://", Address, 10, 400, Password),
    form("password in an AMQP address", "amqp://", Address, 10, 400, Password),
    form("password in a web address", "https://", Address, 10, 400, Password),
];
