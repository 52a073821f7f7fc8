//! The Quasar programs of K1 to K12, `examples/bench/*.q`: their functions are called with arrays of Rust.

use super::{Bench, close, data, reference};
use quadra_base::Diagnostic;
use quadra_quasar::session::{Options, Session};
use quadra_quasar::tensor::{Data, Tensor};
use quadra_quasar::value::Value;
use std::cell::RefCell;

type Done = Result<(), Diagnostic>;

/// What a call gave, or what its last arguments hold if it gives nothing.
type Results = RefCell<Vec<Value>>;

/// A program's text without the example behind its functions.
pub(super) fn functions(text: &str) -> &str {
    const END: &str = "endfunction";
    text.rfind(END).map_or(text, |at| &text[..at + END.len()])
}

macro_rules! program {
    ($name:literal) => {
        $crate::bench::cpu::quasar::functions(include_str!(concat!("programs/", $name, ".q")))
    };
}
pub(super) use program;

fn vector(values: Vec<f32>) -> Value {
    array(&[1, values.len()], Data::F32(values))
}

pub(super) fn array(shape: &[usize], values: Data) -> Value {
    Value::array(Tensor::new(shape.iter().copied().collect(), values))
}

/// The elements of an array of floats, or of nothing.
fn floats(v: &Value) -> Vec<f32> {
    match v {
        Value::Array(t) => match &*t.data.borrow() {
            Data::F32(v) => v.clone(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

pub(super) fn ints(v: &Value) -> Vec<i32> {
    match v {
        Value::Array(t) => match &*t.data.borrow() {
            Data::Int(v) => v.clone(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// A function of a program and what it is called with.
pub(super) struct Call<'a> {
    pub row: &'a str,
    pub program: &'a str,
    pub function: &'a str,
    /// Values that it gives.
    pub outputs: usize,
    pub arguments: Vec<Value>,
}

/// Measures calls on a device.
pub(super) struct Runner<'a, 'b> {
    pub bench: &'a mut Bench<'b>,
    pub device: &'a str,
}

impl Runner<'_, '_> {
    /// Measures a function; `check` looks at what it gives, or at its arguments if it gives nothing.
    pub fn row(&mut self, call: Call<'_>, check: impl FnOnce(&[Value]) -> bool) -> Done {
        let results: Results = RefCell::new(call.arguments.clone());
        let make = || {
            let options = Options { device: self.device.into(), ..Options::default() };
            let mut session = Session::new(options, Box::new(std::io::sink()));
            let outcome = session.run("bench.q", call.program);
            if let Some(d) = outcome.diagnostics.into_iter().find(|d| d.severity == quadra_base::Severity::Error) {
                return Err(d);
            }
            let (call, results) = (&call, &results);
            Ok(Box::new(move || {
                let (values, _) = session.call(call.function, call.arguments.clone(), call.outputs)?;
                if call.outputs > 0 {
                    *results.borrow_mut() = values;
                }
                Ok(())
            }) as super::Step<'_>)
        };
        self.bench.measure(call.row, "quasar", make, || check(&results.borrow()))
    }

    fn wants(&self, row: &str) -> bool {
        self.bench.wants(row)
    }
}

/// Measures the rows that are asked for, on a device.
///
/// # Errors
/// What a program reports.
pub fn run(bench: &mut Bench<'_>, device: &str) -> Done {
    let mut r = Runner { bench, device };
    images(&mut r)?;
    heat_and_points(&mut r)?;
    products(&mut r)?;
    histograms(&mut r)?;
    loops(&mut r)?;
    streams(&mut r)
}

fn images(r: &mut Runner<'_, '_>) -> Done {
    if r.wants("K1") {
        let (h, w, _) = data::K1;
        let a = data::units(1, h * w * 3);
        let arguments = vec![array(&[h, w, 3], Data::F32(a.clone()))];
        let call = Call { row: "K1", program: program!("k01_box"), function: "box_filter", outputs: 1, arguments };
        r.row(call, |v| close(&floats(&v[0]), &reference::k1(&a), 2e-4, 2e-4))?;
    }
    if r.wants("K2") {
        let (h, w) = data::K2;
        let a = data::units(2, h * w * 3);
        let image = array(&[h, w, 3], Data::F32(a.clone()));
        let arguments = vec![image, vector(data::K2_HOT.to_vec()), Value::F32(data::K2_T)];
        let program = program!("k02_temperature");
        let call = Call { row: "K2", program, function: "temperature", outputs: 1, arguments };
        r.row(call, |v| close(&floats(&v[0]), &reference::k2(&a), 2e-4, 2e-4))?;
    }
    if r.wants("K10") {
        let (n, space, tone) = data::K10;
        let a = data::units(10, n * n);
        let arguments = vec![array(&[n, n], Data::F32(a.clone())), Value::F32(space), Value::F32(tone)];
        let call =
            Call { row: "K10", program: program!("k10_bilateral"), function: "bilateral", outputs: 1, arguments };
        r.row(call, |v| close(&floats(&v[0]), &reference::k10(&a), 2e-4, 2e-4))?;
    }
    if r.wants("K11") {
        let n = data::K11.0;
        let a = data::units(11, n * n);
        let arguments = vec![array(&[n, n], Data::F32(a.clone())), vector(data::k11_taps().to_vec())];
        let call = Call { row: "K11", program: program!("k11_gauss"), function: "gauss", outputs: 1, arguments };
        r.row(call, |v| close(&floats(&v[0]), &reference::k11(&a), 2e-4, 2e-4))?;
    }
    Ok(())
}

fn heat_and_points(r: &mut Runner<'_, '_>) -> Done {
    if r.wants("K3") {
        let (n, steps) = data::K3;
        let start = data::k3();
        let arguments = vec![array(&[n, n], Data::F32(start.clone())), Value::Int(steps as i32)];
        let call = Call { row: "K3", program: program!("k03_heat"), function: "heat", outputs: 1, arguments };
        r.row(call, |v| close(&floats(&v[0]), &reference::k3(&start), 1e-3, 5e-2))?;
    }
    for (row, n) in ["K4a", "K4b"].into_iter().zip(data::K4) {
        if !r.wants(row) {
            continue;
        }
        let (a, b) = (data::units(4, n), data::units(40, n));
        let arguments = vec![vector(a.clone()), vector(b.clone()), Value::F32(data::K4_ANGLE)];
        let call = Call { row, program: program!("k04_rotate"), function: "rotate", outputs: 0, arguments };
        r.row(call, |v| {
            let (x, y) = reference::k4(&a, &b, 50_000);
            close(&floats(&v[0])[..50_000], &x, 2e-4, 2e-4) && close(&floats(&v[1])[..50_000], &y, 2e-4, 2e-4)
        })?;
    }
    Ok(())
}

fn products(r: &mut Runner<'_, '_>) -> Done {
    for (row, size) in ["K5a", "K5b"].into_iter().zip(data::K5) {
        if !r.wants(row) {
            continue;
        }
        let (m, k, n) = size;
        let (a, b) = data::k5(size);
        let arguments = vec![array(&[m, k], Data::F32(a.clone())), array(&[k, n], Data::F32(b.clone()))];
        let call = Call { row, program: program!("k05_product"), function: "product", outputs: 1, arguments };
        r.row(call, |v| close(&floats(&v[0]), &reference::k5(&a, &b, size), 1e-3, 1e-3))?;
    }
    Ok(())
}

fn histograms(r: &mut Runner<'_, '_>) -> Done {
    if !r.wants("K6a") && !r.wants("K6b") {
        return Ok(());
    }
    let program = program!("k06_histogram");
    let bytes = data::k6();
    let want = reference::k6(&bytes);
    if r.wants("K6a") {
        let arguments = vec![array(&[1, bytes.len()], Data::U8(bytes.clone()))];
        let call = Call { row: "K6a", program, function: "histogram", outputs: 1, arguments };
        r.row(call, |v| ints(&v[0]) == want)?;
    }
    if r.wants("K6b") {
        let arguments = vec![vector(data::k6_floats(&bytes))];
        let call = Call { row: "K6b", program, function: "histogram_of_floats", outputs: 1, arguments };
        r.row(call, |v| ints(&v[0]) == want)?;
    }
    Ok(())
}

fn loops(r: &mut Runner<'_, '_>) -> Done {
    if r.wants("K7") {
        let values = data::units(7, data::K7);
        let want = reference::k7(&values);
        let call = Call {
            row: "K7",
            program: program!("k07_sum"),
            function: "total",
            outputs: 1,
            arguments: vec![vector(values)],
        };
        r.row(call, |v| v[0].as_f64().is_some_and(|sum| (sum / want - 1.0).abs() < 1e-4))?;
    }
    if r.wants("K8") {
        let (n, limit) = data::K8;
        let arguments = vec![Value::Int(n as i32), Value::Int(limit)];
        let call =
            Call { row: "K8", program: program!("k08_mandelbrot"), function: "mandelbrot", outputs: 1, arguments };
        r.row(call, |v| {
            let (got, want) = (ints(&v[0]), reference::k8());
            let differing = got.iter().zip(&want).filter(|(a, b)| a != b).count();
            got.len() == want.len() && differing * 100 < n * n
        })?;
    }
    if r.wants("K9") {
        let (p, q) = data::k9();
        let int = |v: &Vec<i32>| array(&[1, v.len()], Data::Int(v.clone()));
        let arguments = vec![int(&p), int(&q)];
        let call = Call { row: "K9", program: program!("k09_gcd"), function: "gcds", outputs: 1, arguments };
        r.row(call, |v| ints(&v[0]) == reference::k9(&p, &q))?;
    }
    Ok(())
}

fn streams(r: &mut Runner<'_, '_>) -> Done {
    if !r.wants("K12a") && !r.wants("K12b") {
        return Ok(());
    }
    let program = program!("k12_triad");
    let (n, a) = data::K12;
    let (x, y) = (data::units(12, n), data::units(120, n));
    let same = |got: &Value, want: &dyn Fn(usize) -> f32| {
        let got = floats(got);
        let want: Vec<f32> = (0..50_000).map(want).collect();
        got.len() == n && close(&got[..50_000], &want, 2e-4, 2e-4)
    };
    if r.wants("K12a") {
        let arguments = vec![Value::F32(a), vector(x.clone()), vector(y.clone())];
        let call = Call { row: "K12a", program, function: "saxpy", outputs: 0, arguments };
        r.row(call, |v| same(&v[2], &|i| a * x[i] + y[i]))?;
    }
    if r.wants("K12b") {
        let out = vector(vec![0.0; n]);
        let arguments = vec![out, vector(x.clone()), vector(y.clone()), Value::F32(a)];
        let call = Call { row: "K12b", program, function: "triad", outputs: 0, arguments };
        r.row(call, |v| same(&v[0], &|i| x[i] + a * y[i]))?;
    }
    Ok(())
}
