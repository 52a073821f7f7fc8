//! Shaders as bytes, for a cache on disk.

use crate::Shader;
use crate::abi::Form;

impl Shader {
    /// The shader as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let form = &self.form;
        let flags = u32::from(self.marks) | u32::from(self.complete) << 1 | u32::from(form.grouped) << 2;
        let head = [flags, form.invocations, form.sizes.len() as u32];
        let words = head.iter().chain(&form.sizes).chain(&self.words);
        words.flat_map(|w| w.to_le_bytes()).collect()
    }

    /// The shader that these bytes are; nothing if they are none.
    pub fn from_bytes(bytes: &[u8]) -> Option<Shader> {
        let (words, rest) = bytes.as_chunks::<4>();
        let words: Vec<u32> = words.iter().map(|b| u32::from_le_bytes(*b)).collect();
        let (&[flags, invocations, axes], others) = words.split_first_chunk()?;
        let (sizes, words) = others.split_at_checked(axes as usize)?;
        let form = Form { sizes: sizes.to_vec(), grouped: flags & 4 != 0, invocations };
        let whole = rest.is_empty() && !words.is_empty();
        whole.then(|| Shader { words: words.to_vec(), form, marks: flags & 1 != 0, complete: flags & 2 != 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_the_shader_again() {
        let form = Form { sizes: vec![8, 4], grouped: true, invocations: 32 };
        let shader = Shader { words: vec![7, u32::MAX, 1], form, marks: true, complete: false };
        let bytes = shader.to_bytes();
        assert_eq!(Shader::from_bytes(&bytes).as_ref(), Some(&shader));
        assert!((0..bytes.len()).all(|n| Shader::from_bytes(&bytes[..n]).as_ref() != Some(&shader)));
    }
}
