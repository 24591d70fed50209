//! The arguments of `lancet serve`.

use std::path::PathBuf;

use clap::Args;
use lancet_web::{HostRule, OriginRule, PublicUrl};

use super::{AskOption, Mode, OfferArguments, WorkArguments, examples};

/// Serve the tools over HTTP, to any number of agents at once, and a page for you
///
/// The agents connect to http://127.0.0.1:4747/mcp (streamable HTTP, both generations of MCP) with the header
/// `Authorization: Bearer TOKEN`. There are three tokens, in files of the state folder that only you can read: `serve-token`
/// opens all tools, `serve-token-read` those that only read; `person-token` approves changes (LANCET_TOKEN) and opens no tool. Each agent has its own record of what it has read, its own
/// roots and its own permissions for a session; one that sends its own roots narrows those of the server. Writes need
/// approval, unless --mode or the settings say otherwise.
///
/// The page shows what waits for your approval and what was written: --open opens it, and at a terminal a link is printed, which lets one browser
/// in. The browser stays known for 30 days.
///
/// Requests must name this machine as their host, and pages in a browser must come from it: --allow-host and --allow-origin
/// allow others. Other machines can connect if --listen names an address that they reach; the connection must then be
/// encrypted. Ctrl-C, or SIGTERM, ends it when calls are answered and writes finished.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = examples::SERVE)]
pub(crate) struct ServeArguments {
    /// Address and port to listen on
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4747")]
    pub(crate) listen: String,
    /// Open the page in a browser
    ///
    /// The link goes to the browser in a file that only you can read. Without a screen or a browser, open the printed link.
    #[arg(long)]
    pub(crate) open: bool,
    /// Print a link into the page of the server that runs with this state folder, and exit
    ///
    /// The link lets one device in and is good for ten minutes; if other machines reach the server it is also drawn as a QR code. It
    /// is written to the terminal, or to standard output where LANCET_TOKEN has the person's token. It is not for agents: the page approves changes.
    #[arg(long, conflicts_with_all = ["open", "new_token"])]
    pub(crate) link: bool,
    /// A further name that requests may call the server by; may be given several times
    #[arg(long, value_name = "HOST")]
    pub(crate) allow_host: Vec<HostRule>,
    /// An origin whose pages may call the server, such as https://app.example.org; may be given several times
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_origin: Vec<OriginRule>,
    /// The address under which others reach the server, if a proxy is in front of it
    #[arg(long, value_name = "URL")]
    pub(crate) public_url: Option<PublicUrl>,
    /// Make all tokens again, and forget all devices that were let into the page; a server that is running goes on with the old tokens until it is started again
    #[arg(long)]
    pub(crate) new_token: bool,
    /// Listen beyond this machine without encryption
    #[arg(long, conflicts_with = "tls")]
    pub(crate) insecure: bool,
    /// Encrypt with this certificate and its key, both in PEM files
    #[arg(long, num_args = 2, value_names = ["CERT", "KEY"], conflicts_with = "public_url")]
    pub(crate) tls: Option<Vec<PathBuf>>,
    /// What happens to writes [default: the settings' mode, else ask]
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<Mode>,
    /// Who is asked about writes that need a person's approval
    ///
    /// By default such writes are recorded and wait for `lancet pending`. With elicit any client with `serve-token` can
    /// answer for the person, because over HTTP nothing proves that a client shows the question to its user.
    #[arg(long, value_name = "WHOM")]
    pub(crate) ask: Option<AskOption>,
    #[command(flatten)]
    pub(crate) offer: OfferArguments,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}
