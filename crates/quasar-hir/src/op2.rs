//! Functions of two operands that broadcast: which there are.

use quadra_quasar_syntax::ast::BinaryOp;

/// Two-operand functions that broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op2 {
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    Max,
    Min,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Mod,
    Rem,
    Atan2,
    Hypot,
}

impl Op2 {
    pub fn of(op: BinaryOp) -> Op2 {
        match op {
            BinaryOp::Add => Op2::Add,
            BinaryOp::Sub => Op2::Sub,
            BinaryOp::Mul | BinaryOp::ElemMul => Op2::Mul,
            BinaryOp::Div | BinaryOp::ElemDiv => Op2::Div,
            BinaryOp::Pow | BinaryOp::ElemPow => Op2::Pow,
            BinaryOp::Lt => Op2::Lt,
            BinaryOp::Le => Op2::Le,
            BinaryOp::Gt => Op2::Gt,
            BinaryOp::Ge => Op2::Ge,
            BinaryOp::Eq => Op2::Eq,
            BinaryOp::Ne => Op2::Ne,
            BinaryOp::Max => Op2::Max,
            BinaryOp::Min => Op2::Min,
            BinaryOp::BitAnd => Op2::And,
            BinaryOp::BitOr => Op2::Or,
            BinaryOp::BitXor => Op2::Xor,
        }
    }

    /// The operator, where there is one.
    pub fn symbol(self) -> Option<&'static str> {
        Some(match self {
            Op2::Add => "+",
            Op2::Sub => "-",
            Op2::Mul => "*",
            Op2::Div => "/",
            Op2::Pow => "^",
            Op2::Lt => "<",
            Op2::Le => "<=",
            Op2::Gt => ">",
            Op2::Ge => ">=",
            Op2::Eq => "==",
            Op2::Ne => "!=",
            _ => return None,
        })
    }

    /// The operator or the name of the function, for messages.
    pub fn name(self) -> String {
        self.symbol().map_or_else(|| format!("{self:?}").to_lowercase(), String::from)
    }

    pub fn is_comparison(self) -> bool {
        matches!(self, Op2::Lt | Op2::Le | Op2::Gt | Op2::Ge | Op2::Eq | Op2::Ne)
    }

    /// Whether two integers give a floating-point number.
    pub fn gives_float(self) -> bool {
        matches!(self, Op2::Div | Op2::Atan2 | Op2::Hypot)
    }
}
