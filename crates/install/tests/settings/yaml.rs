//! Twenty files of YAML.

use lancet_install::Form;

use crate::law::{entries, holds};

const FILES: [&str; 23] = [
    "",
    "# only a comment\n",
    "---\n",
    "GOOSE_MODEL: gpt-5.5",
    "GOOSE_MODEL: gpt-5.5\nGOOSE_PROVIDER: openai\n",
    "extensions:\n  developer:\n    enabled: true\n    type: builtin\n",
    "extensions:\n    developer:\n        enabled: true\n        timeout: 300\nGOOSE_MODE: auto\n",
    "extensions: {}\nGOOSE_MODE: auto\n",
    "extensions: { developer: { enabled: true } } # flow\n",
    "extensions:\nGOOSE_MODE: auto\n",
    "extensions:\n  # the first\n  developer: &base\n    enabled: true # on\n    args: [a, \"b\"]\n  memory:\n    <<: *base\n    enabled: false\n",
    "base: &base\n  timeout: 300\nextensions:\n  developer:\n    <<: *base\n    type: builtin\n",
    "extensions: &ext\n  developer:\n    enabled: true\ncopy: *ext\n",
    "---\nextensions:\n  developer:\n    enabled: true\n",
    "\"extensions\":\n  'developer':\n    enabled: yes\n",
    "text: |\n  extensions:\n    lancet: no\nmore: >-\n  folded\n  lines\nextensions:\n  a:\n    b: c\n",
    "list:\n- a\n- b:\n    c\nextensions:\n  a: {b: [1, 2]}\n",
    "{\"extensions\": {\"developer\": {\"enabled\": true}}, \"GOOSE_MODE\": \"auto\"}\n",
    "extensions:\r\n  developer:\r\n    enabled: true\r\nGOOSE_MODE: auto\r\n",
    "\u{feff}GOOSE_MODE: auto\n",
    "größe: ☃ # 𝄞\nextensions:\n  ü:\n    name: \"é\"\n",
    "  GOOSE_MODE: auto\n  extensions:\n     developer:\n        enabled: true\n",
    "extensions:\n\n\n  developer:\n\n    enabled: true\n\n\n# the end\n",
];

#[test]
fn every_file_written_by_hand_stays_as_it_was() {
    for (name, entries) in entries(Form::Yaml) {
        for text in FILES {
            holds(Form::Yaml, text, &name, &entries);
        }
    }
}
