//! The syntax tree. Names are text; every expression and loop has an id under which later stages keep what they find out.

use quadra_base::Span;
use std::rc::Rc;

/// A name, a field or a string.
pub type Text = Rc<str>;

/// Identifies an expression, a function or a loop within one program (all its files).
pub type NodeId = u32;

/// The function that a store into a variable calls that only stores make.
pub const STORED: &str = "stored";

/// The function that makes room for an object where a field of one is stored.
pub const HOLDING: &str = "holding";

/// The function that `x[end+1] = v` calls.
pub const APPEND: &str = "append";

/// The function that `x[k] = []` calls.
pub const EMPTIED: &str = "emptied";

/// A sequence of statements.
pub type Block = Vec<Stmt>;

/// One source file after parsing; imported files stand inside it as [`StmtKind::Module`].
#[derive(Clone, Debug, Default)]
pub struct Module {
    pub body: Block,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Expr(Expr),
    If {
        arms: Vec<(Expr, Block)>,
        otherwise: Block,
    },
    For(Box<For>),
    While {
        condition: Expr,
        body: Block,
    },
    Repeat {
        body: Block,
        condition: Expr,
    },
    Match {
        value: Expr,
        arms: Vec<MatchArm>,
    },
    Try {
        body: Block,
        name: Option<Text>,
        handler: Block,
    },
    Function(Rc<Function>),
    TypeDef(Rc<TypeDef>),
    Break,
    Continue,
    Return,
    /// `syncthreads` (fence: false) or `memfence`, with the word in parentheses.
    Sync {
        fence: bool,
        scope: Option<Text>,
    },
    /// `print`, `printf`, `error` or `warning` with the rest of the line.
    Command {
        name: Text,
        args: Vec<Arg>,
    },
    /// An attribute that stands before a statement or first in a body.
    Attribute(Text),
    /// `import "path"` before the file was found.
    Import(Text),
    /// An imported file.
    Module(Module),
}

#[derive(Clone, Debug)]
pub struct For {
    pub id: NodeId,
    pub name: Text,
    pub name_span: Span,
    pub over: Expr,
    pub body: Block,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct MatchArm {
    /// Alternatives; empty for `_`.
    pub patterns: Vec<Expr>,
    pub body: Block,
}

/// `type NAME : …`.
#[derive(Clone, Debug)]
pub struct TypeDef {
    pub name: Text,
    pub span: Span,
    pub kind: TypeDefKind,
}

#[derive(Clone, Debug)]
pub enum TypeDefKind {
    Alias(TypeExpr),
    Class { mutable: bool, dynamic: bool, fields: Vec<(Text, TypeExpr)> },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    Host,
    Device,
    Kernel,
}

/// A function definition or a lambda expression.
#[derive(Clone, Debug)]
pub struct Function {
    pub id: NodeId,
    /// Empty for a lambda that is not assigned to a name.
    pub name: Text,
    pub kind: FunctionKind,
    pub lambda: bool,
    pub generics: Vec<(Text, Option<TypeExpr>)>,
    pub outputs: Vec<(Text, Option<TypeExpr>)>,
    pub params: Vec<Param>,
    /// The statements of a function.
    pub body: Block,
    /// The expression of a lambda.
    pub value: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Param {
    pub name: Text,
    pub span: Span,
    pub variadic: bool,
    pub ty: Option<TypeExpr>,
    pub default: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub id: NodeId,
    pub span: Span,
    pub kind: ExprKind,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Int(i64),
    Float(f64),
    Imag(f64),
    Str(Text),
    Name(Text),
    Null,
    /// `:` as an index.
    Colon,
    /// `_` as a target.
    Placeholder,
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Ternary(Box<Expr>, Box<Expr>, Box<Expr>),
    Range {
        from: Box<Expr>,
        step: Option<Box<Expr>>,
        to: Box<Expr>,
    },
    Call {
        callee: Box<Expr>,
        args: Vec<Arg>,
    },
    Index {
        base: Box<Expr>,
        items: Vec<Expr>,
    },
    Field {
        base: Box<Expr>,
        name: Text,
        name_span: Span,
    },
    Array(Vec<Expr>),
    Cell(Vec<Expr>),
    Lambda(Rc<Function>),
    Assign {
        target: Box<Expr>,
        op: Option<BinaryOp>,
        value: Box<Expr>,
    },
    /// `[a, _, c[0]] = value`; targets are names, indices, fields, placeholders or type checks of these.
    MultiAssign {
        targets: Vec<Expr>,
        value: Box<Expr>,
    },
    /// `x : T` or `x : T = value` as a statement.
    Declare {
        target: Box<Expr>,
        ty: TypeExpr,
        value: Option<Box<Expr>>,
    },
    /// `(e : T)`.
    TypeCheck(Box<Expr>, TypeExpr),
    Sequence(Vec<Expr>),
    /// `...e`.
    Spread(Box<Expr>),
    /// A type that is written with brackets, braces or modifiers: `mat[uint8'sat]`.
    Type(TypeExpr),
    /// Where the parser found no expression; a diagnostic says so.
    Missing,
}

#[derive(Clone, Debug)]
pub struct Arg {
    /// Set for `name := value`.
    pub name: Option<Text>,
    pub value: Expr,
}

/// The name that a call of `exist` asks for, which counts as mentioned, and the place of that text.
pub fn asked<'a>(callee: &Expr, args: &'a [Arg]) -> Option<(&'a Text, Span)> {
    match (&callee.kind, args.first()) {
        (ExprKind::Name(called), Some(Arg { value: Expr { kind: ExprKind::Str(name), span, .. }, .. }))
            if &**called == "exist" =>
        {
            Some((name, *span))
        }
        _ => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Neg,
    Plus,
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    ElemMul,
    ElemDiv,
    ElemPow,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    /// Only as compound assignments: `^^=`, `__=`, `&=`, `|=`, `~=`.
    Max,
    Min,
    BitAnd,
    BitOr,
    BitXor,
}

impl BinaryOp {
    /// How the operator is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Pow => "^",
            BinaryOp::ElemMul => ".*",
            BinaryOp::ElemDiv => "./",
            BinaryOp::ElemPow => ".^",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Max => "^^",
            BinaryOp::Min => "__",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "~",
        }
    }

    /// Whether the result says whether something holds.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Lt | Le | Gt | Ge | Eq | Ne)
    }
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    pub span: Span,
    pub kind: TypeExprKind,
    /// Words after apostrophes.
    pub modifiers: Vec<Text>,
}

#[derive(Clone, Debug)]
pub enum TypeExprKind {
    /// `??`, and types that consist of modifiers only.
    Any,
    Pointer(Box<TypeExpr>),
    Named {
        name: Text,
        /// What stands in braces: `cube{4}`, `cube{:}`.
        rank: Option<RankExpr>,
        /// What stands in parentheses: `cube(:,:,3)`.
        dims: Vec<DimExpr>,
        element: Option<Box<TypeExpr>>,
    },
    Function {
        kind: FunctionKind,
        params: Vec<(bool, TypeExpr)>,
        results: Vec<TypeExpr>,
    },
}

#[derive(Clone, Debug)]
pub enum RankExpr {
    Number(i64),
    Any,
    Name(Text),
}

#[derive(Clone, Debug)]
pub enum DimExpr {
    Number(i64),
    Any,
    Name(Text),
}
