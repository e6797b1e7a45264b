//! What is put in the place of what: operators, and what functions return at once.

use syn::{BinOp, GenericArgument, PathArguments, ReturnType, Type};

/// What an operator is replaced by: a neighbor that compiles where it does, most of the time.
pub fn of_operator(operator: &BinOp) -> (&'static str, &'static [&'static str]) {
    match operator {
        BinOp::Eq(_) => ("==", &["!="]),
        BinOp::Ne(_) => ("!=", &["=="]),
        BinOp::Lt(_) => ("<", &["<=", "==", ">"]),
        BinOp::Le(_) => ("<=", &["<", ">"]),
        BinOp::Gt(_) => (">", &[">=", "==", "<"]),
        BinOp::Ge(_) => (">=", &[">", "<"]),
        BinOp::And(_) => ("&&", &["||"]),
        BinOp::Or(_) => ("||", &["&&"]),
        BinOp::Add(_) => ("+", &["-", "*"]),
        BinOp::Sub(_) => ("-", &["+", "/"]),
        BinOp::Mul(_) => ("*", &["+", "/"]),
        BinOp::Div(_) => ("/", &["%", "*"]),
        BinOp::Rem(_) => ("%", &["/", "+"]),
        BinOp::Shl(_) => ("<<", &[">>"]),
        BinOp::Shr(_) => (">>", &["<<"]),
        BinOp::BitAnd(_) => ("&", &["|", "^"]),
        BinOp::BitOr(_) => ("|", &["&", "^"]),
        BinOp::BitXor(_) => ("^", &["|", "&"]),
        BinOp::AddAssign(_) => ("+=", &["-=", "*="]),
        BinOp::SubAssign(_) => ("-=", &["+=", "/="]),
        BinOp::MulAssign(_) => ("*=", &["+=", "/="]),
        BinOp::DivAssign(_) => ("/=", &["%=", "*="]),
        BinOp::RemAssign(_) => ("%=", &["/=", "+="]),
        BinOp::ShlAssign(_) => ("<<=", &[">>="]),
        BinOp::ShrAssign(_) => (">>=", &["<<="]),
        BinOp::BitAndAssign(_) => ("&=", &["|=", "^="]),
        BinOp::BitOrAssign(_) => ("|=", &["&=", "^="]),
        BinOp::BitXorAssign(_) => ("^=", &["|=", "&="]),
        _ => ("", &[]),
    }
}

/// What a function of this type may return at once.
pub fn of_body(output: &ReturnType) -> Vec<String> {
    match output {
        ReturnType::Default => vec!["()".into()],
        ReturnType::Type(_, kind) => of_type(kind),
    }
}

fn of_type(kind: &Type) -> Vec<String> {
    let texts = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect();
    let path = match kind {
        Type::Path(path) => &path.path,
        Type::Tuple(tuple) if tuple.elems.is_empty() => return texts(&["()"]),
        Type::Tuple(_) => return texts(&["Default::default()"]),
        _ => return Vec::new(),
    };
    let Some(last) = path.segments.last() else { return Vec::new() };
    match last.ident.to_string().as_str() {
        "bool" => texts(&["true", "false"]),
        "f32" | "f64" => texts(&["0.0", "1.0"]),
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => {
            texts(&["0", "1"])
        }
        "Option" => texts(&["None"]),
        "Result" => match &last.arguments {
            PathArguments::AngleBracketed(list) => match list.args.first() {
                Some(GenericArgument::Type(inner)) => {
                    of_type(inner).iter().map(|value| format!("Ok({value})")).collect()
                }
                _ => Vec::new(),
            },
            _ => texts(&["Ok(Default::default())"]),
        },
        _ => texts(&["Default::default()"]),
    }
}
