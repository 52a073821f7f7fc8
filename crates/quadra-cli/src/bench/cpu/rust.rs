//! The Rust kernels of K1 to K12 on the device `cpu`.

use super::{Bench, close, data, kernels, reference};
use quadra_base::Diagnostic;
use quadra_device::{Buffer, Device};

type Done = Result<(), Diagnostic>;

/// Measures the rows that are asked for, on this many workers where a kernel names them.
///
/// # Errors
/// What the device reports.
pub fn run(bench: &mut Bench<'_>, device: &dyn Device, workers: u32) -> Done {
    k1(bench, device)?;
    k2(bench, device, workers)?;
    k3(bench, device)?;
    k4(bench, device)?;
    k5(bench, device)?;
    k6(bench, device)?;
    k7(bench, device)?;
    k8(bench, device)?;
    k9(bench, device)?;
    k10(bench, device)?;
    k11(bench, device)?;
    k12(bench, device)
}

/// Binds a compiled kernel to its arguments: one whole run.
macro_rules! step {
    ($kernel:expr, $($argument:expr),+ $(,)?) => {{
        let (kernel, arguments) = ($kernel, ($($argument,)+));
        Ok(Box::new(move || kernel.call(arguments).map(drop).map_err(Diagnostic::from)) as super::Step<'_>)
    }};
}

fn k1(bench: &mut Bench<'_>, device: &dyn Device) -> Done {
    if !bench.wants("K1") {
        return Ok(());
    }
    let (height, width, _) = data::K1;
    let a = data::units(1, height * width * 3);
    let (x, out) = (Buffer::from(a.clone()), Buffer::<f32>::new(a.len()));
    let (h, w) = (height as i32, 3 * width as i32);
    let make = || step!(kernels::box11().compile(device)?.over([h as u32, w as u32]), &x, &out, h, w);
    bench.measure("K1", "rust", make, || close(&out.to_vec(), &reference::k1(&a), 2e-4, 2e-4))
}

fn k2(bench: &mut Bench<'_>, device: &dyn Device, workers: u32) -> Done {
    if !bench.wants("K2") {
        return Ok(());
    }
    let n = data::K2.0 * data::K2.1 * 3;
    let a = data::units(2, n);
    let (x, out) = (Buffer::from(a.clone()), Buffer::<f32>::new(n));
    let [red, green, blue] = data::K2_HOT;
    let make =
        || step!(kernels::lerp().compile(device)?.qpus(workers), &x, &out, n as i32, red, green, blue, data::K2_T);
    bench.measure("K2", "rust", make, || close(&out.to_vec(), &reference::k2(&a), 2e-4, 2e-4))
}

fn k3(bench: &mut Bench<'_>, device: &dyn Device) -> Done {
    if !bench.wants("K3") {
        return Ok(());
    }
    let (n, steps) = data::K3;
    let start = data::k3();
    let (mut a, mut b) = (Buffer::from(start.clone()), Buffer::from(start.clone()));
    let inner = n as u32 - 2;
    let kernel = || {
        Ok::<_, Diagnostic>(kernels::heat().compile(device)?.over([inner, inner]).repeat(steps as u32).swapping(0, 1))
    };
    let once = match kernel() {
        Ok(once) => once,
        Err(why) => return bench.leave_out("K3", why),
    };
    once.call((&a, &b, n as i32, data::K3_K))?;
    let ok = close(&a.to_vec(), &reference::k3(&start), 1e-3, 5e-2);
    a.write(&start);
    b.write(&start);
    let make = || step!(kernel()?, &a, &b, n as i32, data::K3_K);
    bench.measure("K3", "rust", make, || ok)
}

fn k4(bench: &mut Bench<'_>, device: &dyn Device) -> Done {
    let (cos, sin) = (data::K4_ANGLE.cos(), data::K4_ANGLE.sin());
    for (name, n) in ["K4a", "K4b"].into_iter().zip(data::K4) {
        if !bench.wants(name) {
            continue;
        }
        let (a, b) = (data::units(4, n), data::units(40, n));
        let (x, y) = (Buffer::from(a.clone()), Buffer::from(b.clone()));
        let make = || step!(kernels::rot().compile(device)?.over(n), &x, &y, cos, sin);
        bench.measure(name, "rust", make, || {
            let (want_x, want_y) = reference::k4(&a, &b, 50_000);
            close(&x.to_vec()[..50_000], &want_x, 2e-4, 2e-4) && close(&y.to_vec()[..50_000], &want_y, 2e-4, 2e-4)
        })?;
    }
    Ok(())
}

fn k5(bench: &mut Bench<'_>, device: &dyn Device) -> Done {
    for (name, size) in ["K5a", "K5b"].into_iter().zip(data::K5) {
        if !bench.wants(name) {
            continue;
        }
        let (m, k, n) = size;
        let (a, b) = data::k5(size);
        let (x, y, out) = (Buffer::from(a.clone()), Buffer::from(b.clone()), Buffer::<f32>::new(m * n));
        let make =
            || step!(kernels::matmul().compile(device)?.over([m as u32, n as u32]), &x, &y, &out, k as i32, n as i32);
        bench.measure(name, "rust", make, || close(&out.to_vec(), &reference::k5(&a, &b, size), 1e-3, 1e-3))?;
    }
    Ok(())
}

fn k6(bench: &mut Bench<'_>, device: &dyn Device) -> Done {
    if !bench.wants("K6a") && !bench.wants("K6b") {
        return Ok(());
    }
    let bytes = data::k6();
    let want = reference::k6(&bytes);
    if bench.wants("K6a") {
        let words: Vec<i32> = bytes.chunks_exact(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        let (x, bins) = (Buffer::from(words), std::cell::RefCell::new(Buffer::<i32>::new(256)));
        let make = || {
            let kernel = kernels::histogram_bytes().compile(device)?.over(x.len());
            let (x, bins) = (&x, &bins);
            Ok(Box::new(move || {
                bins.borrow_mut().fill(0);
                kernel.call((x, &*bins.borrow())).map(drop).map_err(Diagnostic::from)
            }) as super::Step<'_>)
        };
        bench.measure("K6a", "rust", make, || bins.borrow().to_vec() == want)?;
    }
    if bench.wants("K6b") {
        let (x, bins) = (Buffer::from(data::k6_floats(&bytes)), std::cell::RefCell::new(Buffer::<i32>::new(256)));
        let make = || {
            let kernel = kernels::histogram().compile(device)?.over(x.len());
            let (x, bins) = (&x, &bins);
            Ok(Box::new(move || {
                bins.borrow_mut().fill(0);
                kernel.call((x, &*bins.borrow())).map(drop).map_err(Diagnostic::from)
            }) as super::Step<'_>)
        };
        bench.measure("K6b", "rust", make, || bins.borrow().to_vec() == want)?;
    }
    Ok(())
}

fn k7(bench: &mut Bench<'_>, device: &dyn Device) -> Done {
    if !bench.wants("K7") {
        return Ok(());
    }
    let values = data::units(7, data::K7);
    let want = reference::k7(&values);
    let (x, total) = (Buffer::from(values), std::cell::RefCell::new(Buffer::<f32>::new(1)));
    let make = || {
        let kernel = kernels::sum().compile(device)?.over(x.len());
        let (x, total) = (&x, &total);
        Ok(Box::new(move || {
            total.borrow_mut().fill(0.0);
            kernel.call((x, &*total.borrow())).map(drop).map_err(Diagnostic::from)
        }) as super::Step<'_>)
    };
    bench.measure("K7", "rust", make, || (f64::from(total.borrow().get(0)) / want - 1.0).abs() < 1e-4)
}

fn k8(bench: &mut Bench<'_>, device: &dyn Device) -> Done {
    if !bench.wants("K8") {
        return Ok(());
    }
    let (n, limit) = data::K8;
    let out = Buffer::<i32>::new(n * n);
    let delta = 3.0 / n as f32;
    let make = || {
        let kernel = kernels::mandelbrot().compile(device)?.over([n as u32, n as u32]);
        step!(kernel, -2.0, -1.5, delta, n as i32, limit, &out)
    };
    bench.measure("K8", "rust", make, || {
        let differing = out.to_vec().iter().zip(reference::k8()).filter(|(a, b)| **a != *b).count();
        differing * 100 < n * n
    })
}

fn k9(bench: &mut Bench<'_>, device: &dyn Device) -> Done {
    if !bench.wants("K9") {
        return Ok(());
    }
    let (p, q) = data::k9();
    let (x, y, out) = (Buffer::from(p.clone()), Buffer::from(q.clone()), Buffer::<i32>::new(data::K9));
    let make = || step!(kernels::gcd().compile(device)?.over(data::K9), &x, &y, &out);
    bench.measure("K9", "rust", make, || out.to_vec() == reference::k9(&p, &q))
}

fn k10(bench: &mut Bench<'_>, device: &dyn Device) -> Done {
    if !bench.wants("K10") {
        return Ok(());
    }
    let (n, space, tone) = data::K10;
    let a = data::units(10, n * n);
    let (x, out) = (Buffer::from(a.clone()), Buffer::<f32>::new(n * n));
    let (space, tone) = (-0.5 / (space * space), -0.5 / (tone * tone));
    let make = || {
        let kernel = kernels::bilateral().compile(device)?.over([n as u32, n as u32]);
        step!(kernel, &x, &out, n as i32, space, tone)
    };
    bench.measure("K10", "rust", make, || close(&out.to_vec(), &reference::k10(&a), 2e-4, 2e-4))
}

fn k11(bench: &mut Bench<'_>, device: &dyn Device) -> Done {
    if !bench.wants("K11") {
        return Ok(());
    }
    let n = data::K11.0;
    let a = data::units(11, n * n);
    let (x, between, out) = (Buffer::from(a.clone()), Buffer::<f32>::new(n * n), Buffer::<f32>::new(n * n));
    let taps = Buffer::from(data::k11_taps().to_vec());
    let make = || {
        let size = [n as u32, n as u32];
        let (down, along) =
            (kernels::gauss_down().compile(device)?.over(size), kernels::gauss_along().compile(device)?.over(size));
        let (x, between, out, taps) = (&x, &between, &out, &taps);
        Ok(Box::new(move || {
            down.call((x, between, n as i32, taps))?;
            along.call((between, out, n as i32, taps))?;
            Ok(())
        }) as super::Step<'_>)
    };
    bench.measure("K11", "rust", make, || close(&out.to_vec(), &reference::k11(&a), 2e-4, 2e-4))
}

fn k12(bench: &mut Bench<'_>, device: &dyn Device) -> Done {
    if !bench.wants("K12a") && !bench.wants("K12b") {
        return Ok(());
    }
    let (n, factor) = data::K12;
    let (a, b) = (data::units(12, n), data::units(120, n));
    let (x, y) = (Buffer::from(a.clone()), Buffer::from(b.clone()));
    let part = 99_999;
    let near = |got: &Buffer<f32>, want: &dyn Fn(usize) -> f32| {
        (0..part).all(|i| (got.get(i) - want(i)).abs() <= 2e-4 + 2e-4 * want(i).abs())
    };
    if bench.wants("K12b") {
        let z = Buffer::<f32>::new(n);
        let make = || step!(kernels::triad().compile(device)?.over(n), &z, &x, &y, factor);
        bench.measure("K12b", "rust", make, || near(&z, &|i| a[i] + factor * b[i]))?;
    }
    if bench.wants("K12a") {
        let make = || step!(kernels::saxpy().compile(device)?.over(n), factor, &x, &y);
        bench.measure("K12a", "rust", make, || near(&y, &|i| b[i] + factor * a[i]))?;
    }
    Ok(())
}
