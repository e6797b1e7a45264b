//! What pictures have in common.

/// A picture as a page of its own.
pub(crate) fn page(svg: &str, title: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{}</title></head>\n<body>\n{svg}</body>\n</html>\n",
        escaped(title)
    )
}

/// A text as it stands in SVG and HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
