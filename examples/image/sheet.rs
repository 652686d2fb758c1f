//! The contact sheet: small pictures side by side, with its step below each.

use crate::apply::small;
use crate::picture::{Picture, Samples};
use crate::program::Stop;
use fulmen::backend::Cpu;

/// Columns and rows of the largest small picture.
const CELL: usize = 160;
/// Pixels between pictures.
const GAP: usize = 12;
/// Pixels of a pixel of a letter.
const SCALE: usize = 2;
/// The most pictures of a row.
const ACROSS: usize = 4;
/// The most lines of a text.
const LINES: usize = 2;
const PAPER: u8 = 244;
const INK: u8 = 32;

/// The letters from ` ` to `z` without capitals, which are drawn as small ones, three by five pixels: an octal digit for each row.
const LETTERS: [(char, u16); 46] = [
    (' ', 0),
    ('a', 0o25755),
    ('b', 0o65656),
    ('c', 0o34443),
    ('d', 0o65556),
    ('e', 0o74647),
    ('f', 0o74644),
    ('g', 0o34553),
    ('h', 0o55755),
    ('i', 0o72227),
    ('j', 0o11152),
    ('k', 0o55655),
    ('l', 0o44447),
    ('m', 0o57755),
    ('n', 0o65555),
    ('o', 0o25552),
    ('p', 0o65644),
    ('q', 0o25563),
    ('r', 0o65655),
    ('s', 0o34216),
    ('t', 0o72222),
    ('u', 0o55557),
    ('v', 0o55552),
    ('w', 0o55775),
    ('x', 0o55255),
    ('y', 0o55222),
    ('z', 0o71247),
    ('0', 0o75557),
    ('1', 0o26227),
    ('2', 0o61247),
    ('3', 0o61216),
    ('4', 0o55711),
    ('5', 0o74616),
    ('6', 0o34757),
    ('7', 0o71222),
    ('8', 0o75757),
    ('9', 0o75716),
    ('-', 0o00700),
    ('+', 0o02720),
    ('.', 0o00002),
    (',', 0o00024),
    (':', 0o02020),
    ('/', 0o11244),
    ('_', 0o00007),
    ('=', 0o07070),
    ('#', 0o57575),
];

/// Small pictures with their texts, as they come.
#[derive(Default)]
pub struct Sheet(Vec<(Picture, String)>);

impl Sheet {
    pub fn add(&mut self, p: &Picture, text: &str) -> Result<(), Stop> {
        self.0.push((small(&Cpu::native(), p, CELL)?, text.into()));
        Ok(())
    }

    /// All of them on one picture.
    pub fn drawn(&self) -> Result<Picture, Stop> {
        let rows = self.0.len().div_ceil(ACROSS).max(1);
        let across = self.0.len().div_ceil(rows).max(1);
        let tallest = self.0.iter().map(|(p, _)| p.height).max().unwrap_or(0);
        let step = [CELL + GAP, tallest + LINES * 6 * SCALE + 2 * GAP];
        let [width, height] = [GAP + across * step[0], GAP + rows * step[1]];
        let mut data = crate::picture::zeros(crate::picture::product(&[width, height, 3])?)?;
        data.fill(PAPER);
        for (i, (p, text)) in self.0.iter().enumerate() {
            let [x, y] = [GAP + i % across * step[0], GAP + i / across * step[1]];
            let Samples::Bytes(pixels) = &p.samples else { continue };
            for (row, line) in pixels.chunks_exact(p.width * p.channels).enumerate() {
                let at = ((y + row) * width + x) * 3;
                for (to, pixel) in data[at..].chunks_exact_mut(3).zip(line.chunks_exact(p.channels)) {
                    to.copy_from_slice(&if p.channels == 3 {
                        [pixel[0], pixel[1], pixel[2]]
                    } else {
                        [pixel[0]; 3]
                    });
                }
            }
            write(&mut data, width, [x, y + tallest + GAP / 2], text);
        }
        Ok(Picture::new([width, height], 3, data))
    }
}

/// Writes a text below a picture, as far as there is room.
fn write(data: &mut [u8], width: usize, [x, y]: [usize; 2], text: &str) {
    const LETTERS_OF_LINE: usize = CELL / (4 * SCALE);
    for (i, letter) in text.chars().take(LINES * LETTERS_OF_LINE).enumerate() {
        let known = LETTERS.iter().find(|(c, _)| *c == letter.to_ascii_lowercase());
        // A letter that is not there is a full box.
        let rows = known.map_or(0o77777, |(_, rows)| *rows);
        let [x, y] = [x + i % LETTERS_OF_LINE * 4 * SCALE, y + i / LETTERS_OF_LINE * 6 * SCALE];
        for pixel in (0..15).filter(|pixel| rows >> (14 - pixel) & 1 == 1) {
            let [left, top] = [x + pixel % 3 * SCALE, y + pixel / 3 * SCALE];
            for row in top..top + SCALE {
                let at = (row * width + left) * 3;
                data[at..at + 3 * SCALE].fill(INK);
            }
        }
    }
}
