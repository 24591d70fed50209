//! Characters, pure: encodings, line ends, finding, splicing, nearest text, diff.
