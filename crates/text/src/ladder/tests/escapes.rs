//! Cases of the rung `escaped`.

use super::*;
use Rung::{Escaped, Exact};

#[test]
fn unescapes_doubly_escaped_text() {
    check_cases(&[
        (
            "quotes",
            "print(\"on\")\n",
            "print(\\\"on\\\")",
            "print(\\\"off\\\")",
            outcome_done(Escaped, "print(\"off\")\n"),
        ),
        (
            "line ends",
            "a = 1\nb = 2\n",
            "a = 1\\nb = 2",
            "a = 1\\nb = 5",
            outcome_done(Escaped, "a = 1\nb = 5\n"),
        ),
        (
            "tabs",
            "a\tb\n",
            "a\\tb",
            "a\\tc",
            outcome_done(Escaped, "a\tc\n"),
        ),
        (
            "by number",
            "caf\u{E9} x\n",
            "caf\\u00e9 x",
            "caf\\u00e9 y",
            outcome_done(Escaped, "caf\u{E9} y\n"),
        ),
        (
            "line ends of Windows",
            "a\nb\n",
            "a\\r\\nb",
            "a\\r\\nc",
            outcome_done(Escaped, "a\nc\n"),
        ),
        (
            "entities",
            "if (a < b && c > d) {\n",
            "if (a &lt; b &amp;&amp; c &gt; d) {",
            "if (a &lt;= b &amp;&amp; c &gt; d) {",
            outcome_done(Escaped, "if (a <= b && c > d) {\n"),
        ),
        (
            "entities by number",
            "it's\n",
            "it&#39;s",
            "that&#39;s",
            outcome_done(Escaped, "that's\n"),
        ),
        (
            "new text with nothing to escape",
            "run(\"b\")\n",
            "run(\\\"b\\\")",
            "pass",
            outcome_done(Escaped, "pass\n"),
        ),
        (
            "deleted",
            "log(\"a\")\nend\n",
            "log(\\\"a\\\")",
            "",
            outcome_done(Escaped, "end\n"),
        ),
        (
            "escaped in the file too",
            "a\\nb\n",
            "a\\nb",
            "a\\nc",
            outcome_done(Exact, "a\\nc\n"),
        ),
        (
            "part of a line",
            "x = f(\"a\");\n",
            "f(\\\"a\\\")",
            "g(\\\"a\\\")",
            outcome_done(Escaped, "x = g(\"a\");\n"),
        ),
    ]);
    assert_eq!(
        edit_all("f(\"a\") f(\"a\")\n", "f(\\\"a\\\")", "g()"),
        outcome_done(Escaped, "g() g()\n")
    );
}

#[test]
fn refuses_new_text_with_different_escapes() {
    check_cases(&[
        (
            "an escape added inside a literal",
            "print(\"a\");\nprint(\"b\");\n",
            "print(\\\"a\\\");\\nprint(\\\"b\\\");",
            "print(\\\"a\\n\\\");\\nprint(\\\"b\\\");",
            Forbidden(Escaped),
        ),
        (
            "one added between literals",
            "print(\"a\");\nprint(\"b\");\n",
            "print(\\\"a\\\");\\nprint(\\\"b\\\");",
            "print(\\\"a\\\");\\nprint(\\\"c\\\");\\nprint(\\\"b\\\");",
            outcome_done(Escaped, "print(\"a\");\nprint(\"c\");\nprint(\"b\");\n"),
        ),
        (
            "an entity added between other quotes",
            "<a title='x'>\n<b>\n",
            "&lt;a title='x'&gt;\n&lt;b&gt;",
            "&lt;a title='x&gt;'&gt;\n&lt;b&gt;",
            Forbidden(Escaped),
        ),
        (
            "a bare quote",
            "print(\"on\")\n",
            "print(\\\"on\\\")",
            "print(\"off\")",
            Forbidden(Escaped),
        ),
        (
            "a bare line end",
            "a\nb\n",
            "a\\nb",
            "a\nc",
            Forbidden(Escaped),
        ),
        (
            "another kind",
            "d = \"x\"\n",
            "d = \\\"x\\\"",
            "d = \\\"C:\\new\\\"",
            Forbidden(Escaped),
        ),
        (
            "no escape at all",
            "d = \"x\"\n",
            "d = \\\"x\\\"",
            "d = \\\"\\d\\\"",
            Forbidden(Escaped),
        ),
        (
            "another entity",
            "a < b\n",
            "a &lt; b",
            "a &gt; b",
            Forbidden(Escaped),
        ),
        (
            "a bare sign",
            "a < b\n",
            "a &lt; b",
            "a < c",
            Forbidden(Escaped),
        ),
        (
            "an unknown entity",
            "a < b\n",
            "a &lt; b",
            "a &lt; &foo;",
            Forbidden(Escaped),
        ),
        (
            "a bare letter beyond ASCII",
            "caf\u{E9}\n",
            "caf\\u00e9",
            "\u{FC}ber caf\\u00e9",
            Forbidden(Escaped),
        ),
        (
            "several places come first",
            "f(\"x\")\nf(\"x\")\n",
            "f(\\\"x\\\")",
            "f(\"y\")",
            Ambiguous(Escaped, 2),
        ),
    ]);
}

#[test]
fn rejects_inconclusive_escapes() {
    check_cases(&[
        (
            "a backslash of the file's own",
            "p = \"C:\\dir\"\n",
            "p = \\\"C:\\\\dir\\\"",
            "x",
            NotFound,
        ),
        (
            "an entity of the file's own",
            "a < &copy;\n",
            "a &lt; &copy;",
            "x",
            NotFound,
        ),
        (
            "a backslash that is no escape",
            "\"\\d\"\n",
            "\\\"\\d\\\"",
            "x",
            NotFound,
        ),
        (
            "blank once unescaped",
            "a\n\n\nb\n",
            "\\n\\n\\n",
            "x",
            NotFound,
        ),
        (
            "another difference besides",
            "print(\"on\") \n  x\n",
            "print(\\\"on\\\")\n  x",
            "x",
            NotFound,
        ),
        (
            "two levels",
            "print(\"on\")\n",
            "print(\\\\\\\"on\\\\\\\")",
            "x",
            NotFound,
        ),
        (
            "escaped here and bare there",
            "\"a\" \"b\"\n",
            "\\\"a\\\" \"b\"",
            "x",
            NotFound,
        ),
    ]);
    assert_eq!(
        edit_outcome("\"&lt;\" \\\"<\\\"\n", "\\\"&lt;\\\"", "x"),
        Ambiguous(Escaped, 2),
        "two ways to read it"
    );
}
