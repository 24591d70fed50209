//! Generated settings files: trees of values, written in every style of the forms.

use lancet_install::Form;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::law::{are_items, entries, holds};

/// The choices that determine a file. When they are used up, every choice is the first one.
struct Choices<'a> {
    bytes: std::slice::Iter<'a, u8>,
}

impl Choices<'_> {
    fn index_below(&mut self, count: usize) -> usize {
        self.bytes
            .next()
            .map_or(0, |byte| usize::from(*byte) % count)
    }

    fn pick<'t>(&mut self, words: &[&'t str]) -> &'t str {
        words[self.index_below(words.len())]
    }
}

const NAMES: [&str; 12] = [
    "mcpServers",
    "permissions",
    "a",
    "mcp",
    "allow",
    "servers",
    "tools",
    "agent",
    "permission",
    "context_servers",
    "exclude",
    "ü",
];

/// Returns a member of a JSON object; names that an agent looks for have the kind of value that it looks for.
fn json_value(
    choices: &mut Choices<'_>,
    name: &str,
    depth: usize,
    indent: &str,
    unit: &str,
    end: &str,
) -> String {
    let is_list = matches!(name, "allow" | "exclude" | "deny");
    let is_table = NAMES.contains(&name) && name != "a" && name != "ü" && !is_list;
    if is_list {
        let items: Vec<_> = (0..choices.index_below(4))
            .map(|at| format!("\"item{at}\""))
            .collect();
        let inner = format!("{indent}{unit}");
        return match choices.index_below(3) {
            0 => format!("[{}]", items.join(", ")),
            1 if !items.is_empty() => format!(
                "[{end}{inner}{}{end}{indent}]",
                items.join(&format!(",{end}{inner}"))
            ),
            _ => format!("[ {} ]", items.join(" , ")),
        };
    }
    if is_table && depth < 4 {
        return json_object(choices, depth + 1, indent, unit, end);
    }
    match depth {
        4.. if is_table => "{}".to_owned(),
        _ => choices
            .pick(&[
                "1",
                "\"// text\"",
                "null",
                "[1, {\"x\": []}]",
                "'single'",
                "-0x1F",
                "\"\\u00e9{\"",
            ])
            .to_owned(),
    }
}

fn json_object(
    choices: &mut Choices<'_>,
    depth: usize,
    indent: &str,
    unit: &str,
    end: &str,
) -> String {
    let count = choices.index_below(4);
    let inner = format!("{indent}{unit}");
    let is_one_line = choices.index_below(4) == 3;
    let comment = ["", "", "", " // note", " /* note */"];
    let mut used = Vec::new();
    let mut members = Vec::new();
    for _ in 0..count {
        let name = choices.pick(&NAMES);
        if used.contains(&name) {
            continue;
        }
        used.push(name);
        let quoted = match choices.index_below(4) {
            3 if name.is_ascii() => name.to_owned(),
            2 => format!("'{name}'"),
            _ => format!("\"{name}\""),
        };
        let value = match is_one_line {
            true => json_value(choices, name, 4, "", "", " "),
            false => json_value(choices, name, depth, &inner, unit, end),
        };
        members.push(format!(
            "{quoted}{}{value}",
            choices.pick(&[": ", ":", " : "])
        ));
    }
    let trailing = match (members.is_empty(), choices.index_below(3)) {
        (false, 2) => ",",
        _ => "",
    };
    if is_one_line {
        return format!("{{ {}{trailing} }}", members.join(", "));
    }
    let mut text = format!("{{{}{end}", choices.pick(&comment));
    let last = members.len();
    for (at, member) in members.into_iter().enumerate() {
        let comma = if at + 1 < last { "," } else { trailing };
        text += &format!("{inner}{member}{comma}{}{end}", choices.pick(&comment));
        if choices.index_below(6) == 5 {
            text += &format!("{inner}// a line{end}");
        }
    }
    format!("{text}{indent}}}")
}

fn json(choices: &mut Choices<'_>) -> String {
    let unit = choices.pick(&["  ", "    ", "\t", " ", "   "]);
    let end = choices.pick(&["\n", "\r\n"]);
    let mark = choices.pick(&["", "", "", "\u{feff}"]);
    let object = json_object(choices, 0, "", unit, end);
    format!("{mark}{object}{}", choices.pick(&[end, "", "\n\n"]))
}

fn toml(choices: &mut Choices<'_>) -> String {
    let end = choices.pick(&["\n", "\r\n"]);
    let mut text = choices.pick(&["", "", "\u{feff}"]).to_owned();
    let scalars = [
        "1",
        "\"[mcp_servers.lancet]\"",
        "'x'",
        "[1, 2]",
        "{ x = 1 }",
        "true",
        "1.5",
        "\"\"\"\nmulti\n\"\"\"",
    ];
    for at in 0..choices.index_below(4) {
        text += &format!(
            "{}top{at} = {}{}{end}",
            choices.pick(&["", "  "]),
            choices.pick(&scalars),
            choices.pick(&["", " # note"])
        );
    }
    let style = choices.index_below(5);
    match style {
        1 => text += &format!("mcp_servers = {{ a = {{ command = \"x\" }} }}{end}"),
        2 => text += &format!("mcp_servers.a.command = \"x\"{end}"),
        _ => {}
    }
    let mut order: Vec<usize> = (0..choices.index_below(6)).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, choices.index_below(at + 1));
    }
    for number in order {
        text += choices.pick(&["", end, "# before\n"]);
        let head = match choices.index_below(3) {
            0 if style != 1 => format!("[mcp_servers.s{number}]"),
            1 => format!("[[list{number}]]"),
            _ => format!("[t{number}.\"sub ü\"]"),
        };
        text += &format!("{head}{}{end}", choices.pick(&["", " # head"]));
        for at in 0..choices.index_below(3) {
            text += &format!("k{at}={}{end}", choices.pick(&scalars));
        }
    }
    text + choices.pick(&["", end, "# the end"])
}

fn yaml_pairs(
    choices: &mut Choices<'_>,
    text: &mut String,
    column: usize,
    depth: usize,
    end: &str,
) {
    let blanks = " ".repeat(column);
    for at in 0..=choices.index_below(3) {
        if choices.index_below(5) == 4 {
            *text += &format!("{blanks}# a line{end}");
        }
        *text += &format!("{blanks}k{at}:");
        match choices.index_below(7) {
            1 if depth < 3 => {
                *text += &format!("{}{end}", choices.pick(&["", " # note"]));
                let step = choices.index_below(3) + 1;
                yaml_pairs(choices, text, column + step, depth + 1, end);
            }
            2 => *text += &format!(" {{a: [1, \"b\"], c: {{}}}}{end}"),
            3 => *text += &format!(" |{end}{blanks}  literal: #{end}{blanks}   more{end}"),
            4 => *text += &format!("{end}{blanks}  - one{end}{blanks}  - two{end}"),
            5 => *text += end,
            _ => {
                *text += &format!(
                    " {}{end}",
                    choices.pick(&["text", "\"q: x\"", "12", "~", "'it''s'", "ü ☃", "&x 1"])
                )
            }
        }
    }
}

fn yaml(choices: &mut Choices<'_>) -> String {
    let end = choices.pick(&["\n", "\r\n"]);
    let mut text = choices
        .pick(&["", "# head\n", "---\n", "\u{feff}"])
        .to_owned();
    yaml_pairs(choices, &mut text, 0, 0, end);
    match choices.index_below(5) {
        0 => {}
        1 => text += &format!("extensions: {{}}{end}"),
        2 => text += &format!("extensions:{end}"),
        3 => text += &format!("extensions: {{ dev: {{ enabled: true }} }}{end}"),
        _ => {
            text += &format!(
                "extensions:{}{end}",
                choices.pick(&["", " # note", " &all"])
            );
            let step = choices.index_below(4) + 1;
            yaml_pairs(choices, &mut text, step, 1, end);
        }
    }
    if choices.index_below(2) == 1 {
        text += &format!("last: 1{}", choices.pick(&["", end]));
    }
    text
}

fn play(form: Form, text: &str, which: usize) {
    let all = entries(form);
    let (name, entries) = &all[which % all.len()];
    if form == Form::Toml && are_items(entries) {
        // The servers are a list here, so the generated tables have another name.
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let mut text = text.replace("mcp_servers", "others");
        if !which.is_multiple_of(3) && (text.is_empty() || text.ends_with('\n')) {
            text += &format!("[[mcp_servers]]{end}name = \"a\"{end}");
        }
        if which % 3 > 1 && text.ends_with('\n') {
            text +=
                &format!("[mcp_servers.env]{end}A = 'b'{end}{end}[[mcp_servers]]{end}name = 'c'");
        }
        return holds(form, &text, name, entries);
    }
    holds(form, text, name, entries);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases()) })]

    #[test]
    fn any_json_stays_as_it_was(bytes in vec(any::<u8>(), 0..160), which in 0..64_usize) {
        play(Form::Json, &json(&mut Choices { bytes: bytes.iter() }), which);
    }

    #[test]
    fn any_toml_stays_as_it_was(bytes in vec(any::<u8>(), 0..80), which in 0..64_usize) {
        play(Form::Toml, &toml(&mut Choices { bytes: bytes.iter() }), which);
    }

    #[test]
    fn any_yaml_stays_as_it_was(bytes in vec(any::<u8>(), 0..80), which in 0..64_usize) {
        play(Form::Yaml, &yaml(&mut Choices { bytes: bytes.iter() }), which);
    }

    #[test]
    fn no_text_leads_to_a_panic(text in "[\\[\\]{}:,=#&*|>\"'/ \n\r\ta-c1\u{fc}-]{0,60}", which in 0..64_usize) {
        for form in [Form::Json, Form::Toml, Form::Yaml] {
            let all = entries(form);
            let (_, entries) = &all[which % all.len()];
            if let Ok(draft) = lancet_install::install_entries(form, &text, entries) {
                let back = lancet_install::revert_splices(draft.text(), draft.splices());
                prop_assert_eq!(back, Some(text.clone()));
            }
        }
    }
}

/// Returns the number of files that are generated for each form.
fn cases() -> u32 {
    let asked = std::env::var("LANCET_LAW_CASES").ok();
    asked
        .and_then(|count| count.parse().ok())
        .unwrap_or(300)
        .min(2_000)
}
