//! Choices for messages: functions of `weir.h` that MPI lacks (paper 003, section 4.1).
//!
//! A choice of a rank holds until it chooses anew. A choice that the engine cannot follow is refused: a choice that
//! is accepted has effect.

use crate::mpi::prelude::*;
use crate::rank::mpi_call::call;
use std::ffi::c_double;
use std::ptr;
use weir_message::{Copying, Gaps, Protocol, SendChoices};

/// Longest gap that the packet engine takes, in packet times.
const LONGEST_GAP: c_double = 1e6;

/// No communicator: mistakes are the world's.
const WORLD: Handle = ptr::null_mut();

pub(crate) unsafe extern "C" fn now() -> c_double {
    Context::get().map_or(0.0, |mut context| context.read_clock().as_secs_f64())
}

pub(crate) unsafe extern "C" fn nics() -> c_int {
    Context::get().map_or(1, |mut context| context.rank().world.options.interfaces.count.into())
}

pub(crate) unsafe extern "C" fn has_send_gap() -> c_int {
    Context::get().map_or(0, |mut context| {
        c_int::from(context.rank().world.options.interfaces.gaps == Gaps::PerMessage)
    })
}

fn choose(
    name: &'static str,
    change: impl FnOnce(&mut Context, SendChoices) -> Result<SendChoices>,
) -> c_int {
    call(name, WORLD, |context| {
        let before = context.rank().process.choices();
        let choices = change(context, before)?;
        context.rank().process.choose(choices);
        Ok(())
    })
}

fn of_number<T: Copy>(given: c_int, known: [(c_int, T); 3], what: &str, names: &str) -> Result<T> {
    let found = known.iter().find(|(number, _)| *number == given).map(|(_, choice)| *choice);
    found.ok_or_else(|| MpiError::Argument(format!("{given} is no {what}: {names}")))
}

pub(crate) unsafe extern "C" fn send_protocol(protocol: c_int) -> c_int {
    choose("weir_send_protocol", |_, choices| {
        let known = [
            (WEIR_AUTO, Protocol::Auto),
            (WEIR_EAGER, Protocol::Eager),
            (WEIR_RENDEZVOUS, Protocol::Rendezvous),
        ];
        let names = "WEIR_AUTO, WEIR_EAGER or WEIR_RENDEZVOUS";
        Ok(SendChoices { protocol: of_number(protocol, known, "protocol", names)?, ..choices })
    })
}

pub(crate) unsafe extern "C" fn send_copy(copying: c_int) -> c_int {
    choose("weir_send_copy", |_, choices| {
        let known = [
            (WEIR_AUTO, Copying::Auto),
            (WEIR_ZERO_COPY, Copying::ZeroCopy),
            (WEIR_ONE_COPY, Copying::OneCopy),
        ];
        let names = "WEIR_AUTO, WEIR_ZERO_COPY or WEIR_ONE_COPY";
        Ok(SendChoices { copying: of_number(copying, known, "way of copying", names)?, ..choices })
    })
}

pub(crate) unsafe extern "C" fn send_nic(nic: c_int) -> c_int {
    choose("weir_send_nic", |context, choices| {
        let count = context.rank().world.options.interfaces.count;
        let nic = match u16::try_from(nic) {
            Ok(number) if number < count => Some(number),
            _ if nic == WEIR_NIC_AUTO => None,
            _ => {
                return Err(MpiError::Argument(format!(
                    "there is no interface {nic}: nodes of this machine have {count}, counted from 0 (node.nics, on the \
                     packet engine); WEIR_NIC_AUTO lets the machine choose"
                )));
            }
        };
        Ok(SendChoices { way: choices.way.clone().with_nic(nic), ..choices })
    })
}

pub(crate) unsafe extern "C" fn send_gap(gap: c_double) -> c_int {
    choose("weir_send_gap", |context, choices| {
        let gap = if gap == WEIR_GAP_AUTO { None } else { Some(gap) };
        if let Some(gap) = gap {
            if context.rank().world.options.interfaces.gaps == Gaps::None {
                return Err(MpiError::Argument(
                    "inter-packet gaps belong to the packet engine, since no other has packets (engine.kind = \
                     \"packet\"); weir_has_send_gap() says whether they can be set"
                        .into(),
                ));
            }
            if !(0.0..=LONGEST_GAP).contains(&gap) {
                return Err(MpiError::Argument(format!(
                    "{gap} is no inter-packet gap: from 0 to 1,000,000 packet times, or WEIR_GAP_AUTO"
                )));
            }
        }
        Ok(SendChoices { way: choices.way.clone().with_gap(gap), ..choices })
    })
}
