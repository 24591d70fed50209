//! Where the old text of an edit may be: on whole lines, inside some regions of the view, at its end, or at one place.

use std::ops::Range;

/// The allowed places. A place consists of whole lines; its last line may be without its newline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The starts of regions in order, each with the largest end of the regions up to it; `None` for the whole view.
    regions: Option<Vec<(usize, usize)>>,
    ending: PlaceEnding,
    /// The start of the only allowed place.
    start: Option<usize>,
}

/// Where a place may end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum PlaceEnding {
    #[default]
    Anywhere,
    /// The place may end only where the view ends.
    AtEnd,
}

impl Bounds {
    /// Creates bounds that allow a match anywhere, as long as it covers whole lines.
    pub fn whole_lines() -> Bounds {
        Bounds::default()
    }

    /// Restricts places to one of these regions, which may overlap.
    #[must_use]
    pub fn within_regions(mut self, mut regions: Vec<Range<usize>>) -> Bounds {
        regions.sort_by_key(|region| region.start);
        let mut largest = 0;
        let regions = regions.into_iter().map(|region| {
            largest = region.end.max(largest);
            (region.start, largest)
        });
        self.regions = Some(regions.collect());
        self
    }

    /// Restricts places to the last lines of the view.
    #[must_use]
    pub fn restricted_to_end(mut self) -> Bounds {
        self.ending = PlaceEnding::AtEnd;
        self
    }

    /// Restricts places to the one that starts here.
    #[must_use]
    pub fn restricted_to_start(mut self, start: usize) -> Bounds {
        self.start = Some(start);
        self
    }

    /// Returns whether a place is allowed.
    pub(crate) fn allow(&self, view: &str, place: &Range<usize>) -> bool {
        let bytes = view.as_bytes();
        let begins_line = place.start == 0 || bytes[place.start - 1] == b'\n';
        let ends_line = place.end == view.len()
            || bytes[place.end] == b'\n'
            || (place.end > place.start && bytes[place.end - 1] == b'\n');
        begins_line
            && ends_line
            && (self.ending == PlaceEnding::Anywhere || place.end == view.len())
            && self.start.is_none_or(|start| start == place.start)
            && self.is_in_region(place)
    }

    fn is_in_region(&self, place: &Range<usize>) -> bool {
        let Some(regions) = &self.regions else {
            return true;
        };
        let begun = regions.partition_point(|(start, _)| *start <= place.start);
        // If any region that begins before the place contains it, the one that reaches furthest does.
        begun > 0 && regions[begun - 1].1 >= place.end
    }
}
