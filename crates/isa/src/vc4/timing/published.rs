//! Times of programs on boards that their authors published, with what must be known to model them.

use super::params::Board;
use serde::{Deserialize, Serialize};

/// Who starts the programs of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Launch {
    Registers,
    Mailbox,
    /// The time is that of the QPUs alone.
    None,
}

/// Whether a measurement served to find parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Use {
    /// A parameter follows from it, so that its error shows how well the model can be fitted, not how well it predicts.
    Fitted,
    /// Nothing follows from it: a check.
    Free,
}

/// A published time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Published {
    /// Name of an image that models it.
    pub id: &'static str,
    pub program: &'static str,
    pub qpus: u32,
    /// Seconds of `launches` launches, or of one of the `parts` of one.
    pub seconds: f64,
    pub launches: u32,
    pub parts: u32,
    pub board: Board,
    pub clock_mhz: f64,
    pub launch: Launch,
    pub status: Use,
    /// What follows from it, or what does not.
    pub note: &'static str,
    pub source: &'static str,
}

const ARTICLE: &str = "article on sgemm by the author of py-videocore, Pi Zero";
const QPULIB: &str = "README of QPULib, Pi 2";
const GPU_FFT: &str = "gpu_fft.txt of the firmware's hello_fft, release 3.0, Pi 1 with its L2 cache";

const fn row(id: &'static str, program: &'static str, qpus: u32, seconds: f64, note: &'static str) -> Published {
    Published {
        id,
        program,
        qpus,
        seconds,
        launches: 1,
        parts: 1,
        board: Board::PiZero,
        clock_mhz: 250.0,
        launch: Launch::None,
        status: if note.is_empty() { Use::Free } else { Use::Fitted },
        note,
        source: ARTICLE,
    }
}

const fn qpulib(
    id: &'static str,
    program: &'static str,
    qpus: u32,
    (seconds, launches): (f64, u32),
    note: &'static str,
) -> Published {
    let row = row(id, program, qpus, seconds, note);
    Published { launches, board: Board::Pi2, launch: Launch::Mailbox, source: QPULIB, ..row }
}

/// A transform by itself, or in a batch of ten. The program goes by the mailbox where more than 5 << 12 points are transformed.
const fn fft(id: &'static str, program: &'static str, log2: u32, parts: u32, ms: f64, note: &'static str) -> Published {
    let launch = if parts << log2 > 5 << 12 { Launch::Mailbox } else { Launch::Registers };
    Published { parts, board: Board::Pi1, launch, source: GPU_FFT, ..row(id, program, 8, ms * 1e-3, note) }
}

const LAUNCH: &str = "launch_registers";
const L2: &str = "l2_line";
const VPU_L2: &str = "vpu_l2_line";
const MEMORY: &str = "memory_line, memory_row_miss";
const TURN: &str = "memory_turnaround";
const STEPS: &str = "HeatMap, 2,000 steps";

/// Every published time, those of this crate's own programs first.
#[rustfmt::skip]
pub const ALL: &[Published] = &[
    row("sgemm-1", "sgemm 96 x 363 by 363 x 3072", 1, 0.23, "uniform_memory"),
    row("sgemm-12", "the same, A in 2 parts and B in 6", 12, 0.026, "uniform_memory"),
    qpulib("rot3d-v1-1", "Rot3D version 1, 192,000 vertices", 1, (0.040, 1), "dma_overlap"),
    qpulib("rot3d-v2-1", "Rot3D version 2", 1, (0.018, 1), ""),
    qpulib("rot3d-v3-1", "Rot3D version 3", 1, (0.018, 1), ""),
    qpulib("rot3d-v3-2", "Rot3D version 3", 2, (0.016, 1), "dma_store_row"),
    qpulib("heatmap-1", STEPS, 1, (49.34, 2000), ""),
    qpulib("heatmap-2", STEPS, 2, (24.91, 2000), ""),
    qpulib("heatmap-4", STEPS, 4, (20.36, 2000), "dma_store_row"),
    fft("fft-8", "FFT of 2^8", 8, 1, 0.033, LAUNCH),
    fft("fft-9", "FFT of 2^9", 9, 1, 0.049, LAUNCH),
    fft("fft-10", "FFT of 2^10", 10, 1, 0.070, L2),
    fft("fft-11", "FFT of 2^11", 11, 1, 0.12, L2),
    fft("fft-12", "FFT of 2^12", 12, 1, 0.25, L2),
    fft("fft-13", "FFT of 2^13", 13, 1, 0.61, VPU_L2),
    fft("fft-14", "FFT of 2^14", 14, 1, 1.2, VPU_L2),
    fft("fft-15", "FFT of 2^15", 15, 1, 3.5, MEMORY),
    fft("fft-16", "FFT of 2^16", 16, 1, 7.0, MEMORY),
    fft("fft-17", "FFT of 2^17", 17, 1, 17.0, MEMORY),
    fft("fft-18", "FFT of 2^18", 18, 1, 43.0, MEMORY),
    fft("fft-19", "FFT of 2^19", 19, 1, 97.0, TURN),
    fft("fft-20", "FFT of 2^20", 20, 1, 194.0, ""),
    fft("fft-21", "FFT of 2^21", 21, 1, 388.0, ""),
    fft("fft-22", "FFT of 2^22", 22, 1, 786.0, ""),
    fft("fft-8x10", "FFT of 2^8, one of a batch of 10", 8, 10, 0.017, L2),
    fft("fft-9x10", "FFT of 2^9, one of a batch of 10", 9, 10, 0.029, L2),
    fft("fft-10x10", "FFT of 2^10, one of a batch of 10", 10, 10, 0.049, L2),
    fft("fft-11x10", "FFT of 2^11, one of a batch of 10", 11, 10, 0.11, L2),
    fft("fft-12x10", "FFT of 2^12, one of a batch of 10", 12, 10, 0.27, L2),
    fft("fft-13x10", "FFT of 2^13, one of a batch of 10", 13, 10, 0.66, VPU_L2),
    fft("fft-14x10", "FFT of 2^14, one of a batch of 10", 14, 10, 1.2, ""),
    fft("fft-15x10", "FFT of 2^15, one of a batch of 10", 15, 10, 3.3, ""),
];

/// The published time that an image with this name models.
pub fn find(id: &str) -> Option<&'static Published> {
    ALL.iter().find(|p| p.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_and_notes_name_parameters() {
        let names: std::collections::BTreeSet<&str> = ALL.iter().map(|p| p.id).collect();
        assert_eq!(names.len(), ALL.len());
        let rows = super::super::Parameters::default().rows();
        for parameter in ALL.iter().flat_map(|p| p.note.split(", ")).filter(|note| !note.is_empty()) {
            assert!(rows.iter().any(|row| row.name == parameter), "{parameter}");
        }
        let of = |id: &str| find(id).map(|p| p.launch);
        assert_eq!([of("fft-14"), of("fft-15")], [Some(Launch::Registers), Some(Launch::Mailbox)]);
        assert_eq!([of("fft-11x10"), of("fft-12x10")], [Some(Launch::Registers), Some(Launch::Mailbox)]);
    }
}
