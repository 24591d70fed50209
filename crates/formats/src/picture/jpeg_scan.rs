//! Checks whether the scans of a JPEG are complete. Decoders silently fill in what a scan lacks, while the receiver of
//! the file's own bytes may refuse them. So the Huffman codes of a sequential JPEG are read to the last block here,
//! without computing a pixel.

/// The result of checking the scans of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScanCheck {
    /// Every block is present, and nothing else.
    Whole,
    /// Codes that are not in the tables, surplus bytes, or a kind of JPEG that is not parsed here (progressive,
    /// arithmetic).
    Doubtful,
    /// A scan ends before its last block.
    CutOff,
}

/// Checks the scans of a JPEG.
pub(super) fn check_scans(bytes: &[u8]) -> ScanCheck {
    match ScanReader::new(bytes).read() {
        Ok(()) => ScanCheck::Whole,
        Err(fault) => fault,
    }
}

/// The number of coefficients in a block.
const BLOCK_COEFFICIENTS: usize = 64;

/// The tables, frame header and position in a file.
struct ScanReader<'b> {
    bytes: &'b [u8],
    at: usize,
    /// The Huffman tables by class (DC, AC) and number.
    tables: [[Option<HuffmanTable>; 4]; 2],
    frame: Option<JpegFrame>,
    /// The number of units between two restart markers; 0 if there are none.
    restart_interval: usize,
}

struct JpegFrame {
    width: usize,
    height: usize,
    components: Vec<Component>,
}

struct Component {
    id: u8,
    across: usize,
    down: usize,
    is_scanned: bool,
}

impl<'b> ScanReader<'b> {
    fn new(bytes: &'b [u8]) -> ScanReader<'b> {
        ScanReader {
            bytes,
            at: 2,
            tables: Default::default(),
            frame: None,
            restart_interval: 0,
        }
    }

    /// Reads segment after segment up to the end of the picture.
    fn read(mut self) -> Result<(), ScanCheck> {
        loop {
            let marker = self.read_marker()?;
            if marker == 0xD9 {
                let frame = self.frame.as_ref().ok_or(ScanCheck::Doubtful)?;
                let mut components = frame.components.iter();
                return match components.all(|component| component.is_scanned) {
                    true => Ok(()),
                    false => Err(ScanCheck::CutOff),
                };
            }
            let segment = self.read_segment()?;
            match marker {
                0xC0 | 0xC1 => {
                    self.frame = Some(JpegFrame::parse(segment).ok_or(ScanCheck::Doubtful)?)
                }
                0xC4 => self.define_tables(segment).ok_or(ScanCheck::Doubtful)?,
                0xDD => {
                    let interval = segment.get(..2).ok_or(ScanCheck::Doubtful)?;
                    self.restart_interval =
                        usize::from(u16::from_be_bytes([interval[0], interval[1]]));
                }
                0xDA => self.read_scan(segment)?,
                // Quantisation tables, application segments and comments do not change how many codes there are.
                0xDB | 0xE0..=0xEF | 0xFE => {}
                _ => return Err(ScanCheck::Doubtful),
            }
        }
    }

    /// Reads the marker at the position. Only fill bytes may precede it.
    fn read_marker(&mut self) -> Result<u8, ScanCheck> {
        if self.bytes.get(self.at) != Some(&0xFF) {
            return Err(ScanCheck::Doubtful);
        }
        while self.bytes.get(self.at) == Some(&0xFF) {
            self.at += 1;
        }
        let marker = *self.bytes.get(self.at).ok_or(ScanCheck::CutOff)?;
        self.at += 1;
        Ok(marker)
    }

    /// Reads the content of the segment at the position, which states its length.
    fn read_segment(&mut self) -> Result<&'b [u8], ScanCheck> {
        let rest = &self.bytes[self.at..];
        let length = rest.get(..2).ok_or(ScanCheck::CutOff)?;
        let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
        let segment = rest.get(2..length).ok_or(ScanCheck::Doubtful)?;
        self.at += length;
        Ok(segment)
    }

    fn define_tables(&mut self, mut segment: &[u8]) -> Option<()> {
        while let [head, rest @ ..] = segment {
            let counts = rest.get(..16)?;
            let total: usize = counts.iter().map(|count| usize::from(*count)).sum();
            let values = rest.get(16..16 + total)?;
            let class = self.tables.get_mut(usize::from(head >> 4))?;
            *class.get_mut(usize::from(head & 15))? =
                Some(HuffmanTable::from_counts(counts, values)?);
            segment = &rest[16 + total..];
        }
        Some(())
    }

    /// Reads one scan to its last block.
    fn read_scan(&mut self, header: &[u8]) -> Result<(), ScanCheck> {
        let frame = self.frame.as_mut().ok_or(ScanCheck::Doubtful)?;
        let mut plan = ScanPlan::parse(frame, header, &self.tables).ok_or(ScanCheck::Doubtful)?;
        let mut bits = BitReader::new(self.bytes, self.at);
        for unit in 0..plan.units {
            if self.restart_interval > 0 && unit > 0 && unit % self.restart_interval == 0 {
                bits.skip_restart_marker(unit / self.restart_interval - 1)?;
            }
            for (dc, ac, blocks) in &mut plan.tables {
                for _ in 0..*blocks {
                    read_block(&mut bits, dc, ac)?;
                }
            }
        }
        self.at = bits.scan_end();
        Ok(())
    }
}

impl JpegFrame {
    fn parse(segment: &[u8]) -> Option<JpegFrame> {
        let [8, h1, h0, w1, w0, count, components @ ..] = segment else {
            return None;
        };
        let components: Vec<Component> = components
            .chunks_exact(3)
            .map(|part| Component {
                id: part[0],
                across: usize::from(part[1] >> 4),
                down: usize::from(part[1] & 15),
                is_scanned: false,
            })
            .collect();
        let frame = JpegFrame {
            width: usize::from(u16::from_be_bytes([*w1, *w0])),
            height: usize::from(u16::from_be_bytes([*h1, *h0])),
            components,
        };
        let valid = |component: &Component| {
            (1..=4).contains(&component.across) && (1..=4).contains(&component.down)
        };
        let is_valid = frame.width > 0
            && frame.height > 0
            && frame.components.len() == usize::from(*count)
            && frame.components.iter().all(valid);
        is_valid.then_some(frame)
    }

    fn max_over_components(&self, of: impl Fn(&Component) -> usize) -> usize {
        self.components.iter().map(of).max().unwrap_or(1)
    }
}

/// The number of units of a scan, and the blocks of each unit with their tables, component by component.
struct ScanPlan<'t> {
    units: usize,
    tables: Vec<(&'t HuffmanTable, &'t HuffmanTable, usize)>,
}

impl<'t> ScanPlan<'t> {
    fn parse(
        frame: &mut JpegFrame,
        header: &[u8],
        tables: &'t [[Option<HuffmanTable>; 4]; 2],
    ) -> Option<ScanPlan<'t>> {
        let [count, selectors @ ..] = header else {
            return None;
        };
        let selectors = selectors.get(..2 * usize::from(*count))?;
        let (most_across, most_down) = (
            frame.max_over_components(|part| part.across),
            frame.max_over_components(|part| part.down),
        );
        let is_alone = *count == 1;
        let mut plan = ScanPlan {
            units: frame.width.div_ceil(8 * most_across) * frame.height.div_ceil(8 * most_down),
            tables: Vec::new(),
        };
        for selector in selectors.chunks_exact(2) {
            let (width, height) = (frame.width, frame.height);
            let mut components = frame.components.iter_mut();
            let component = components.find(|part| part.id == selector[0])?;
            // A sequential JPEG does not scan a component twice.
            if std::mem::replace(&mut component.is_scanned, true) {
                return None;
            }
            let table = |class: usize, number: u8| tables[class].get(usize::from(number))?.as_ref();
            let (dc, ac) = (table(0, selector[1] >> 4)?, table(1, selector[1] & 15)?);
            let blocks = match is_alone {
                true => {
                    let across = (width * component.across).div_ceil(most_across).div_ceil(8);
                    let down = (height * component.down).div_ceil(most_down).div_ceil(8);
                    plan.units = across * down;
                    1
                }
                false => component.across * component.down,
            };
            plan.tables.push((dc, ac, blocks));
        }
        (!plan.tables.is_empty()).then_some(plan)
    }
}

/// Reads the codes of one block.
fn read_block(
    bits: &mut BitReader<'_>,
    dc: &HuffmanTable,
    ac: &HuffmanTable,
) -> Result<(), ScanCheck> {
    let length = dc.read(bits)?;
    if length > 11 {
        return Err(ScanCheck::Doubtful);
    }
    bits.take_bits(u32::from(length))?;
    let mut at = 1;
    while at < BLOCK_COEFFICIENTS {
        let code = ac.read(bits)?;
        let (zeros, length) = (usize::from(code >> 4), u32::from(code & 15));
        match (zeros, length) {
            (15, 0) => at += 16,
            // The rest of the block is zeros.
            (_, 0) => return Ok(()),
            _ => {
                at += zeros + 1;
                bits.take_bits(length)?;
            }
        }
        if at > BLOCK_COEFFICIENTS {
            return Err(ScanCheck::Doubtful);
        }
    }
    Ok(())
}

/// A Huffman table: for each length of a code its first code, the code after its last, and where its values are.
struct HuffmanTable {
    lengths: [(u32, u32, usize); 16],
    values: Vec<u8>,
}

impl HuffmanTable {
    fn from_counts(counts: &[u8], values: &[u8]) -> Option<HuffmanTable> {
        let mut lengths = [(0, 0, 0); 16];
        let (mut code, mut at) = (0_u32, 0);
        for (length, count) in lengths.iter_mut().zip(counts) {
            *length = (code, code + u32::from(*count), at);
            at += usize::from(*count);
            code = (code + u32::from(*count)) << 1;
        }
        // More codes than the bits can distinguish.
        let fits = |(length, (_, end, _)): (usize, &(u32, u32, usize))| *end <= 2 << length;
        lengths.iter().enumerate().all(fits).then(|| HuffmanTable {
            lengths,
            values: values.to_vec(),
        })
    }

    fn read(&self, bits: &mut BitReader<'_>) -> Result<u8, ScanCheck> {
        let mut code = 0;
        for (first, end, at) in self.lengths {
            code = code << 1 | bits.take_bits(1)?;
            if code < end && code >= first {
                return Ok(self.values[at + (code - first) as usize]);
            }
        }
        Err(ScanCheck::Doubtful)
    }
}

/// The bits of a scan up to the next marker.
struct BitReader<'b> {
    bytes: &'b [u8],
    at: usize,
    held: u32,
    count: u32,
}

impl<'b> BitReader<'b> {
    fn new(bytes: &'b [u8], at: usize) -> BitReader<'b> {
        BitReader {
            bytes,
            at,
            held: 0,
            count: 0,
        }
    }

    /// Reads the next bits, at most 15.
    fn take_bits(&mut self, wanted: u32) -> Result<u32, ScanCheck> {
        while self.count < wanted {
            let byte = *self.bytes.get(self.at).ok_or(ScanCheck::CutOff)?;
            self.at += 1;
            if byte == 0xFF {
                match self.bytes.get(self.at) {
                    Some(0) => self.at += 1,
                    _ => return Err(ScanCheck::CutOff),
                }
            }
            self.held = self.held << 8 | u32::from(byte);
            self.count += 8;
        }
        self.count -= wanted;
        Ok(self.held >> self.count & ((1 << wanted) - 1))
    }

    /// Skips the restart marker of this number, counted from 0.
    fn skip_restart_marker(&mut self, number: usize) -> Result<(), ScanCheck> {
        self.count = 0;
        let marker = [0xFF, 0xD0 + (number % 8) as u8];
        if self.bytes.get(self.at..self.at + 2) != Some(&marker) {
            return Err(ScanCheck::Doubtful);
        }
        self.at += 2;
        Ok(())
    }

    /// Returns the end of the scan. The rest of its last byte is padding.
    fn scan_end(&self) -> usize {
        self.at
    }
}
