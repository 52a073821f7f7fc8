//! Sums and differences of bytes that saturate are one operation; where the operands may be more than bytes, they are not.

mod common;

use common::{agrees_in_every_way, legal};

/// Every way to compile a loop over the words `%w` agrees with the interpreter; gives the listing of the best. `%a` and `%b` are
/// bytes of the word, `%k` is what the iteration before made, and `%o` what this one makes.
fn agrees(body: &str) -> String {
    let text = format!(
        "kernel @bytes(%p: buf<i32, r>, %q: buf<i32, w>, %n: i32) simt group=16 {{
           var $k: i32
           %l = lane
           for %i in 0..%n {{
             %k = get $k
             %row = shl %i, 4
             %at = add %row, %l
             %w = load %p[%at]
             %a = and %w, 255
             %h = shr %w, 8
             %b = and %h, 255
             {body}
             set $k, %o
             store %q[%at], %o
           }}
         }}"
    );
    agrees_in_every_way(&legal(&text).1)
}

#[test]
fn sums_and_differences_of_bytes_saturate_in_one_operation() {
    for (body, op) in [
        ("%s = add %a, %b %o = min %s, 255", "v8adds"),
        ("%s = add %a, 100 %o = min 255, %s", "v8adds"),
        ("%s = add %a, 7 %t = min %s, 255 %o = xor %t, %k", "v8adds"),
        ("%d = sub %a, %b %o = max %d, 0", "v8subs"),
        ("%d = sub %a, 9 %o = max %d, 0", "v8subs"),
        ("%d = sub 200, %a %o = max %d, 0", "v8subs"),
        // The sum is needed as it is, too.
        ("%s = add %a, %b %t = min %s, 255 %o = sub %t, %s", "v8adds"),
        // Once saturated it is a byte again.
        ("%s = add %a, %b %t = min %s, 255 %d = sub %t, %a %o = max %d, 0", "v8subs"),
        // One arm of a choice.
        ("%c = cmp.gt %a, %b %d = sub %a, %b %t = max %d, 0 %o = select %c, %t, %k", "v8subs"),
    ] {
        let code = agrees(body);
        assert!(code.contains(op), "{body}\n{code}");
    }
}

#[test]
fn what_may_be_more_than_a_byte_is_computed_in_full() {
    for body in [
        "%s = add %a, %w %o = min %s, 255",
        "%s = add %a, 256 %o = min %s, 255",
        "%s = add %a, %b %o = min %s, 254",
        "%d = sub %a, %w %o = max %d, 0",
        "%d = sub %a, 300 %o = max %d, 0",
        "%d = sub %a, %b %o = max %d, 1",
        "%s = add %a, %b %t = add %s, %a %o = min %t, 255",
    ] {
        let code = agrees(body);
        assert!(!code.contains("v8adds") && !code.contains("v8subs"), "{body}\n{code}");
    }
}
