//! A page as a picture, rendered in the size in which it is sent.

use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_syntax::page::Page;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings, render};
use lancet_formats::picture::{self, Picture, PictureSize, VisionBudget};

use crate::page_size::page_size_in_points;

/// The resolution in pixels per inch of a page that is small enough to be sent at it.
const PIXELS_PER_INCH: f64 = 200.0;

/// The number of points per inch.
const POINTS_PER_INCH: f64 = 72.0;

/// The longest side in pixels before the page is scaled down.
const MAX_RENDERED_SIDE: f64 = 20_000.0;

/// Renders a page; returns none if the page has no size, or cannot be encoded.
pub(crate) fn render_page<'a>(
    page: &'a Page<'a>,
    cache: &RenderCache<'a>,
    settings: &InterpreterSettings,
    budget: VisionBudget,
) -> Option<Picture> {
    let (width, height) = page_size_in_points(page)?;
    let size = budget.fit_size(PictureSize {
        width: pixels_from_points(width),
        height: pixels_from_points(height),
    });
    // A hundredth of a pixel more, because the renderer truncates.
    let scale = |pixels: u32, points: f64| ((f64::from(pixels) + 0.01) / points) as f32;
    let pixmap = render(
        page,
        cache,
        settings,
        // Glyphs are drawn with the font's outlines at their exact positions, not aligned to whole pixels.
        &RenderSettings {
            hinting: false,
            glyph_caching: false,
            ..RenderSettings::default()
        },
        &PixmapSettings {
            x_scale: scale(size.width, width),
            y_scale: scale(size.height, height),
            bg_color: WHITE,
        },
    );
    let drawn = PictureSize {
        width: u32::from(pixmap.width()),
        height: u32::from(pixmap.height()),
    };
    // The background is opaque, so the fourth byte of a pixel says nothing.
    let pixels = pixmap
        .data_as_u8_slice()
        .chunks_exact(4)
        .flat_map(|pixel| [pixel[0], pixel[1], pixel[2]])
        .collect();
    picture::encode_pixels(drawn, pixels, budget).ok()
}

/// Converts a length in points to pixels.
fn pixels_from_points(points: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number is between 1 and 20,000"
    )]
    let pixels = (points * PIXELS_PER_INCH / POINTS_PER_INCH)
        .round()
        .clamp(1.0, MAX_RENDERED_SIDE) as u32;
    pixels
}
