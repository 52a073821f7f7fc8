//! Rough functions of a special function unit: some 15 significant bits where floats are truncated, the rounded right value elsewhere. For
//! a target without them `legalize` takes the exact functions.

macro_rules! approx_rows {
    ([$next:ident $($rest:ident)*] $($before:tt)*) => {
        $next! { [$($rest)*] $($before)*
Approx {
    RecipApprox "recip.approx" Some(1), Float, Pure, Both, "about 1 / a, as the special function unit gives it"
        = real |a, _b| 1.0 / a, zero |a, _b| toward_zero::rough(|x| 1.0 / x, a);
    RsqrtApprox "rsqrt.approx" Some(1), Float, Pure, Both, "about 1 / sqrt(|a|), as the special function unit gives it"
        = real |a, _b| 1.0 / libm::sqrt(a.abs()), zero |a, _b| toward_zero::rough(|x| 1.0 / libm::sqrt(x.abs()), a);
    Exp2Approx "exp2.approx" Some(1), Float, Pure, Both, "about 2 to the a, as the special function unit gives it"
        = real |a, _b| libm::exp2(a), single |a, _b| exponential::exp2(a),
        zero |a, _b| toward_zero::rough(libm::exp2, a);
    Log2Approx "log2.approx" Some(1), Float, Pure, Both, "about log2(|a|), as the special function unit gives it"
        = real |a, _b| libm::log2(a.abs()), zero |a, _b| toward_zero::rough_log2(a);
}
        }
    };
}
pub(crate) use approx_rows;
