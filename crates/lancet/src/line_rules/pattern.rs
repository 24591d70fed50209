//! File patterns of `.editorconfig` and `.gitattributes`, matched by simulating an NFA: the set of reachable positions
//! is carried through the pattern, so that the time is bounded by pattern length times path length, whatever the stars
//! and braces.

/// Longer patterns match nothing: no one writes them by hand, and the time grows with their length.
const MAX_PATTERN_LENGTH: usize = 1_024;
/// Braces that are nested deeper are plain characters.
const MAX_BRACE_DEPTH: usize = 8;

/// The pattern language: the meaning of `**` and of braces differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `**` crosses folders anywhere, braces give alternatives and ranges of numbers.
    EditorConfig,
    /// `**` crosses folders only as a whole component; braces are plain characters.
    Git,
}

/// A parsed pattern that matches paths relative to the folder of its rule file.
#[derive(Debug)]
pub(super) struct LinePattern {
    nodes: Vec<Node>,
    /// Whether the pattern has no slash, so that it matches the file name alone, at any depth.
    of_name: bool,
}

#[derive(Debug)]
enum Node {
    Character(char),
    /// One character except the slash.
    One,
    /// Any characters except the slash.
    Star,
    /// Any characters.
    Everything,
    /// Any number of whole folders, each with its slash.
    Folders,
    Class {
        ranges: Vec<(char, char)>,
        negated: bool,
    },
    Either(Vec<Vec<Node>>),
    Number {
        least: i64,
        most: i64,
    },
}

impl LinePattern {
    pub(super) fn compile(text: &str, dialect: Dialect) -> LinePattern {
        if text.len() > MAX_PATTERN_LENGTH || text.is_empty() {
            return LinePattern {
                nodes: vec![Node::Either(Vec::new())],
                of_name: true,
            };
        }
        let rooted = text.strip_prefix('/').unwrap_or(text);
        let characters: Vec<char> = rooted.chars().collect();
        LinePattern {
            nodes: parse(&characters, dialect, 0),
            of_name: !text.contains('/'),
        }
    }

    pub(super) fn matches(&self, path: &str) -> bool {
        let subject = if self.of_name {
            path.rsplit('/').next().unwrap_or(path)
        } else {
            path
        };
        let text: Vec<char> = subject.chars().collect();
        let mut places = vec![false; text.len() + 1];
        places[0] = true;
        match_nodes(&self.nodes, &text, places)[text.len()]
    }
}

fn parse(pattern: &[char], dialect: Dialect, depth: usize) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut at = 0;
    while let Some(&character) = pattern.get(at) {
        let rest = &pattern[at..];
        let (node, taken) = match character {
            '\\' if rest.len() > 1 => (Node::Character(rest[1]), 2),
            '?' => (Node::One, 1),
            '*' => parse_star(rest, dialect, at == 0 || pattern[at - 1] == '/'),
            '[' => parse_class(rest).unwrap_or((Node::Character('['), 1)),
            '{' if dialect == Dialect::EditorConfig && depth < MAX_BRACE_DEPTH => {
                parse_braces(rest, depth).unwrap_or((Node::Character('{'), 1))
            }
            other => (Node::Character(other), 1),
        };
        nodes.push(node);
        at += taken;
    }
    nodes
}

fn parse_star(rest: &[char], dialect: Dialect, starts_component: bool) -> (Node, usize) {
    let stars = rest
        .iter()
        .take_while(|character| **character == '*')
        .count();
    match (dialect, rest.get(stars)) {
        _ if stars == 1 => (Node::Star, 1),
        (Dialect::EditorConfig, _) => (Node::Everything, stars),
        (Dialect::Git, Some('/')) if starts_component => (Node::Folders, stars + 1),
        (Dialect::Git, None) if starts_component => (Node::Everything, stars),
        (Dialect::Git, _) => (Node::Star, stars),
    }
}

fn parse_class(rest: &[char]) -> Option<(Node, usize)> {
    let mut at = 1;
    let negated = matches!(rest.get(at), Some('!' | '^'));
    at += usize::from(negated);
    let first = at;
    let mut ranges = Vec::new();
    loop {
        let mut low = *rest.get(at)?;
        if low == ']' && at > first {
            return Some((Node::Class { ranges, negated }, at + 1));
        }
        if low == '/' {
            return None;
        }
        if low == '\\' {
            at += 1;
            low = *rest.get(at)?;
        }
        at += 1;
        let high = match (rest.get(at), rest.get(at + 1)) {
            (Some('-'), Some(high)) if *high != ']' => {
                at += 2;
                *high
            }
            _ => low,
        };
        ranges.push((low, high));
    }
}

/// Parses `{a,b}` or `{1..9}`; braces around a single word are plain characters.
fn parse_braces(rest: &[char], depth: usize) -> Option<(Node, usize)> {
    let mut open = 0;
    let mut commas = Vec::new();
    let mut at = 0;
    let end = loop {
        match *rest.get(at)? {
            '\\' => at += 1,
            '{' => open += 1,
            '}' if open == 1 => break at,
            '}' => open -= 1,
            ',' if open == 1 => commas.push(at),
            _ => {}
        }
        at += 1;
    };
    if commas.is_empty() {
        let inside: String = rest[1..end].iter().collect();
        let (low, high) = inside.split_once("..")?;
        let (low, high): (i64, i64) = (low.parse().ok()?, high.parse().ok()?);
        return Some((
            Node::Number {
                least: low.min(high),
                most: low.max(high),
            },
            end + 1,
        ));
    }
    let starts = std::iter::once(0).chain(commas.iter().copied());
    let ends = commas.iter().copied().chain([end]);
    let words = starts
        .zip(ends)
        .map(|(start, end)| parse(&rest[start + 1..end], Dialect::EditorConfig, depth + 1));
    Some((Node::Either(words.collect()), end + 1))
}

/// Returns the positions of the text where the nodes can end, from the positions where they may begin.
fn match_nodes(nodes: &[Node], text: &[char], mut places: Vec<bool>) -> Vec<bool> {
    for node in nodes {
        if !places.contains(&true) {
            break;
        }
        places = match node {
            Node::Character(wanted) => {
                match_character(text, &places, |character| character == *wanted)
            }
            Node::One => match_character(text, &places, |character| character != '/'),
            Node::Class { ranges, negated } => match_character(text, &places, |character| {
                character != '/'
                    && ranges
                        .iter()
                        .any(|(low, high)| (*low..=*high).contains(&character))
                        != *negated
            }),
            Node::Star => match_repeated(text, places, |character| character != '/'),
            Node::Everything => match_repeated(text, places, |_| true),
            Node::Folders => {
                let reached = match_repeated(text, places.clone(), |_| true);
                let after_slash = |at: usize| reached[at] && at > 0 && text[at - 1] == '/';
                (0..=text.len())
                    .map(|at| places[at] || after_slash(at))
                    .collect()
            }
            Node::Either(words) => {
                let mut union = vec![false; places.len()];
                for word in words {
                    let ends = match_nodes(word, text, places.clone());
                    union
                        .iter_mut()
                        .zip(ends)
                        .for_each(|(place, end)| *place |= end);
                }
                union
            }
            Node::Number { least, most } => match_number(text, &places, *least, *most),
        };
    }
    places
}

fn match_character(text: &[char], places: &[bool], fits: impl Fn(char) -> bool) -> Vec<bool> {
    let moved = text
        .iter()
        .zip(places)
        .map(|(character, place)| *place && fits(*character));
    std::iter::once(false).chain(moved).collect()
}

fn match_repeated(text: &[char], mut places: Vec<bool>, fits: impl Fn(char) -> bool) -> Vec<bool> {
    for (at, character) in text.iter().enumerate() {
        places[at + 1] |= places[at] && fits(*character);
    }
    places
}

fn match_number(text: &[char], places: &[bool], least: i64, most: i64) -> Vec<bool> {
    let mut ends = vec![false; places.len()];
    for start in (0..text.len()).filter(|start| places[*start]) {
        let mut written = String::new();
        // A 64-bit number has at most 20 digits.
        for (at, character) in text.iter().enumerate().skip(start).take(20) {
            if !(character.is_ascii_digit() || (at == start && *character == '-')) {
                break;
            }
            written.push(*character);
            ends[at + 1] |= written
                .parse()
                .is_ok_and(|value| (least..=most).contains(&value));
        }
    }
    ends
}
