//! Rows of keys: the macros that make of a row everything that a key needs.

/// Declares the keys of a table: a static for each row, and `KEYS` of all of them.
///
/// A row is `NAME: type = "key", kinds, form, default, "meaning."`, and at its end, if another value of the key makes a cause take
/// less time, `Less(Cause)` or `More(Cause)`. The keys of structs follow, each behind a `+`.
macro_rules! keys {
    ($table:literal: $($id:ident: $type:ty = $name:literal, $kinds:expr, $form:expr, $default:ident($text:expr),
        $meaning:literal $(, $lowers:ident($cause:ident))?;)+ $(+ $part:expr;)*) => {
        $(pub(crate) static $id: crate::keys::Key<$type> =
            crate::keys::key!($name, $kinds, $form, $default($text), $meaning $(, $lowers($cause))?);)+
        pub(crate) static KEYS: crate::keys::Table =
            crate::keys::Table { name: $table, parts: &[&[$(&$id),+], $($part),*] };
    };
}
pub(crate) use keys;

/// A key made of the parts of its row.
macro_rules! key {
    ($name:expr, $kinds:expr, $form:expr, $default:ident($text:expr), $meaning:expr $(, $lowers:ident($cause:ident))?) => {
        crate::keys::Key {
            row: crate::keys::Row {
                name: $name,
                kinds: $kinds,
                default: crate::keys::DefaultValue::$default($text),
                meaning: $meaning,
                lowers: [$(Some(crate::keys::Lowers::$lowers(weir_network::causes::Cause::$cause)),)? None][0],
            },
            form: &$form,
        }
    };
}
pub(crate) use key;

/// Declares a struct whose fields are keys: of a table of its own, with `KEYS`, or `of kinds` of a table.
///
/// A row is `field: type = form, default, "meaning."`, and if another value makes a cause take less time, `Less(Cause)` or
/// `More(Cause)`. It makes the field, which is an `Option` where the default is `Words` or `Dependent`, with the meaning as its
/// documentation; the key `key::field`; its line in `read_keys`. Fields without a key follow the rows behind a `+`, each
/// with its first value.
macro_rules! section {
    ($(#[$attribute:meta])* $visibility:vis struct $section:ident of $table:literal; $($rows:tt)+) => {
        crate::keys::section! { $(#[$attribute])* $visibility struct $section of kinds &[]; $($rows)+ }
        pub(crate) static KEYS: crate::keys::Table =
            crate::keys::Table { name: $table, parts: &[$section::KEYS] };
    };
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $section:ident of kinds $kinds:expr;
        $($field:ident: $type:ty = $form:expr, $default:ident($text:expr), $meaning:literal
            $(, $lowers:ident($cause:ident))?;)+
        $(+ $($(#[$about:meta])* $other:ident: $other_type:ty = $value:expr;)+)?
    ) => {
        $(#[$attribute])*
        $visibility struct $section {
            $(#[doc = $meaning] pub $field: crate::keys::field!(type $default $type),)+
            $($($(#[$about])* pub $other: $other_type,)+)?
        }

        #[allow(non_upper_case_globals, reason = "a key has the name of its field")]
        mod key {
            use super::*;
            $(pub(in crate) static $field: crate::keys::Key<$type> = crate::keys::key!(
                stringify!($field), $kinds, $form, $default($text), $meaning $(, $lowers($cause))?
            );)+
        }

        impl $section {
            /// Its keys, in the order of the reference page.
            pub(crate) const KEYS: crate::keys::Keys = &[$(&key::$field),+];

            /// Reads all keys; `None` where a required one is missing or wrong.
            pub(crate) fn read_keys(section: &mut crate::source::reader::Section<'_>) -> Option<Self> {
                $(let $field = crate::keys::field!(read $default section, key::$field);)+
                Some(Self { $($field: $field?,)+ $($($other: $value,)+)? })
            }
        }
    };
}
pub(crate) use section;

/// The parts that a row of [`section!`] makes for its kind of default.
macro_rules! field {
    (type Words $type:ty) => { Option<$type> };
    (type Dependent $type:ty) => { Option<$type> };
    (type $default:ident $type:ty) => { $type };
    (read Words $section:ident, $key:path) => { Some($section.get(&$key)) };
    (read Dependent $section:ident, $key:path) => { Some($section.get(&$key)) };
    (read Required $section:ident, $key:path) => { $section.get_required(&$key) };
    (read $default:ident $section:ident, $key:path) => { Some($section.get_or_default(&$key)) };
}
pub(crate) use field;
