//! Products of parts of words, for targets whose multiplier is narrower than a word. For the others `legalize` takes the bits apart.

macro_rules! narrow_rows {
    ([$next:ident $($rest:ident)*] $($before:tt)*) => {
        $next! { [$($rest)*] $($before)*
Narrow {
    Mul24 "mul24" Some(2), Int, Pure, Both, "(a mod 2^24) * (b mod 2^24), both taken as unsigned, low 32 bits"
        = int |a, b| (((a & 0xff_ffff) as u64 * (b & 0xff_ffff) as u64) & 0xffff_ffff) as U;
}
        }
    };
}
pub(crate) use narrow_rows;
