//! Bytes and halves of words, unpacked where they are read.

mod common;

use common::{How, agrees_in_every_way, legal};
use quadra_kir as kir;

/// What an iteration makes of the word `%w`, in `%o`; `%k` is what the last one made.
fn kernel(body: &str) -> kir::Kernel {
    let text = format!(
        "kernel @parts(%p: buf<i32, r>, %q: buf<i32, w>, %n: i32) simt group=16 {{
           var $k: i32
           %l = lane
           for %i in 0..%n {{
             %k = get $k
             %a = shl %i, 4
             %at = add %a, %l
             %v = load %p[%at]
             %w = add %v, %i
             {body}
             set $k, %o
             store %q[%at], %o
           }}
         }}"
    );
    legal(&text).1
}

/// Every way to compile it agrees with the interpreter; gives the listing of the best.
fn agrees(body: &str) -> String {
    agrees_in_every_way(&kernel(body))
}

fn count(listing: &str, what: &str) -> usize {
    listing.matches(what).count()
}

#[test]
fn bytes_and_halves_are_read_in_place() {
    let parts = [
        ("%b = and %w, 255", ".8a"),
        ("%s = shr %w, 8 %b = and %s, 255", ".8b"),
        ("%s = asr %w, 8 %b = and 255, %s", ".8b"),
        ("%s = shr %w, 16 %b = and %s, 255", ".8c"),
        ("%b = shr %w, 24", ".8d"),
        ("%s = shl %w, 16 %b = asr %s, 16", ".16a"),
        ("%b = asr %w, 16", ".16b"),
    ];
    for (part, suffix) in parts {
        // The word is needed as it is, too.
        let code = agrees(&format!("{part} %c = add %b, %k %d = sub %b, 3 %e = xor %c, %d %o = max %e, %w"));
        assert!(count(&code, suffix) >= 2, "{part}\n{code}");
        agrees(&format!("{part} %c = to.f32 %b %d = mul %c, 1.5 %e = to.i32 %d %o = sub %e, %k"));
        agrees(&format!("{part} %c = cmp.gt %b, %k %o = select %c, %b, %w"));
    }
}

#[test]
fn two_parts_of_one_operation_are_not_both_unpacked() {
    agrees("%b = and %w, 255 %s = shr %w, 8 %c = and %s, 255 %d = mul24 %b, %c %o = add %d, %b");
    agrees("%b = and %w, 255 %c = add %b, %w %d = add %b, %b %o = xor %c, %d");
    agrees("%b = and %w, 255 %c = add %b, %l %s = shr %l, 8 %d = and %s, 255 %o = add %c, %d");
}

#[test]
fn a_word_that_changes_or_rotates_keeps_its_parts() {
    agrees("%s = shr %k, 8 %b = and %s, 255 %c = add %b, %w %o = add %c, %k");
    agrees("%r = rotate %w, 3 %b = and %r, 255 %c = and %w, 255 %d = sub %b, %c %o = add %d, %k");
    agrees("%b = asr %w, 16 %s = shl %w, 16 %c = asr %s, 16 %d = mul24 %b, %c %e = and %d, 255 %o = xor %e, %k");
}

#[test]
fn many_words_have_parts() {
    let mut body = String::from("%x0 = add %w, %k ");
    for i in 0..40 {
        body += &format!("%x{} = add %x{i}, {} ", i + 1, 0x0123_4567 + i);
    }
    body += "%y0 = and %x0, 255 ";
    for i in 0..40 {
        let part = [
            format!("%p{i} = and %x{i}, 255"),
            format!("%s{i} = shr %x{i}, 8 %p{i} = and %s{i}, 255"),
            format!("%p{i} = asr %x{i}, 16"),
        ];
        body += &format!("{} %y{} = add %y{i}, %p{i} ", part[i % 3], i + 1);
    }
    agrees(&(body + "%o = sub %y40, %x40"));
}

#[test]
fn words_in_file_a_find_a_place_among_few_registers() {
    let kernel = common::parse(include_str!("kernels/few_registers.kir"));
    for level in [0, 1, 2] {
        for qpus in [None, Some(2)] {
            common::compile(&kernel, How { level, qpus, registers: 6, ..How::default() });
        }
    }
}

/// What is rotated lies in accumulators, and only file A unpacks: the part is copied first.
#[test]
fn parts_are_factors_of_rotated_products() {
    for part in ["%s = shl %w, 16 %b = asr %s, 16", "%s = shr %w, 8 %b = and %s, 255", "%b = asr %w, 16"] {
        for by in ["%n", "3", "%i"] {
            agrees(&format!("{part} %c = mul24 %b, %k %o = rotate %c, {by}"));
            agrees(&format!("{part} %x = shr %w, 24 %d = sub %b, %x %c = max %d, 0 %o = rotate %c, {by}"));
            agrees(&format!("{part} %c = mul24 %k, %b %r = rotate %c, {by} %o = xor %r, %w"));
        }
    }
}
