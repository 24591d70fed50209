//! The size of a page.

use hayro::hayro_syntax::page::Page;

/// Returns the size of a page in points, upright; none if it is not a number.
pub(crate) fn page_size_in_points(page: &Page<'_>) -> Option<(f64, f64)> {
    let (width, height) = page.render_dimensions();
    let is_size = |side: f32| side.is_finite() && side > 0.0;
    (is_size(width) && is_size(height)).then(|| (f64::from(width), f64::from(height)))
}
