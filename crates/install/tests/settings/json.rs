//! Twenty files of JSON, JSON with comments, and JSON5.

use lancet_install::Form;

use crate::law::{entries, holds};

const FILES: [&str; 24] = [
    "",
    "{}",
    "{ }\n",
    "{\n}\n",
    "{\n  \"mcpServers\": {}\n}\n",
    "{\"mcpServers\":{\"other\":{\"command\":\"x\"}},\"permissions\":{\"allow\":[\"Bash(ls)\"]}}",
    "{\n    \"theme\": \"dark\",\n    \"mcpServers\": {\n        \"other\": {\n            \"command\": \"npx\",\n            \"args\": [\"-y\", \"other\"]\n        }\n    }\n}\n",
    "{\n\t\"permissions\": {\n\t\t\"allow\": [\n\t\t\t\"Bash(npm run test)\",\n\t\t\t\"Read\"\n\t\t],\n\t\t\"deny\": []\n\t}\n}",
    "// Settings of mine\n{\n  // servers\n  \"mcpServers\": {\n    \"a\": { \"command\": \"a\" }, // the first\n    /* and */ \"b\": { \"command\": \"b\" } // the second\n    // more to come\n  }\n}\n",
    "{\n  \"servers\": {\n    \"a\": 1,\n  },\n  \"permission\": { \"bash\": \"ask\", },\n}\n",
    "{\r\n  \"mcp\": {\r\n    \"a\": { \"enabled\": true }\r\n  }\r\n}\r\n",
    "\u{feff}{\r\n\t\"context_servers\": {},\r\n\t\"agent\": { \"tool_permissions\": { \"tools\": {} } }\r\n}\r\n",
    "{\n  mcpServers: {\n    'other': { command: 'x', args: ['a', \"b\",], },\n  },\n  number: 0xFF, plus: +1, half: .5, inf: Infinity,\n}\n",
    "{ \"a\": 1 // no comma follows\n}\n",
    "{ /* nothing yet */ }\n",
    "{\n  // nothing yet\n}\n",
    "{\n\"noindent\": true,\n\"mcpServers\": {\n\"x\": 1\n}\n}\n",
    "{\n      \"deep\": [\n            1,\n            2\n      ],\n      \"permissions\": {\n            \"deny\": [ \"WebFetch\" ]\n      }\n}\n",
    "{\"a\":\"{\\\"mcpServers\\\": {}}\",\n \"b\":\"// no comment\" ,\n \"c\":\"/* nor this */\"}\n",
    "\n\n  {\n    \"tools\": { \"exclude\": [\"web_fetch\", // not that\n      \"other\"] }\n  }\n\n",
    "/* a licence */\n{ \"mcpServers\"\n:\n{ \"x\"\n: { }\n}\n, \"last\": null }\n",
    "{\n  \"mcpServers\": {\n    \"x\": {}\n  , \"y\": {}\n  }\n, \"z\": [ 1\n  , 2 ]\n}\n",
    "{\n  \"ümlaut ☃\": \"Größe 𝄞\",\n  \"mcpServers\": {\n    \"é\": { \"command\": \"☃\" } // ☃\n  }\n}\n",
    "// only a comment\n",
];

#[test]
fn every_file_written_by_hand_stays_as_it_was() {
    for (name, entries) in entries(Form::Json) {
        for text in FILES {
            holds(Form::Json, text, &name, &entries);
        }
    }
}
