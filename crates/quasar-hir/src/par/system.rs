//! Systems of linear constraints over the integers, small ones: whether they have no solution.
//!
//! Equations are solved for an unknown with factor 1 or tested by the greatest common divisor of their factors (Banerjee:
//! Dependence Analysis, 1997); the rest is Fourier–Motzkin elimination, with constants rounded towards the inside, so that many
//! systems without integer solutions are found out (Pugh: The Omega Test, 1991, without its last step). What grows beyond
//! bounds counts as solvable.

/// Constraints that a step of the elimination may lead to.
const MOST: usize = 600;

/// `Σ factor · unknown + constant`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Form {
    /// By the number of the unknown.
    pub factors: Vec<i64>,
    pub constant: i64,
}

impl Form {
    pub fn constant(c: i64) -> Form {
        Form { factors: Vec::new(), constant: c }
    }

    pub fn unknown(n: usize) -> Form {
        let mut factors = vec![0; n + 1];
        factors[n] = 1;
        Form { factors, constant: 0 }
    }

    fn factor(&self, n: usize) -> i64 {
        self.factors.get(n).copied().unwrap_or(0)
    }

    /// `self + k · other`; nothing if a number grows too large.
    pub fn plus(&self, other: &Form, k: i64) -> Option<Form> {
        let n = self.factors.len().max(other.factors.len());
        let sum = |a: i64, b: i64| a.checked_add(b.checked_mul(k)?).filter(|v| v.abs() < 1 << 40);
        let factors = (0..n).map(|i| sum(self.factor(i), other.factor(i))).collect::<Option<Vec<_>>>()?;
        Some(Form { factors, constant: sum(self.constant, other.constant)? })
    }

    pub fn times(&self, k: i64) -> Option<Form> {
        Form::default().plus(self, k)
    }

    /// The constant, if there is nothing else.
    pub fn known(&self) -> Option<i64> {
        self.factors.iter().all(|f| *f == 0).then_some(self.constant)
    }

    fn divisor(&self) -> i64 {
        self.factors.iter().fold(0, |a, b| gcd(a, b.abs()))
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Forms that are 0, and forms that are not negative.
#[derive(Clone, Debug, Default)]
pub struct System {
    pub zero: Vec<Form>,
    pub least: Vec<Form>,
}

impl System {
    /// Whether there is certainly no solution in integers.
    pub fn has_no_solution(mut self) -> bool {
        self.contradicts().unwrap_or(false)
    }

    /// Nothing if it grows too large.
    fn contradicts(&mut self) -> Option<bool> {
        while let Some(e) = self.zero.pop() {
            let d = e.divisor();
            if d == 0 {
                if e.constant != 0 {
                    return Some(true);
                }
                continue;
            }
            if e.constant % d != 0 {
                return Some(true);
            }
            let e = Form { factors: e.factors.iter().map(|f| f / d).collect(), constant: e.constant / d };
            match e.factors.iter().position(|f| f.abs() == 1) {
                Some(n) => {
                    let sign = e.factors[n];
                    let put = |f: &Form| f.plus(&e, -f.factor(n) * sign);
                    self.zero = self.zero.iter().map(put).collect::<Option<_>>()?;
                    self.least = self.least.iter().map(put).collect::<Option<_>>()?;
                }
                None => {
                    self.least.push(e.times(-1)?);
                    self.least.push(e);
                }
            }
        }
        let unknowns = self.least.iter().map(|f| f.factors.len()).max().unwrap_or(0);
        for n in 0..unknowns {
            if self.tighten() {
                return Some(true);
            }
            self.eliminate(n)?;
        }
        Some(self.tighten())
    }

    /// Divides by common divisors; whether a constraint can never hold.
    fn tighten(&mut self) -> bool {
        for f in &mut self.least {
            let d = f.divisor();
            if d > 1 {
                f.factors.iter_mut().for_each(|x| *x /= d);
                f.constant = f.constant.div_euclid(d);
            }
        }
        let never = self.least.iter().any(|f| f.known().is_some_and(|c| c < 0));
        self.least.retain(|f| f.known().is_none());
        self.least.dedup();
        never
    }

    /// Removes an unknown: every lower bound lies below every upper bound.
    fn eliminate(&mut self, n: usize) -> Option<()> {
        let (with, mut rest): (Vec<Form>, Vec<Form>) = self.least.drain(..).partition(|f| f.factor(n) != 0);
        let (lower, upper): (Vec<Form>, Vec<Form>) = with.into_iter().partition(|f| f.factor(n) > 0);
        if rest.len() + lower.len() * upper.len() > MOST {
            return None;
        }
        for a in &lower {
            for b in &upper {
                let scaled = a.times(-b.factor(n))?;
                let sum = scaled.plus(b, a.factor(n))?;
                if !rest.contains(&sum) {
                    rest.push(sum);
                }
            }
        }
        self.least = rest;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, System};

    fn form(factors: &[i64], constant: i64) -> Form {
        Form { factors: factors.to_vec(), constant }
    }

    #[test]
    fn equations_without_integer_solutions() {
        // 2x - 2y = 1
        assert!(System { zero: vec![form(&[2, -2], -1)], least: vec![] }.has_no_solution());
        assert!(!System { zero: vec![form(&[2, -2], -2)], least: vec![] }.has_no_solution());
        assert!(System { zero: vec![form(&[], 3)], least: vec![] }.has_no_solution());
    }

    #[test]
    fn bounds_exclude_solutions() {
        // 10x + y = 10u + v, 0 <= y, v <= 9, x > u
        let bounds = |n: usize| {
            let mut low = vec![0; n + 1];
            low[n] = 1;
            [form(&low, 0), form(&low.iter().map(|f| -f).collect::<Vec<_>>(), 9)]
        };
        let mut least: Vec<Form> = bounds(1).into_iter().chain(bounds(3)).collect();
        let zero = vec![form(&[10, 1, -10, -1], 0)];
        assert!(!System { zero: zero.clone(), least: least.clone() }.has_no_solution());
        least.push(form(&[1, 0, -1, 0], -1));
        assert!(System { zero, least }.has_no_solution());
    }

    #[test]
    fn integers_between_fractions() {
        // 1 <= 3x <= 2
        assert!(System { zero: vec![], least: vec![form(&[3], -1), form(&[-3], 2)] }.has_no_solution());
        assert!(!System { zero: vec![], least: vec![form(&[3], -1), form(&[-3], 3)] }.has_no_solution());
    }

    /// Against enumeration of all values from -4 to 4.
    #[test]
    fn never_empty_where_a_solution_is_found() {
        let mut state = 7u64;
        let mut next = |n: i64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 33) as i64) % n
        };
        let (mut empty, mut solvable) = (0, 0);
        for _ in 0..3000 {
            let random =
                |next: &mut dyn FnMut(i64) -> i64| form(&[next(9) - 4, next(9) - 4, next(5) - 2], next(13) - 6);
            let zero: Vec<Form> = (0..next(3)).map(|_| random(&mut next)).collect();
            let mut least: Vec<Form> = (0..next(4)).map(|_| random(&mut next)).collect();
            for n in 0..3 {
                let mut unit = vec![0; 3];
                unit[n] = 1;
                least.push(form(&unit, 4));
                unit[n] = -1;
                least.push(form(&unit, 4));
            }
            let at = |f: &Form, x: &[i64]| f.factors.iter().zip(x).map(|(a, b)| a * b).sum::<i64>() + f.constant;
            let found = (0..729).any(|i| {
                let x = [i % 9 - 4, i / 9 % 9 - 4, i / 81 - 4];
                zero.iter().all(|f| at(f, &x) == 0) && least.iter().all(|f| at(f, &x) >= 0)
            });
            let says = System { zero, least }.has_no_solution();
            assert!(!(found && says));
            empty += usize::from(says);
            solvable += usize::from(found);
        }
        assert!(empty > 500 && solvable > 500, "{empty} {solvable}");
    }
}
