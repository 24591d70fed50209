//! Twenty files of TOML.

use lancet_install::{Form, install_entries};

use crate::law::{are_items, entries, holds};

const FILES: [&str; 21] = [
    "",
    "\n",
    "# only a comment",
    "model = \"gpt-5.5\"\n",
    "model = \"gpt-5.5\" # no final newline",
    "[mcp_servers.other]\ncommand = \"x\"\nargs = []\n",
    "[mcp_servers]\n\n[mcp_servers.other]\ncommand = \"x\"\n\n\n",
    "[mcp_servers]\nother = { command = \"x\", args = [\"a\"] }\n",
    "mcp_servers = { other = { command = \"x\" } }\n",
    "mcp_servers = {}\nmodel = 'x'\n",
    "mcp_servers.other.command = \"x\"\nmcp_servers.other.args = [\n  \"a\", # first\n  \"b\",\n]\n",
    "[projects.\"/home/me\"]\ntrust_level = \"trusted\"\n\n[mcp_servers.z]\ncommand = \"z\"\n\n[history]\nmax_bytes = 1\n\n[mcp_servers.a]\ncommand = \"a\"\n[mcp_servers.a.env]\nTOKEN = \"secret\"\n",
    "[[rules]]\nname = \"a\"\n[[rules]]\nname = \"b\"\n[mcp_servers.other.tools.Read]\napproval_mode = \"approve\"\n",
    "text = \"\"\"\n[mcp_servers.lancet]\ncommand = \"not this\"\n\"\"\"\n",
    "text = '''\n# no comment\n'''\n\n  [mcp_servers.other] # indented\n    command = \"x\"\n",
    "a = 1\r\n\r\n[mcp_servers.other]\r\ncommand = \"x\"\r\n",
    "\u{feff}a = 1\r\n",
    "when = 1979-05-27T07:32:00Z\nratio = 1.5e3\nnone = nan\nhex = 0xDEAD_BEEF\n",
    "\"mcp_servers\".\"other\" = { command = 'x' }\n[\"quoted table\"]\n\"key with = sign\" = \"ü ☃\"\n",
    "[a]\nb = 1\n[a.c]\nd = 2\n\n# the end\n",
    "[mcp_servers . spaced]\ncommand=\"x\"\nargs=[ 'a','b' ]\n   # odd\n",
];

/// Files in which the servers are a list, as Vibe has them.
const LISTS: [&str; 13] = [
    "",
    "# only a comment",
    "theme = \"dark\" # no final newline",
    "[[mcp_servers]]\nname = \"other\"\ntransport = \"stdio\"\ncommand = \"x\"\nargs = [\n    \"mcp\",\n]\n",
    "[[mcp_servers]]\nname = \"other\"\n\n[mcp_servers.env]\nTOKEN = \"secret\"\n\n[tools.bash]\npermission = \"ask\"\n\n[[mcp_servers]]\nname = \"z\"\n",
    "mcp_servers = []\n[tools]\n",
    "mcp_servers = [{ name = \"other\" }]\r\na = 1\r\n",
    "mcp_servers = [\n  { name = \"other\" }, # mine\n]\n",
    "mcp_servers = [ # none yet\n]\n",
    "\u{feff}a = 1\r\n\r\n[[mcp_servers]]\r\nname = 'other'\r\n",
    "[a]\nb = 1\n[a.c]\nd = 2\n\n# the end\n",
    "text = \"\"\"\n[[mcp_servers]]\nname = \"lancet\"\n\"\"\"\n",
    "\"mcp_servers\" = [\n  {name=\"a\"},\n  {name=\"b\"}]\n",
];

#[test]
fn every_file_written_by_hand_stays_as_it_was() {
    for (name, entries) in entries(Form::Toml) {
        let files = match are_items(&entries) {
            true => &LISTS[..],
            false => &FILES[..],
        };
        for text in files {
            holds(Form::Toml, text, &name, &entries);
        }
    }
}

#[test]
fn a_list_of_another_kind_is_left_alone() {
    let entries = entries(Form::Toml);
    let (_, list) = entries
        .iter()
        .find(|(name, _)| name.starts_with("vibe"))
        .expect("Vibe");
    for (text, kind) in [
        ("[mcp_servers.other]\ncommand = \"x\"\n", "table"),
        ("mcp_servers = \"none\"\n", "string"),
    ] {
        let error = install_entries(Form::Toml, text, list).expect_err("no list");
        assert_eq!(
            error.to_string(),
            format!("mcp_servers is {kind}, not a list")
        );
    }
}
