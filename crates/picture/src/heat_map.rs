//! Heat maps: a field for each pair of two values, with a shade or a color of a legend.

use crate::drawing::{Anchor, BLACK, Drawing, HEADING, TEXT, color, shade};

/// Width and height of a field, and the room left of the fields, above and below them, in pixels.
const FIELD: (i32, i32) = (90, 36);
const LEFT: i32 = 150;
const TOP: i32 = 44;
const FOOT: i32 = 56;
/// Height of a line of the legend.
const LINE: i32 = 20;
/// A letter is at most this wide, in pixels.
const LETTER: usize = 9;

/// A heat map.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    /// Text above it.
    pub title: String,
    /// Text below it.
    pub below: String,
    /// Names of the columns, from left to right.
    pub columns: Vec<String>,
    /// Names of the rows, from top to bottom.
    pub rows: Vec<String>,
    /// Names of the colors, in the order of [`Paint::Color`]; none where fields have shades.
    pub legend: Vec<String>,
    /// The fields. A place without one stays white.
    pub fields: Vec<Field>,
}

/// A field of a heat map.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its column.
    pub column: usize,
    /// Its row.
    pub row: usize,
    /// Its paint.
    pub paint: Paint,
    /// Text in it.
    pub text: String,
    /// Text that is shown while the pointer is on it.
    pub title: String,
}

/// Paint of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Paint {
    /// From the light end of the scale (0) to its dark end (1).
    Shade(f64),
    /// The color of this line of the legend.
    Color(usize),
}

impl HeatMap {
    /// Draws it.
    pub fn draw(&self) -> Drawing {
        let across = self.columns.len() as i32 * FIELD.0;
        let down = (self.rows.len() as i32 * FIELD.1).max(self.legend.len() as i32 * LINE);
        let longest = self.legend.iter().map(String::len).max().map_or(0, |letters| LETTER * letters + 46);
        let title = (LETTER * self.title.len()) as i32;
        let width = (LEFT + across).max(title) + longest as i32 + 20;
        let mut drawing = Drawing::new(width, TOP + down + FOOT);
        drawing.text((8, 14), Anchor::Right, (HEADING, BLACK), &self.title);
        for (row, name) in (0..).zip(&self.rows) {
            let y = TOP + row * FIELD.1 + FIELD.1 / 2;
            drawing.text((LEFT - 8, y), Anchor::Left, (TEXT, BLACK), name);
        }
        let bottom = TOP + self.rows.len() as i32 * FIELD.1;
        for (column, name) in (0..).zip(&self.columns) {
            let x = LEFT + column * FIELD.0 + FIELD.0 / 2;
            drawing.text((x, bottom + 6), Anchor::Below, (TEXT, BLACK), name);
        }
        drawing.text((LEFT + across / 2, bottom + 28), Anchor::Below, (TEXT, BLACK), &self.below);
        self.fields.iter().for_each(|field| field.draw(&mut drawing));
        for (place, name) in self.legend.iter().enumerate() {
            let (x, y) = (LEFT + across + 16, TOP + LINE * place as i32);
            drawing.rectangle((x, y), (14, 14), color(place));
            drawing.text((x + 20, y + 2), Anchor::Right, (TEXT, BLACK), name);
        }
        drawing
    }
}

impl Field {
    fn draw(&self, drawing: &mut Drawing) {
        let (x, y) = (LEFT + self.column as i32 * FIELD.0, TOP + self.row as i32 * FIELD.1);
        let (fill, ink) = match self.paint {
            // Dark stands for much, with and without colors.
            Paint::Shade(part) => (shade(part), if part > 0.5 { "#FFFFFF" } else { BLACK }),
            Paint::Color(place) => (color(place).to_owned(), BLACK),
        };
        drawing.group(&self.title, |drawing| {
            drawing.rectangle((x, y), (FIELD.0 - 1, FIELD.1 - 1), &fill);
            drawing.text((x + FIELD.0 / 2, y + FIELD.1 / 2), Anchor::Middle, (TEXT, ink), &self.text);
        });
    }
}
