//! How large a picture may be for a model: models cut pictures into patches and shrink those that have too many.

use super::model::PictureSize;

/// The longest side that is ever sent. Some APIs refuse more than 2,000 px if a conversation has many pictures.
const MAX_SIDE: u32 = 1_996;

/// The limits within which a model sees a picture at full resolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisionBudget {
    /// The longest side in pixels.
    pub longest: u32,
    /// The side of a patch in pixels.
    pub patch: u32,
    /// The maximum number of patches.
    pub patches: u32,
}

impl VisionBudget {
    /// Within the limits of every model with vision.
    pub const DEFAULT: Self = Self {
        longest: 1_568,
        patch: 28,
        patches: 1_568,
    };

    /// The newer models of Claude, which have a higher resolution.
    pub const CLAUDE_LARGE: Self = Self {
        longest: MAX_SIDE,
        patch: 28,
        patches: 4_784,
    };

    /// The models of OpenAI that count patches.
    pub const OPENAI: Self = Self {
        longest: MAX_SIDE,
        patch: 32,
        patches: 1_536,
    };

    /// The models of Gemini, which count tiles.
    pub const GEMINI: Self = Self {
        longest: 1_536,
        patch: 768,
        patches: 4,
    };

    /// Returns the largest size of the same proportions that is within the budget and not larger than the picture.
    #[must_use]
    pub fn fit_size(self, size: PictureSize) -> PictureSize {
        let longest = f64::from(size.longer_side().max(1));
        let mut factor = (f64::from(self.longest.min(MAX_SIDE)) / longest).min(1.0);
        let mut fitted = scale_size(size, factor);
        let has_room = |fitted: PictureSize| {
            let count = |side: u32| u64::from(side.div_ceil(self.patch));
            count(fitted.width) * count(fitted.height) <= u64::from(self.patches)
        };
        // Each step shrinks by two per cent: at most two hundred steps from the largest picture to a single patch.
        for _ in 0..400 {
            if has_room(fitted) {
                break;
            }
            factor *= 0.98;
            fitted = scale_size(size, factor);
        }
        fitted
    }
}

/// Returns the size times a factor, at least one pixel in each direction.
pub(super) fn scale_size(size: PictureSize, factor: f64) -> PictureSize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the product of a u32 and a number between 0 and 1 is a u32"
    )]
    let side = |side: u32| ((f64::from(side) * factor).round() as u32).max(1);
    PictureSize {
        width: side(size.width),
        height: side(size.height),
    }
}
