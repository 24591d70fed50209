//! Prefixes of tool names, and the table of names that they are checked against.

use lancet_model::tool_names::{TOOL_NAMES, numbers_of_tool};
use lancet_model::tool_prefix::{InvalidPrefix, ToolPrefix};

use super::{all_tools, declarations};

#[test]
fn accepts_only_prefixes_that_every_api_allows() {
    for (given, wanted) in [
        ("lancet_", Ok("lancet_")),
        ("", Ok("")),
        ("_", Ok("_")),
        ("1x", Err(InvalidPrefix::Beginning('1'))),
        ("-x", Err(InvalidPrefix::Beginning('-'))),
        ("a.b", Err(InvalidPrefix::Character('.'))),
        ("é", Err(InvalidPrefix::Character('é'))),
        (&"x".repeat(25), Err(InvalidPrefix::TooLong(25))),
    ] {
        let made = ToolPrefix::new(given);
        assert_eq!(
            made.as_ref().map(ToolPrefix::as_str),
            wanted.as_ref().copied()
        );
    }
    let longest = declarations().iter().map(|tool| tool.name.len()).max();
    let client = "mcp__lancet__".len();
    assert!(longest.expect("tools") + ToolPrefix::LONGEST + client <= 64);
}

#[test]
fn prefix_never_makes_two_tools_share_a_name() {
    for (given, tool, listed) in [
        ("Multi", "Edit", "MultiEdit"),
        ("Notebook", "Edit", "NotebookEdit"),
    ] {
        let listed = listed.to_owned();
        assert_eq!(
            ToolPrefix::new(given),
            Err(InvalidPrefix::Taken { tool, listed })
        );
    }
    for tool in all_tools() {
        let names = tool.other_names().iter().map(|other| other.name);
        for name in names.chain([tool.name()]) {
            for other in all_tools() {
                let prefix = name.strip_suffix(other.name()).unwrap_or_default();
                assert!(
                    prefix.is_empty() || ToolPrefix::new(prefix).is_err(),
                    "{prefix}"
                );
            }
        }
    }
    assert_eq!(
        ToolPrefix::new("Multi").unwrap_err().to_string(),
        "with this prefix Edit would be listed as MultiEdit, which is the name of another tool"
    );
}

#[test]
fn texts_use_listed_tool_names() {
    let prefix = ToolPrefix::new("lancet_").expect("a prefix");
    assert_eq!(
        prefix.prefix_tool_names(
            "Read it first; use MultiEdit, not `Edit`. Edits, reread, old_Read."
        ),
        "lancet_Read it first; use lancet_MultiEdit, not `lancet_Edit`. Edits, reread, old_Read."
    );
    for declaration in declarations() {
        let declared = prefix.prefix_declaration(declaration);
        assert_eq!(declared.name, format!("lancet_{}", declaration.name));
        for text in [&declared.description, &declared.prompt, &declared.summary] {
            let stripped = text.replace("lancet_", "");
            assert!(
                [
                    &declaration.description,
                    &declaration.prompt,
                    &declaration.summary
                ]
                .iter()
                .any(|own| own.as_ref() == stripped),
                "{}",
                declaration.name
            );
        }
        assert_eq!(declared.input_schema, declaration.input_schema);
    }
    assert_eq!(
        &ToolPrefix::default().prefix_declaration(&declarations()[0]),
        &declarations()[0]
    );
}

#[test]
fn name_table_matches_tools() {
    let table = TOOL_NAMES
        .iter()
        .map(|tool| (tool.name, tool.others.to_vec()));
    let registry = all_tools().map(|tool| {
        let others = tool.other_names().iter().map(|other| other.name);
        (tool.name(), others.collect())
    });
    assert_eq!(table.collect::<Vec<_>>(), registry.collect::<Vec<_>>());
    for tool in all_tools() {
        assert_eq!(numbers_of_tool(tool.name()), tool.numbers());
    }
}
