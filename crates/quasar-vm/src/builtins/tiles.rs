//! Several axes in one figure.

use super::Call;
use crate::fault::{Res, fault};
use crate::value::Value;
use quadra_figure::MOST_CELLS;

/// `subplot(rows,columns,k)`: axes number k of a grid, row by row from 0; `subplot(211)` as digits, of which the last counts from 1.
pub fn subplot(call: &mut Call) -> Res<()> {
    let [rows, columns, k] = match call.args.len() {
        1 => {
            let digits = call.integer(0)?;
            if !(111..=999).contains(&digits) {
                return Err(call.wrong(0, "three digits: rows, columns and the number of the axes from 1"));
            }
            [digits / 100, digits / 10 % 10, digits % 10 - 1]
        }
        3.. if matches!(call.args[2], Value::Array(_)) => return spanning(call),
        3.. => [call.integer(0)?, call.integer(1)?, call.integer(2)?],
        _ => fault!("Q0314", "'subplot' needs rows, columns and a number"; "subplot(2,1,0), or subplot(211)"),
    };
    let most = MOST_CELLS as i64;
    if !(1..=most).contains(&rows) || !(1..=most).contains(&columns) || !(0..rows * columns).contains(&k) {
        fault!(
            "Q0314", "there are no axes {k} in a grid of {rows} by {columns}";
            format!("axes are counted from 0, row by row; a grid has up to {MOST_CELLS} rows and columns")
        );
    }
    call.cx.figures.some().choose((rows as usize, columns as usize), k as usize);
    Ok(())
}

/// `subplot(rows,columns,[k,…])`: axes that take all of these cells, and those between them.
fn spanning(call: &mut Call) -> Res<()> {
    let (rows, columns) = (call.integer(0)?, call.integer(1)?);
    let cells = call.list(2)?;
    let most = MOST_CELLS as i64;
    let inside = |k: &f64| *k >= 0.0 && *k < (rows * columns) as f64;
    if !(1..=most).contains(&rows) || !(1..=most).contains(&columns) || cells.is_empty() || !cells.iter().all(inside) {
        return Err(call.wrong(2, "cells of the grid, counted from 0, row by row"));
    }
    let (rows, columns) = (rows as usize, columns as usize);
    let along = |place: fn(usize, usize) -> usize| {
        let places = || cells.iter().map(|k| place(*k as usize, columns));
        (places().min().unwrap_or(0), places().max().unwrap_or(0))
    };
    let ((top, low), (left, right)) = (along(|k, n| k / n), along(|k, n| k % n));
    call.cx.figures.some().choose_many((rows, columns), top * columns + left, low * columns + right);
    Ok(())
}

/// Rows and columns of a grid.
fn grid(call: &Call, rows: i64, columns: i64) -> Res<(usize, usize)> {
    let most = MOST_CELLS as i64;
    if !(1..=most).contains(&rows) || !(1..=most).contains(&columns) {
        fault!("Q0314", "'{}' of {rows} by {columns}", call.name; format!("a grid has 1 to {MOST_CELLS} rows and columns"));
    }
    Ok((rows as usize, columns as usize))
}

/// `tiledlayout(rows,columns)`, `tiledlayout("flow")`; properties behind change nothing.
pub fn tiled(call: &mut Call) -> Res<()> {
    let size = match call.args[0].as_text() {
        Some("flow") => None,
        Some(_) => return Err(call.wrong(0, "\"flow\", or rows and columns")),
        None if call.args.len() > 1 => Some(grid(call, call.integer(0)?, call.integer(1)?)?),
        None => fault!("Q0308", "'tiledlayout' with one number"; "tiledlayout(rows,columns) or tiledlayout(\"flow\")"),
    };
    call.cx.figures.some().tile(size);
    Ok(())
}

/// `nexttile`, `nexttile([rows,columns])`, `nexttile(k)`.
pub fn next_tile(call: &mut Call) -> Res<()> {
    let span = match call.args.first() {
        None => (1, 1),
        Some(Value::Array(t)) if t.len() == 2 => {
            let size = call.list(0)?;
            grid(call, size[0] as i64, size[1] as i64)?
        }
        Some(_) => {
            let (k, size) = (call.integer(0)?, call.cx.figures.some().grid());
            if !(0..(size.0 * size.1) as i64).contains(&k) {
                fault!("Q0314", "there are no axes {k} in a grid of {} by {}", size.0, size.1; "axes are counted from 0, row by row");
            }
            call.cx.figures.some().choose(size, k as usize);
            return Ok(());
        }
    };
    if !call.cx.figures.some().next(span) {
        fault!("Q0314", "no room is left for another tile"; "tiledlayout(rows,columns) with more of them, or tiledlayout(\"flow\")");
    }
    Ok(())
}

/// `yyaxis("left")`, `yyaxis("right")`.
pub fn side(call: &mut Call) -> Res<()> {
    let right = match call.text(0)? {
        "left" => false,
        "right" => true,
        _ => return Err(call.wrong(0, "\"left\" or \"right\"")),
    };
    call.cx.figures.some().choose_side(right);
    Ok(())
}
