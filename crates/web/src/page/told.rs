//! What the page tells a person once, after a form was carried out: it stands at the top of the next page they see.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::visitor::Visitor;

/// The most devices that have something to be told.
const MOST_DEVICES: usize = 100;
/// The most that waits to be told to one device.
const MOST_TOLD: usize = 20;

/// Whether what was told is good news.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Done,
    Refused,
}

/// One sentence or more for a person.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) tone: Tone,
    pub(super) words: String,
}

impl Told {
    /// Makes a message about something that was not done.
    pub(super) fn refused(words: String) -> Self {
        let tone = Tone::Refused;
        Self { tone, words }
    }

    pub(super) fn is_refusal(&self) -> bool {
        self.tone == Tone::Refused
    }
}

/// What is still to be told, by device.
#[derive(Default)]
pub(super) struct ToldOnce(Mutex<HashMap<blake3::Hash, Vec<Told>>>);

impl ToldOnce {
    /// Tells a device something with the next page it gets.
    pub(super) fn tell(&self, visitor: &Visitor, tone: Tone, words: impl Into<String>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST_DEVICES {
            all.clear();
        }
        let told = all.entry(visitor.device).or_default();
        if told.len() < MOST_TOLD {
            let words = words.into();
            told.push(Told { tone, words });
        }
    }

    /// Takes what is to be told.
    pub(super) fn take(&self, visitor: &Visitor) -> Vec<Told> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.remove(&visitor.device).unwrap_or_default()
    }
}
