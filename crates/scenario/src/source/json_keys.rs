//! JSON in which a key stands once: readers of JSON take the last of several, and say nothing.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

pub(crate) struct Keys<V>(BTreeMap<String, V>);

impl<V> Keys<V> {
    pub(crate) fn get(&self, key: &str) -> Option<&V> {
        self.0.get(key)
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Keys<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Once<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Once<V> {
            type Value = Keys<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys<V>, A::Error> {
                let mut keys = BTreeMap::new();
                while let Some((key, value)) = map.next_entry::<String, V>()? {
                    if keys.contains_key(&key) {
                        return Err(A::Error::custom(format!("the key {key:?} is there twice")));
                    }
                    keys.insert(key, value);
                }
                Ok(Keys(keys))
            }
        }
        deserializer.deserialize_map(Once(PhantomData))
    }
}

macro_rules! passes {
    ($($visit:ident: $type:ty),+) => {
        $(fn $visit<E>(self, _: $type) -> Result<EveryKeyOnce, E> {
            Ok(EveryKeyOnce)
        })+
    };
}

/// Goes through any JSON and keeps nothing.
pub(crate) struct EveryKeyOnce;

impl<'de> Deserialize<'de> for EveryKeyOnce {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = EveryKeyOnce;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON")
            }

            passes!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

            fn visit_unit<E>(self) -> Result<EveryKeyOnce, E> {
                Ok(EveryKeyOnce)
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<EveryKeyOnce, A::Error> {
                while list.next_element::<EveryKeyOnce>()?.is_some() {}
                Ok(EveryKeyOnce)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<EveryKeyOnce, A::Error> {
                Keys::<EveryKeyOnce>::deserialize(serde::de::value::MapAccessDeserializer::new(map))
                    .map(|_| EveryKeyOnce)
            }
        }
        deserializer.deserialize_any(Any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_is_a_mistake_with_its_line() {
        let check =
            |text: &str| serde_json::from_str::<EveryKeyOnce>(text).map(|_| ()).map_err(|e| e.to_string());
        assert_eq!(check("{\"a\": [1, {\"a\": null, \"b\": \"x\"}], \"b\": {\"a\": -1.5}}"), Ok(()));
        let error = check("{\"a\": [1,\n{\"c\": 1,\n \"c\": 2}]}").unwrap_err();
        assert!(error.starts_with("the key \"c\" is there twice at line 3"), "{error}");
    }
}
