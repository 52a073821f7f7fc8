//! Shaders as bytes, for a cache on disk.

use crate::Shader;
use crate::abi::{Form, Series};

impl Shader {
    /// A shader that is a text.
    pub fn of_text(text: &str, form: Form, marks: bool, complete: bool) -> Shader {
        let words = text.as_bytes().chunks(4).map(|c| {
            let mut bytes = [0; 4];
            bytes[..c.len()].copy_from_slice(c);
            u32::from_le_bytes(bytes)
        });
        Shader { words: words.chain([0]).collect(), form, marks, complete }
    }

    /// The text, with zeros behind it.
    pub fn text(&self) -> Vec<u8> {
        self.words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    /// The shader as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let form = &self.form;
        let flags = u32::from(self.marks) | u32::from(self.complete) << 1 | u32::from(form.grouped) << 2;
        let flags = flags | u32::from(form.partial) << 3;
        let Series { least, most, groups } = form.series;
        let axes = [form.sizes.len(), form.tile.len()].map(|n| n as u32);
        let head = [flags, form.invocations, least, most, groups, axes[0], axes[1]];
        let words = head.iter().chain(&form.sizes).chain(&form.tile).chain(&self.words);
        words.flat_map(|w| w.to_le_bytes()).collect()
    }

    /// The shader that these bytes are; nothing if they are none.
    pub fn from_bytes(bytes: &[u8]) -> Option<Shader> {
        let (words, rest) = bytes.as_chunks::<4>();
        let words: Vec<u32> = words.iter().map(|b| u32::from_le_bytes(*b)).collect();
        let (&[flags, invocations, least, most, groups, axes, tiles], others) = words.split_first_chunk()?;
        let (sizes, words) = others.split_at_checked(axes as usize)?;
        let (tile, words) = words.split_at_checked(tiles as usize)?;
        let series = Series { least, most, groups };
        let (sizes, tile) = (sizes.to_vec(), tile.to_vec());
        let form = Form { sizes, grouped: flags & 4 != 0, partial: flags & 8 != 0, invocations, series, tile };
        let whole = rest.is_empty() && !words.is_empty();
        whole.then(|| Shader { words: words.to_vec(), form, marks: flags & 1 != 0, complete: flags & 2 != 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_ends_with_a_zero() {
        for text in ["", ".entry", "12345678"] {
            let form = Form {
                sizes: vec![1],
                grouped: false,
                partial: false,
                invocations: 1,
                series: Series::ONE,
                tile: vec![],
            };
            let bytes = Shader::of_text(text, form, false, true).text();
            assert_eq!(bytes.last(), Some(&0));
            assert_eq!(bytes.strip_prefix(text.as_bytes()).map(|rest| rest.iter().all(|b| *b == 0)), Some(true));
        }
    }

    #[test]
    fn bytes_are_the_shader_again() {
        let series = Series { least: 2, most: 9, groups: 100 };
        let form = Form { sizes: vec![8, 4], grouped: true, partial: true, invocations: 32, series, tile: vec![4, 1] };
        let shader = Shader { words: vec![7, u32::MAX, 1], form, marks: true, complete: false };
        let bytes = shader.to_bytes();
        assert_eq!(Shader::from_bytes(&bytes).as_ref(), Some(&shader));
        assert!((0..bytes.len()).all(|n| Shader::from_bytes(&bytes[..n]).as_ref() != Some(&shader)));
    }
}
