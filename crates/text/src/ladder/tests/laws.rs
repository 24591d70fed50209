//! What holds whatever the texts are.
