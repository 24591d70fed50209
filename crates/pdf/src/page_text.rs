//! The text of a page. A page has no words and no lines, only glyphs at positions, so words and lines are assembled
//! from the distances between glyphs, in the order in which the page draws them.

mod line;
mod lines;
mod reading_order;

use hayro::hayro_interpret::font::{Glyph, GlyphRun};
use hayro::hayro_interpret::hayro_cmap::{BfString, WritingMode};
use hayro::hayro_interpret::hayro_syntax::page::Page;
use hayro::hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps,
    InterpreterCache, InterpreterSettings, SoftMask, TransformExt as _, interpret_page,
};
use hayro::kurbo::{Affine, BezPath, Point, Rect};

use self::lines::{PlacedLines, PlacedText};
use crate::page_size::page_size_in_points;

/// Glyph widths are stated in this many units per em.
const UNITS_PER_EM: f64 = 1_000.0;

/// The width that is assumed for a glyph that states none.
const DEFAULT_GLYPH_WIDTH: f64 = 500.0;

/// The maximum number of glyphs that are read per page. A dense page of a newspaper has forty thousand.
const MAX_GLYPHS: usize = 500_000;

/// The fraction of a page that pictures must cover to count as a large picture.
const LARGE_PICTURE_FRACTION: f64 = 0.25;

/// The readable content of a page.
#[derive(Debug, Default)]
pub(crate) struct TextLayer {
    /// The text, line by line.
    pub(crate) text: String,
    /// The number of glyphs whose characters are known.
    known: usize,
    /// The number of glyphs whose characters are not known.
    unknown: usize,
    /// The fraction of the page that pictures cover; more than 1 if they overlap.
    pictured: f64,
    /// Whether lines or areas are drawn.
    is_drawn_on: bool,
}

impl TextLayer {
    /// Returns whether the text represents the page: nine of ten glyphs have known characters, and there is no large
    /// picture. An empty page counts as empty text.
    pub(crate) fn is_enough(&self) -> bool {
        if self.known + self.unknown == 0 {
            return self.pictured == 0.0 && !self.is_drawn_on;
        }
        self.unknown * 9 <= self.known && self.pictured < LARGE_PICTURE_FRACTION
    }
}

/// Reads the text of a page.
pub(crate) fn text_layer<'a>(
    page: &Page<'a>,
    cache: &InterpreterCache<'a>,
    settings: &InterpreterSettings,
) -> TextLayer {
    let Some((width, height)) = page_size_in_points(page) else {
        return TextLayer::default();
    };
    let area = Rect::new(0.0, 0.0, width, height);
    let mut context = Context::new(
        page.initial_transform(true).to_kurbo(),
        area,
        cache,
        page.xref(),
        settings.clone(),
    );
    let mut device = TextDevice {
        area,
        layer: TextLayer::default(),
        lines: PlacedLines::default(),
    };
    interpret_page(page, &mut context, &mut device);
    let TextDevice { layer, lines, .. } = device;
    let is_cut = layer.known + layer.unknown >= MAX_GLYPHS;
    let mut text = lines.finish();
    if is_cut {
        text.push_str("\n[the page has more text than is read]");
    }
    TextLayer { text, ..layer }
}

/// Collects the glyphs of a page, and records what else is on it.
struct TextDevice {
    area: Rect,
    layer: TextLayer,
    lines: PlacedLines,
}

impl TextDevice {
    fn add_glyph(&mut self, glyph: &Glyph<'_>, transform: Affine, mode: WritingMode) {
        if self.layer.known + self.layer.unknown >= MAX_GLYPHS {
            return;
        }
        let text = match glyph.as_unicode() {
            Some(BfString::Char(one)) => String::from(one),
            Some(BfString::String(several)) => several,
            None => String::new(),
        };
        let text: String = text.chars().flat_map(expand_ligature).collect();
        if text.is_empty() {
            self.layer.unknown += 1;
            return;
        }
        self.layer.known += 1;
        let width = match glyph {
            Glyph::Outline(outline) => outline.advance_width(),
            Glyph::Type3(drawn) => drawn.advance_width(),
        };
        let end = match mode {
            WritingMode::Horizontal => {
                Point::new(width.map_or(DEFAULT_GLYPH_WIDTH, f64::from), 0.0)
            }
            WritingMode::Vertical => Point::new(0.0, -UNITS_PER_EM),
        };
        let start = transform * Point::ORIGIN;
        self.lines.push(&PlacedText {
            text: &text,
            start,
            end: transform * end,
            along: transform * (end.to_vec2() / end.to_vec2().hypot().max(1.0)).to_point() - start,
            size: (transform * Point::new(0.0, UNITS_PER_EM) - start).hypot(),
        });
    }
}

/// Expands a character for output: ligatures become their letters, control characters are removed.
fn expand_ligature(character: char) -> impl Iterator<Item = char> {
    let text = match character {
        '\u{FB00}' => "ff",
        '\u{FB01}' => "fi",
        '\u{FB02}' => "fl",
        '\u{FB03}' => "ffi",
        '\u{FB04}' => "ffl",
        '\u{FB05}' | '\u{FB06}' => "st",
        _ => "",
    };
    let alone = (text.is_empty() && character != '\u{FFFD}').then_some(match character {
        // A soft hyphen is visible, since it is at the end of a line.
        '\u{AD}' => '-',
        white if white.is_whitespace() => ' ',
        other => other,
    });
    text.chars()
        .chain(alone.filter(|character| !character.is_control()))
}

impl<'a> Device<'a> for TextDevice {
    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {
        self.layer.is_drawn_on = true;
    }

    fn push_clip_path(&mut self, _: &ClipPath) {}

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        for glyph in run.glyphs() {
            let transform = props.transform * glyph.transform();
            self.add_glyph(glyph, transform, run.writing_mode());
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        let pixels = Rect::new(
            0.0,
            0.0,
            f64::from(image.width()),
            f64::from(image.height()),
        );
        let covered = props.transform.transform_rect_bbox(pixels);
        let shown = covered.intersect(self.area).area();
        self.layer.pictured += shown / self.area.area().max(1.0);
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}
