//! Loop analysis: which loops of host code count as kernels. A nest of loops over ranges is parallel if its body can run on a
//! device, if every scalar it assigns is private or a reduction, and if every array it writes is written at different places by
//! different iterations (or only accumulated into). The verdict fixes what the loop reads outside an array, so it must
//! not depend on how the loop is run.

mod advice;
mod alias;
mod body;
mod branches;
pub mod callable;
mod channels;
pub mod counter;
pub mod pattern;
mod program;
pub(crate) mod exact;
mod extreme;
pub mod fresh;
mod hands;
pub mod lengths;
mod reason;
mod rotate;
mod rows;
mod scan;
mod subscript;
mod suppose;
mod steady;
mod system;
mod uses;
pub mod whole;

use crate::meaning::Library;
use crate::types::{Env, Type};
use advice::{Kind, Reason};
use body::Body;
pub use extreme::Extreme;
pub use program::Program;
use quadra_base::{Diagnostic, Severity};
use quadra_quasar_syntax::ast::{Block, ExprKind, For, NodeId, StmtKind, Text};
pub use rotate::Rotation;
use std::collections::HashSet;
pub use suppose::{Held, Supposed};

/// How a parallel nest of loops is carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Loops of the grid, from the outermost on.
    pub depth: usize,
    /// A variable that takes its value from one iteration to the next, where the program asks for a kernel nevertheless: only
    /// the host can run it.
    pub carries: Option<Text>,
    /// Scalars that iterations combine, the class of the updates, and whether one of them is written as `v op= e`.
    pub reductions: Vec<(Text, char, bool)>,
    /// Extremes that iterations keep with what belongs to them.
    pub extremes: Vec<Extreme>,
    /// Variables that not every iteration sets.
    pub maybe: Vec<Text>,
    /// Variables of inner loops that hold the same value behind every iteration.
    pub counters: Vec<(Text, i64)>,
    /// Arrays into whose elements different iterations accumulate.
    pub accumulates: Vec<Text>,
    /// Scalars that iterations combine and read: the loop runs in blocks.
    pub scans: Vec<Scan>,
    /// Numbers of the statements that must run before those that combine.
    pub before_scans: Vec<usize>,
    /// The program allows sums of floats in any order.
    pub relaxed: bool,
    /// What it takes for granted of the values of variables.
    pub supposed: Vec<Supposed>,
    /// Where the outer loops alone accumulate into no element together, or the innermost one goes over channels that lanes cannot be:
    /// how to carry out these. Such a plan may have another one in it, for fewer loops.
    pub outer: Option<Box<Plan>>,
    /// The iterations run in order, as compiled code.
    pub serial: Option<Serial>,
}

/// How iterations run in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Serial {
    /// Variables that take values from one iteration to the next.
    pub carried: Vec<Text>,
    /// The loop counts as a kernel: reads outside of arrays give 0.
    pub safe: bool,
    /// The program asks for the order, of sums of floats, too.
    pub asked: bool,
    /// Loops within it that are parallel, innermost ones of their nests, whose iterations may be lanes: they read as kernels do.
    pub lanes: Vec<NodeId>,
    /// Loops within it that combine values in parallel or, if they also read what they combine, in blocks: in order, too. The
    /// former read as kernels do.
    pub combining: Vec<(NodeId, bool)>,
    /// Arrays that change names at the end of every iteration.
    pub rotation: Rotation,
    /// An iteration may end the loop.
    pub exits: bool,
    /// An iteration may end the function.
    pub returns: bool,
}

/// A running sum, product, minimum, maximum or the like.
#[derive(Clone, Debug, PartialEq)]
pub struct Scan {
    pub name: Text,
    /// The class of the update.
    pub class: char,
    /// The number of its statement in the body.
    pub at: usize,
    /// Floats are combined into an integer.
    pub mixed: bool,
}

/// What the analysis says about a loop.
pub struct Verdict {
    /// The loop counts as a kernel.
    pub parallel: bool,
    /// For example `parallel over (m, n), reduction(+) on s`, or `in blocks over (i), running(+) on s`.
    pub text: String,
    pub diagnostics: Vec<Diagnostic>,
    /// For a loop that devices can run.
    pub plan: Option<Plan>,
}

impl Plan {
    /// The same loops in order, where what combines their iterations cannot be had otherwise.
    pub fn in_order(&self) -> Option<Plan> {
        if self.carries.is_some() || !self.scans.is_empty() || self.serial.is_some() {
            return None;
        }
        let mut carried: Vec<Text> = self.reductions.iter().map(|r| r.0.clone()).collect();
        carried.extend(self.extremes.iter().flat_map(|e| e.with.iter().chain([&e.name]).cloned()));
        carried.sort();
        carried.dedup();
        let (reductions, extremes, accumulates) = Default::default();
        let serial = Some(Serial { carried, safe: true, ..Serial::default() });
        Some(Plan { depth: 1, reductions, extremes, accumulates, outer: None, serial, ..self.clone() })
    }

    fn combines_nothing(&self) -> bool {
        self.accumulates.is_empty() && self.reductions.is_empty() && self.extremes.is_empty()
    }

    /// Whether the iterations of the innermost loop leave nothing but what they store.
    fn only_stores(&self) -> bool {
        let combines = !(self.reductions.is_empty() && self.extremes.is_empty() && self.accumulates.is_empty());
        self.serial.is_none()
            && self.scans.is_empty()
            && self.carries.is_none()
            && !combines
            && self.supposed.is_empty()
    }
}

/// What becomes of the parallel loops in a block that runs in order: innermost ones of nests that only store are lanes, and
/// what combines values runs in order as well. Nothing if there is one that cannot; `plan` knows the nests, and `reserve` those
/// within parallel ones.
pub fn within(
    block: &Block,
    plan: &dyn Fn(NodeId) -> Option<Plan>,
    reserve: &dyn Fn(NodeId) -> Option<Plan>,
    order: &mut Serial,
) -> Option<()> {
    for stmt in block {
        match &stmt.kind {
            StmtKind::For(f) => match plan(f.id).filter(|p| p.serial.is_none()) {
                Some(plan) if plan.only_stores() => {
                    let last = innermost(f, plan.depth)?;
                    match rows::of(last, reserve) {
                        Some(rows) => {
                            order.combining.push((last.id, false));
                            order.lanes.extend(rows);
                        }
                        None => order.lanes.push(last.id),
                    }
                }
                // Its iterations in order give what they give in any.
                Some(plan) if plan.carries.is_none() && plan.supposed.is_empty() => {
                    order.combining.push((f.id, !plan.scans.is_empty()));
                }
                Some(_) => return None,
                None => within(&f.body, plan, reserve, order)?,
            },
            StmtKind::If { arms, otherwise } => {
                for block in arms.iter().map(|a| &a.1).chain([otherwise]) {
                    within(block, plan, reserve, order)?;
                }
            }
            _ => {
                if crate::scope::any_loop(&vec![stmt.clone()], &|f| plan(f.id).is_some_and(|p| p.serial.is_none())) {
                    return None;
                }
            }
        }
    }
    Some(())
}

/// The loop in which the nest of this depth ends.
fn innermost(f: &For, depth: usize) -> Option<&For> {
    let mut f = f;
    for _ in 1..depth {
        f = f.body.iter().find_map(|s| if let StmtKind::For(inner) = &s.kind { Some(&**inner) } else { None })?;
    }
    Some(f)
}

/// Loops of a nest beyond which no more are taken into the grid.
const MOST_LOOPS: usize = 3;

/// Judges a loop; `attribute` is the code attribute before it, `env` has the types of the variables.
pub fn judge(f: &For, attribute: Option<&str>, env: &Env, program: &mut dyn Program) -> Verdict {
    let asks = |what: &str| attribute.is_some_and(|a| a.split_whitespace().eq([what, "for"]));
    let forced = asks("parallel");
    if asks("serial") {
        let body = Body::collect(&f.body, std::slice::from_ref(&f.name), env, program);
        let mut plan = in_order(&body, f, env, program);
        plan.iter_mut().flat_map(|p| &mut p.serial).for_each(|s| s.asked = true);
        let text = "serial: as the program asks".into();
        return Verdict { parallel: false, text, diagnostics: Vec::new(), plan };
    }
    let nest = nest_of(f, program.library());
    let mut first_reasons = Vec::new();
    // The whole nest first, then without its innermost loops: those stay loops within the kernel.
    for depth in (1..=nest.len()).rev() {
        let loops: Vec<Text> = nest[..depth].iter().map(|f| f.name.clone()).collect();
        let body = Body::collect(&nest[depth - 1].body, &loops, env, program);
        let heads = &nest[..depth];
        let reasons = body.reasons(&loops, heads, &HashSet::new());
        if reasons.is_empty() {
            let text = format!("parallel over ({}){}", loops.join(", "), body.extras(&loops, heads));
            let mut plan = Plan { relaxed: asks("relaxed"), ..body.plan(depth, &loops, heads) };
            if !plan.accumulates.is_empty() {
                plan.outer = outer(&nest[..depth], plan.relaxed, env, program).map(Box::new);
            } else if plan.combines_nothing() && channels::are_apart(&nest[..depth]) {
                plan.outer = around_channels(&nest[..depth], plan.relaxed, env, program).map(Box::new);
            }
            return Verdict { parallel: true, text, diagnostics: Vec::new(), plan: Some(plan) };
        }
        if first_reasons.is_empty() {
            first_reasons = reasons;
        }
    }
    let loops = [f.name.clone()];
    let body = Body::collect(&f.body, &loops, env, program);
    if let (false, Some(plan)) = (forced, body.scan_plan(f, program)) {
        let running = plan.scans.iter().map(|s| format!(", running({}) on {}", pattern::sign(s.class), s.name));
        let text = format!("in blocks over ({}){}", f.name, running.collect::<String>());
        return Verdict { parallel: false, text, diagnostics: Vec::new(), plan: Some(plan) };
    }
    let plan = Plan { carries: body.carried(), ..body.plan(1, &loops, &[f]) };
    let mut verdict = refuse(f, forced.then_some(plan), &first_reasons);
    if !forced {
        verdict.plan = in_order(&body, f, env, program);
    }
    verdict
}

/// How a loop is carried out in order, with memory for the arrays that its iterations make or pass on.
fn in_order(body: &Body<'_>, f: &For, env: &Env, program: &mut dyn Program) -> Option<Plan> {
    let own = rotate::plan(f, env, program, false);
    let needed = |p: &Plan| p.serial.as_ref().is_some_and(|s| s.rotation.needs_memory());
    let plan = if own.as_ref().is_some_and(needed) { own } else { serial(body, f).or(own) };
    // Numbers are carried in registers; arrays need memory that lasts from one iteration to the next.
    let array = |n: &Text| matches!(env.get(n), Some(Some(Type::Array { .. })));
    let carries = |p: &Plan| p.serial.as_ref().is_some_and(|s| s.carried.iter().any(array));
    let wholes = |p: &Plan| p.serial.as_ref().map(|s| s.rotation.wholes.clone()).unwrap_or_default();
    let whole = rotate::plan(f, env, program, true).filter(|p| !wholes(p).arrays.is_empty());
    if plan.as_ref().is_none_or(carries) || whole.as_ref().is_some_and(|p| wholes(p).are_needed()) {
        return whole.or(plan);
    }
    plan
}

/// How a loop is carried out whose iterations need each other, if nothing else stands in the way of a kernel: in order.
fn serial(body: &Body<'_>, f: &For) -> Option<Plan> {
    let loops = [f.name.clone()];
    let reasons = body.reasons(&loops, &[f], &HashSet::new());
    if reasons.iter().any(|r| !matches!(r.kind, Kind::Dependency | Kind::InOrder)) || body.assigned.assigns(&f.name) {
        return None;
    }
    let plan = body.plan(1, &loops, &[f]);
    let (reductions, extremes, accumulates) = Default::default();
    let (exits, returns) = (counter::breaks(&f.body), counter::returns(&f.body));
    let order = Serial { carried: body.all_carried(), exits, returns, ..Serial::default() };
    Some(Plan { reductions, extremes, accumulates, supposed: Vec::new(), serial: Some(order), ..plan })
}

/// The most outer loops of a nest whose iterations combine nothing: those within them stay loops, which keeps what they add up
/// out of memory that others change, too.
fn outer(nest: &[&For], relaxed: bool, env: &Env, program: &mut dyn Program) -> Option<Plan> {
    (1..nest.len()).rev().find_map(|depth| {
        let loops: Vec<Text> = nest[..depth].iter().map(|f| f.name.clone()).collect();
        let (body, heads) = (Body::collect(&nest[depth - 1].body, &loops, env, program), &nest[..depth]);
        if !body.reasons(&loops, heads, &HashSet::new()).is_empty() {
            return None;
        }
        let plan = Plan { relaxed, ..body.plan(depth, &loops, heads) };
        plan.combines_nothing().then_some(plan)
    })
}

/// A nest without its innermost loop, which may go over channels, and as another choice without the one around that, too, if it may be as short:
/// where both go over the elements of small matrices, lanes are matrices.
fn around_channels(nest: &[&For], relaxed: bool, env: &Env, program: &mut dyn Program) -> Option<Plan> {
    let mut without = |nest: &[&For]| outer(nest, relaxed, env, program).filter(|p| p.depth + 1 == nest.len());
    let mut plan = without(nest)?;
    let rest = &nest[..plan.depth];
    if let [_, .., around] = rest
        && channels::may_be_few(&around.over)
    {
        plan.outer = without(rest).map(Box::new);
    }
    Some(plan)
}

/// The verdict on a loop that is not parallel; `forced` is how it is carried out if the program asks for that.
fn refuse(f: &For, forced: Option<Plan>, reasons: &[Reason]) -> Verdict {
    // What can never run on a device weighs more than what is only not known.
    let of = |kind: Kind| reasons.iter().find(|r| r.kind == kind);
    let cannot = reasons.iter().find(|r| matches!(r.kind, Kind::Hard | Kind::InOrder));
    let hard = cannot.or(of(Kind::Unknown));
    let main = hard.unwrap_or(&reasons[0]);
    let text = &main.text;
    let mut verdict = Verdict { parallel: false, text: format!("serial: {text}"), diagnostics: Vec::new(), plan: None };
    let not = |code| Diagnostic::warning(code, format!("the for-loop is not parallelized: {text}"));
    let diagnostic = match (forced, hard) {
        (Some(_), Some(_)) => {
            let message = format!("the for-loop cannot be parallelized: {text}");
            let help = "remove {!parallel for}, or change the body so that it can run on a device";
            main.tell(Diagnostic::error("Q0501", message)).help(help)
        }
        (Some(plan), None) => {
            verdict.parallel = true;
            verdict.plan = Some(plan);
            verdict.text = format!("parallel as the program asks, although {text}");
            let message = format!("the for-loop is parallelized although {text}");
            let told = main.tell(Diagnostic::warning("Q0502", message));
            Diagnostic { help: vec!["results may differ from run to run".into()], ..told }
        }
        (None, Some(Reason { kind: Kind::Unknown, .. })) => main.tell(not("Q0503")),
        (None, None) if indexes(&f.body, &f.name) => {
            main.tell(not("Q0504")).help("{!serial for} before the loop says that this is meant")
        }
        _ => Diagnostic { severity: Severity::Note, ..main.tell(not("Q0510")) },
    };
    verdict.diagnostics.push(diagnostic.at(f.span));
    verdict
}

/// The loop and those directly within it whose bounds do not depend on the ones around.
fn nest_of<'f>(f: &'f For, library: &Library) -> Vec<&'f For> {
    let mut nest = vec![f];
    while nest.len() < MOST_LOOPS {
        let last = nest[nest.len() - 1];
        let mut inner = last.body.iter().filter(|s| !matches!(s.kind, StmtKind::Attribute(_)));
        let (Some(only), None) = (inner.next(), inner.next()) else { break };
        let StmtKind::For(next) = &only.kind else { break };
        if !matches!(next.over.kind, ExprKind::Range { .. }) {
            break;
        }
        let bounds = crate::scope::Names::of_expr(&next.over);
        let assigned = crate::scope::Names::of_block(&next.body);
        // Behind the loop its variable holds another value, as do the elements that it writes.
        let depends = nest.iter().any(|f| bounds.mentions(&f.name))
            || bounds.mentions(&next.name)
            || assigned.stored.iter().any(|a| pattern::looks_into(&next.over, a, library))
            || assigned.assigned.iter().any(|n| bounds.mentions(n))
            || nest.iter().any(|f| f.name == next.name);
        if depends {
            break;
        }
        nest.push(next);
    }
    nest
}

/// Whether a variable stands in an index in the body: the loop looks as if it worked on data.
fn indexes(block: &Block, name: &str) -> bool {
    pattern::any_index(block, &|items| items.iter().any(|i| crate::scope::Names::of_expr(i).mentions(name)))
}
