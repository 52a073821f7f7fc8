//! Sound: WAV files, through the crate `hound`.

use super::{Builtin, Call, Run, row};
use crate::arith::to_f64;
use crate::fault::{Fault, Res, fault};
use crate::memory;
use crate::tensor::{Shape, Tensor, real_data};
use crate::value::Value;
use hound::{SampleFormat, WavReader, WavSpec, WavWriter};
use std::io::Cursor;

const FORMATS: &str = "WAV files of 8, 16, 24 or 32 bits, or of singles, are known";

/// `[y, rate] = audioread(file)`: samples from -1 to 1, a row per moment and a column per channel; a vector if there is one channel.
fn audioread(call: &mut Call) -> Res<Vec<Value>> {
    let path = call.text(0)?.to_string();
    let failed = |why: &dyn std::fmt::Display| {
        Fault::new("Q0413", format!("audioread: '{path}' cannot be read: {why}")).help(FORMATS)
    };
    let bytes = call.cx.read_file(&path, call.name, |e| failed(&e))?;
    let mut reader = WavReader::new(Cursor::new(&bytes)).map_err(|e| failed(&e))?;
    let WavSpec { channels, sample_rate, bits_per_sample, sample_format } = reader.spec();
    if channels == 0 || bits_per_sample == 0 || bits_per_sample > 32 {
        return Err(failed(&"it is damaged"));
    }
    // A sample takes a byte at least, whatever the file says of its length.
    memory::elements((reader.len() as usize).min(bytes.len()), 12, "a sound")?;
    let mut samples = Vec::new();
    match sample_format {
        SampleFormat::Float => {
            for s in reader.samples::<f32>() {
                samples.push(f64::from(s.map_err(|e| failed(&e))?));
            }
        }
        SampleFormat::Int => {
            let full = f64::from(bits_per_sample - 1).exp2();
            for s in reader.samples::<i32>() {
                samples.push(f64::from(s.map_err(|e| failed(&e))?) / full);
            }
        }
    }
    let (channels, n) = (usize::from(channels), samples.len());
    let shape = match channels {
        1 => Shape::from_slice(&[1, n]),
        _ => Shape::from_slice(&[n / channels, channels]),
    };
    samples.truncate(n - n % channels);
    let sound = Value::array(Tensor::new(shape, real_data(samples, call.double())));
    Ok(vec![sound, Value::size(sample_rate as usize)])
}

/// `audiowrite(file, y, rate[, bits])`.
fn audiowrite(call: &mut Call) -> Res<()> {
    let path = call.text(0)?.to_string();
    let t = call.tensor(1)?;
    let rate = call.integer(2)?;
    let bits = if call.args.len() > 3 { call.integer(3)? } else { 16 };
    let failed = |why: &dyn std::fmt::Display| {
        Fault::new("Q0413", format!("audiowrite: cannot write '{path}': {why}")).help(FORMATS)
    };
    let channels = if t.is_vector() { 1 } else { t.shape[1] };
    let sample_rate = u32::try_from(rate).ok().filter(|r| *r > 0);
    let (Some(sample_rate), 8 | 16 | 24 | 32, 1..=64, 2) = (sample_rate, bits, channels, t.shape.len()) else {
        fault!("Q0314", "audiowrite: no sound has {channels} channels, {rate} samples per second and {bits} bits"; "audiowrite(file, y, rate[, bits]): y is a vector or has a column per channel, bits is 8, 16, 24 or 32");
    };
    let spec = WavSpec {
        channels: channels as u16,
        sample_rate,
        bits_per_sample: bits as u16,
        sample_format: if bits == 32 { SampleFormat::Float } else { SampleFormat::Int },
    };
    let mut file = Cursor::new(Vec::new());
    let mut writer = WavWriter::new(&mut file, spec).map_err(|e| failed(&e))?;
    let full = ((bits - 1) as f64).exp2();
    for x in to_f64(&t.data.borrow()).iter() {
        let written = match spec.sample_format {
            SampleFormat::Float => writer.write_sample(*x as f32),
            SampleFormat::Int => writer.write_sample((x * full).round().clamp(-full, full - 1.0) as i32),
        };
        written.map_err(|e| failed(&e))?;
    }
    writer.finalize().map_err(|e| failed(&e))?;
    call.cx.write_file(&path, call.name, &file.into_inner(), |e| failed(&e))
}

pub const TABLE: &[Builtin] = &[
    row!(
        "audioread",
        "[y,rate] = audioread(file)",
        "sound of a WAV file: samples from -1 to 1, a column per channel, and how many there are per second",
        "audiowrite(\"a.wav\", [0,0.5,-0.5], 8000); [y, rate] = audioread(\"a.wav\"); print y, rate",
        1..=1,
        Run::Many(audioread)
    )
    .host_only(),
    row!(
        "audiowrite",
        "audiowrite(file,y,rate[,bits])",
        "writes samples from -1 to 1 to a WAV file, with 16 bits unless told: 8, 16, 24, or 32 for singles",
        "audiowrite(\"a.wav\", [0,0.5,-0.5], 8000)",
        3..=4,
        Run::Effect(audiowrite)
    )
    .host_only(),
];
