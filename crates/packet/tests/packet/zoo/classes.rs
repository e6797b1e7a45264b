//! Random service classes.

use proptest::prelude::*;
use weir_network::{Fitting, Selected, ServiceClass, ServiceClasses};
use weir_units::Bytes;

/// None, or two to four service classes with so many virtual channels beside those that routes need.
pub(super) fn services() -> impl Strategy<Value = Option<ServiceClasses>> {
    let class = || (1..=2_u32, 0..=1_u32, 1..=3_u32);
    let (split, size) = (0..6_u32, 0..300_u64);
    let all = (class(), class(), prop::option::of(class()), prop::option::of(class()), split, size);
    let some = all.prop_map(|(others, short, control, ranks, split, size)| {
        let class = |name: &str, (channels, priority, weight), messages, control| ServiceClass {
            name: name.into(),
            channels,
            priority,
            weight,
            messages,
            control,
        };
        let below = ranks.map_or_else(Vec::new, |_| vec![split..=u32::MAX]);
        let short_ones = Fitting { ranks: below, from: Bytes(0), below: Some(Bytes(size)) };
        let mut classes = vec![
            class("others", others, Selected::Others, false),
            class("short", short, Selected::Fitting(short_ones), false),
        ];
        classes.extend(control.map(|own| class("control", own, Selected::None, true)));
        let of_ranks = ranks.filter(|_| split > 0).map(|own| {
            let low = Fitting { ranks: vec![0..=split - 1], from: Bytes(0), below: None };
            class("ranks", own, Selected::Fitting(low), false)
        });
        classes.extend(of_ranks);
        ServiceClasses::new(classes)
    });
    prop_oneof![2 => Just(None), 1 => some]
}
