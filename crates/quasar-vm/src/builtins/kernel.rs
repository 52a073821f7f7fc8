//! Launching kernels, and what only kernels can call.

use super::{Builtin, Call, Run, row};
use crate::arith::{to_f64, to_i64};
use crate::executor::{Launch, default_block};
use crate::fault::{Fault, Res, fault};
use crate::tensor::{Tensor, bytes_of};
use crate::typing;
use crate::value::{Callable, Value};
use quadra_quasar_hir::meaning::Meaning;
use quadra_quasar_hir::types::Type;
use quadra_quasar_syntax::ast::FunctionKind;
use std::rc::Rc;

/// Shared memory of a block, in bytes.
pub const SHARED_LIMIT: usize = 48 * 1024;

/// Takes the arguments of a launch apart.
fn launch_of(call: &Call, serial: bool) -> Res<Launch> {
    let last = call.args.len() - 1;
    let callable = match &call.args[last] {
        Value::Function(f) if typing::kind_of(f) == FunctionKind::Kernel => f.clone(),
        v => {
            let ty = typing::type_of(v, call.double());
            fault!("Q0420", "the last argument of '{}' must be a kernel function, not a '{ty}'", call.name; "define it with __kernel__");
        }
    };
    let (dims, block) = dimensions(call)?;
    if let Some(bad) = dims.iter().find(|d| **d < 0) {
        fault!("Q0421", "a launch over {bad} positions"; "sizes are whole numbers from 0");
    }
    let total = dims.iter().try_fold(1i64, |a, b| a.checked_mul(*b));
    if total.is_none_or(|n| n > 1 << 40) {
        fault!("Q0421", "a launch over more than 2^40 positions"; "launch over a smaller range");
    }
    let block = match block {
        Some(block) => {
            if block.iter().any(|b| *b < 1) {
                fault!("Q0422", "a block size below 1"; "block sizes are whole numbers from 1");
            }
            if block.iter().product::<i64>() > 1024 {
                fault!("Q0422", "a block has more than 1024 threads: {}", block.iter().product::<i64>(); "use max_block_size(kernel)");
            }
            block
        }
        None => default_block(&dims),
    };
    Ok(Launch { callable, args: call.args[1..last].to_vec(), dims, block, serial })
}

/// The positions of a launch and the block size, if it is given: `[dims, blkdim]`.
fn dimensions(call: &Call) -> Res<(Vec<i64>, Option<Vec<i64>>)> {
    if let Value::Array(t) = &call.args[0]
        && !t.is_cell()
        && t.shape.len() == 2
        && t.shape[0] == 2
    {
        let v: Vec<i64> = to_f64(&t.data.borrow()).iter().map(|x| *x as i64).collect();
        let n = t.shape[1];
        return Ok((v[..n].to_vec(), Some(v[n..].to_vec())));
    }
    let v = call.list(0)?;
    if v.is_empty() || v.len() > 16 {
        return Err(call.wrong(0, "a number or a vector of up to 16 lengths"));
    }
    Ok((v.iter().map(|x| *x as i64).collect(), None))
}

fn run(call: &mut Call, serial: bool) -> Res<Vec<Value>> {
    let launch = launch_of(call, serial)?;
    // A kernel that launches another one runs on the host, and so does the other one.
    match call.cx.executor.take() {
        Some(mut executor) => {
            let result = executor.launch(call.cx, launch);
            call.cx.executor = Some(executor);
            result
        }
        None => call.cx.machine.launch(call.cx, launch),
    }
}

/// Memory of the block: one array per place in the code and pass through it.
fn shared(call: &mut Call) -> Res<Value> {
    let (ty, dims) = match call.args {
        [Value::Type(ty), rest @ ..] => ((**ty).clone(), rest),
        all => (Type::SCALAR, all),
    };
    let shape = super::array::shape_from(dims, "shared memory")?;
    let double = call.double();
    let n: usize = shape.iter().product();
    let Some(site) = &mut call.site else { return Err(outside()) };
    let Some(current) = &mut call.cx.launch else { return Err(outside()) };
    let place = (Rc::as_ptr(site.code) as usize).wrapping_mul(31).wrapping_add(site.pc);
    let pass = match site.sites.iter_mut().find(|s| s.0 == place) {
        Some(s) => {
            s.1 += 1;
            s.1
        }
        None => {
            site.sites.push((place, 0));
            0
        }
    };
    if let Some((_, v)) = current.shared.iter().find(|(key, _)| *key == (place, pass)) {
        return Ok(v.clone());
    }
    current.shared_bytes += bytes_of(&ty, n, double);
    if current.shared_bytes > SHARED_LIMIT {
        fault!("Q0423", "{} bytes of shared memory, a block has {SHARED_LIMIT}", current.shared_bytes; "use smaller blocks or arrays");
    }
    // Shared integers wrap: there is no error path within a block.
    let element = match ty {
        Type::Int(kind, quadra_quasar_hir::types::Fit::Checked) => {
            Type::Int(kind, quadra_quasar_hir::types::Fit::Unchecked)
        }
        other => other,
    };
    let v = Value::array(Tensor::zeros(shape, &element, double)?);
    current.shared.push(((place, pass), v.clone()));
    Ok(v)
}

fn outside() -> Box<Fault> {
    Fault::new("Q0424", "shared memory can only be allocated in a kernel function").help("use zeros(…) on the host")
}

/// The wish, halved in its largest component until a block has at most 1024 threads.
fn max_block_size(call: &mut Call) -> Res<Value> {
    kernel_argument(call)?;
    let mut wish = match call.args.get(1) {
        Some(_) => to_i64(&call.tensor(1)?.data.borrow()),
        None => vec![16, 32],
    };
    wish.iter_mut().for_each(|w| *w = (*w).clamp(1, 1 << 20));
    while wish.iter().product::<i64>() > 1024 {
        if let Some(largest) = wish.iter_mut().max_by_key(|w| **w) {
            *largest /= 2;
        }
    }
    Ok(Value::array(Tensor::ints(wish)))
}

fn kernel_argument(call: &Call) -> Res<Rc<Callable>> {
    match &call.args[0] {
        Value::Function(f) if typing::kind_of(f) == FunctionKind::Kernel => Ok(f.clone()),
        _ => Err(call.wrong(0, "a kernel function")),
    }
}

fn opt_block_size(call: &mut Call) -> Res<Value> {
    kernel_argument(call)?;
    Ok(Value::array(Tensor::ints([16, 32])))
}

pub const TABLE: &[Builtin] = &[
    row!(
        "parallel_do",
        "parallel_do(dims,a,…,kernel)",
        "runs a kernel for every position; [dims,blkdim] sets the block size",
        "y = zeros(3); parallel_do(3, y, __kernel__ (y : vec, pos : int) -> y[pos] = pos); print y",
        2..=250,
        Run::Many(|c| run(c, false))
    )
    .means(Meaning::Launch),
    row!(
        "serial_do",
        "serial_do(dims,a,…,kernel)",
        "runs a kernel for every position in row-major order",
        "y = zeros(3); serial_do(3, y, __kernel__ (y : vec, pos : int) -> y[pos] = pos); print y",
        2..=250,
        Run::Many(|c| run(c, true))
    )
    .means(Meaning::Launch),
    row!(
        "shared",
        "shared(d…), shared[T](d…)",
        "memory of the block; in kernels only",
        "x = 1",
        1..=17,
        Run::One(shared)
    )
    .means(Meaning::Shared { zeros: false }),
    row!(
        "shared_zeros",
        "shared_zeros(d…), shared_zeros[T](d…)",
        "memory of the block, zero at first; in kernels only",
        "x = 1",
        1..=17,
        Run::One(shared)
    )
    .means(Meaning::Shared { zeros: true }),
    row!(
        "max_block_size",
        "max_block_size(kernel[,wish])",
        "a block size that the device allows",
        "k = __kernel__ (y : vec, pos : int) -> y[pos] = pos; print max_block_size(k,[4,8])",
        1..=2,
        Run::One(max_block_size)
    ),
    row!(
        "opt_block_size",
        "opt_block_size(kernel)",
        "the block size used by default",
        "k = __kernel__ (y : vec, pos : int) -> y[pos] = pos; print opt_block_size(k)",
        1..=1,
        Run::One(opt_block_size)
    ),
];
