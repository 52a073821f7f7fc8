//! Whether `--device auto` chooses well: programs of many sizes on every device and on `auto`.

mod programs;

pub use programs::{PROGRAMS, Program};

/// How many times as long as on the best device `auto` may take.
pub const ASKED: f64 = 1.3;
/// Differences below so many milliseconds are none: starting a launch once costs as much.
pub const SLACK: f64 = 0.2;

impl Program {
    /// The program's text, which prints the milliseconds of its work.
    pub fn text(&self) -> String {
        format!("{}tic()\n{}took = toc(\"\")\nprint took\n", self.arrays, self.work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_thirty_programs_with_names_of_their_own() {
        assert_eq!(PROGRAMS.len(), 30);
        for (k, p) in PROGRAMS.iter().enumerate() {
            assert!(PROGRAMS[..k].iter().all(|q| q.name != p.name), "{}", p.name);
        }
    }
}
