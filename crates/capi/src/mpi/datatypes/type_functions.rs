//! Making datatypes, committing and freeing them.

use crate::calls::output_arguments::out;
use crate::mpi::attributes::{self, Holder};
use crate::mpi::datatypes::{self, Datatype, State, buffer, predefined_types};
use crate::mpi::prelude::*;
use std::ptr;
use std::rc::Rc;
use weir_message::UNDEFINED;
use weir_message::datatype::{Combiner, Count, Distribution, Grid, Order, Recipe, Type};

fn array<T: Copy>(array: *const T, count: impl Into<i64>) -> Result<Vec<T>> {
    let count = buffer::count(count)?;
    if array.is_null() && count > 0 {
        return Err(MpiError::Argument(format!("a null pointer for {count} arguments")));
    }
    // SAFETY: the program says that they are there.
    Ok((0..count).map(|index| unsafe { array.add(index).read_unaligned() }).collect())
}

arguments! { Handle => Rc<Type>: |context, _, given| datatypes::type_of(context, given); }

/// Gives the program a handle for a type that has been made.
fn give(context: &mut Context, new: Out<Handle>, made: Rc<Type>) -> Done {
    new.give(datatypes::add(context, made, State::New))
}

/// Functions that make a datatype of the old one and of numbers alone.
macro_rules! constructors {
    ($($function:ident<C>($($argument:ident: $kind:ty),*) => $made:expr;)*) => {$(
        pub(crate) fn $function<C: Count>(context: &mut Context $(, $argument: $kind)*, new: Out<Handle>) -> Done {
            give(context, new, $made?)
        }
    )*};
}

constructors! {
    type_contiguous<C>(count: C, old: Rc<Type>) => Type::contiguous_of(count, &old);
    type_vector<C>(count: C, length: C, stride: C, old: Rc<Type>) => Type::vector(count, length, stride, &old);
    type_create_hvector<C>(count: C, length: C, stride: isize, old: Rc<Type>) => Type::hvector(count, length, stride, &old);
    type_indexed<C>(count: C, lengths: *const C, displacements: *const C, old: Rc<Type>)
        => Type::indexed(&array(lengths, count)?, &array(displacements, count)?, &old);
    type_create_hindexed<C>(count: C, lengths: *const C, displacements: *const isize, old: Rc<Type>)
        => Type::hindexed(&array(lengths, count)?, &array(displacements, count)?, &old);
    type_create_indexed_block<C>(count: C, length: C, displacements: *const C, old: Rc<Type>)
        => Type::indexed_block(length, &array(displacements, count)?, &old);
    type_create_hindexed_block<C>(count: C, length: C, displacements: *const isize, old: Rc<Type>)
        => Type::hindexed_block(length, &array(displacements, count)?, &old);
    type_create_resized<C>(old: Rc<Type>, lower: isize, extent: isize) => Type::resized_by::<C>(&old, lower, extent);
}

pub(crate) fn type_create_struct<C: Count>(context: &mut Context, args: TypeCreateStruct<C>) -> Done {
    let (lengths, displacements) = (array(args.blocklengths, args.count)?, array(args.displs, args.count)?);
    let types = array(args.types, args.count)?.into_iter().map(|handle| datatypes::type_of(context, handle));
    let types = types.collect::<Result<Vec<_>, _>>()?;
    give(context, args.newtype, Type::structure(&lengths, &displacements, &types)?)
}

fn order(code: c_int) -> Result<Order> {
    match code {
        MPI_ORDER_C => Ok(Order::C),
        MPI_ORDER_FORTRAN => Ok(Order::Fortran),
        _ => Err(MpiError::Argument(format!("{code} is no order of an array"))),
    }
}

pub(crate) fn type_create_subarray<C: Count>(context: &mut Context, args: TypeCreateSubarray<C>) -> Done {
    let order = order(args.order)?;
    let array = |given| array(given, args.ndims);
    let (sizes, subsizes, starts) = (array(args.sizes)?, array(args.subsizes)?, array(args.starts)?);
    give(
        context,
        args.newtype,
        Type::subarray(&sizes, &subsizes, &starts, (order, args.order), &args.oldtype)?,
    )
}

fn distribution(code: c_int, argument: c_int) -> Result<Distribution> {
    let block = (argument != MPI_DISTRIBUTE_DFLT_DARG).then_some(argument);
    match code {
        MPI_DISTRIBUTE_NONE => Ok(Distribution::None),
        MPI_DISTRIBUTE_BLOCK => Ok(Distribution::Block(block)),
        MPI_DISTRIBUTE_CYCLIC => Ok(Distribution::Cyclic(block)),
        _ => Err(MpiError::Argument(format!("{code} is no distribution of an array"))),
    }
}

pub(crate) fn type_create_darray<C: Count>(context: &mut Context, args: TypeCreateDarray<C>) -> Done {
    let order = order(args.order)?;
    let ints = |given| array(given, args.ndims);
    let sizes = array(args.gsizes, args.ndims)?;
    let (codes, arguments, shape) = (ints(args.distribs)?, ints(args.dargs)?, ints(args.psizes)?);
    let pairs = codes.iter().zip(&arguments);
    let how = pairs.map(|(&code, &argument)| distribution(code, argument)).collect::<Result<Vec<_>, _>>()?;
    let behind = [&codes[..], &arguments, &shape, &[args.order]].concat();
    let grid = Grid { size: args.size, rank: args.rank, shape: &shape };
    let integers = (&[args.size, args.rank, args.ndims][..], &behind[..]);
    let made = Type::darray(grid, &sizes, &how, order, integers, &args.oldtype)?;
    give(context, args.newtype, made)
}

pub(crate) fn type_dup(context: &mut Context, old: Handle, new: Out<Handle>) -> Done {
    let copy = Type::dup(&datatypes::type_of(context, old)?);
    let state = datatypes::state(context, old)?;
    new.set(abi::predefined(MPI_DATATYPE_NULL));
    let made = datatypes::add(context, copy, state);
    if let Err(mistake) = attributes::copy_all(context, Holder::Type(old), Holder::Type(made)) {
        context.rank().types.remove(made)?;
        return Err(mistake);
    }
    new.give(made)
}

pub(crate) fn type_commit(context: &mut Context, datatype: Out<Handle>) -> Done {
    let handle = datatype.get();
    if abi::own_index(handle).is_none() {
        return Datatype::predefined(handle as usize).map(|_| ());
    }
    let made = context.rank().types.made(handle)?;
    made.kind.commit();
    made.state = State::Committed;
    Ok(())
}

pub(crate) fn type_free(context: &mut Context, datatype: Out<Handle>) -> Done {
    let handle = datatype.get();
    Datatype::of(context, handle)?;
    if abi::own_index(handle).is_none() || context.rank().types.chosen.contains(&handle) {
        return Err(MpiError::Type("a predefined datatype cannot be freed".into()));
    }
    attributes::delete_all(context, Holder::Type(handle))?;
    context.rank().types.remove(handle)?;
    datatype.give(abi::predefined(MPI_DATATYPE_NULL))
}

answers! { context;
    get_address(location: *const c_void) -> isize = location as isize;
    type_extent(of: Rc<Type>) -> isize = of.extent();
    type_lb(of: Rc<Type>) -> isize = of.lower_bound();
    type_ub(of: Rc<Type>) -> isize = of.lower_bound() + of.extent();
    type_create_f90_integer(range: c_int) -> Handle = chosen(context, Combiner::F90Integer, &[range])?;
}

/// Gives a real or complex type chosen by precision and range; whoever asks for the same twice gets the same handle.
pub(crate) fn type_create_f90(context: &mut Context, combiner: Combiner, args: TypeCreateF90) -> Done {
    args.newtype.give(chosen(context, combiner, &[args.p, args.r])?)
}

/// A type chosen by precision and range, or by range alone: the integers that the program gives.
fn chosen(context: &mut Context, combiner: Combiner, integers: &[c_int]) -> Result<Handle> {
    let (precision, range) = if let [p, r] = *integers { (p, r) } else { (UNDEFINED, integers[0]) };
    let base = predefined_types::chosen(combiner, precision, range).ok_or_else(|| {
        MpiError::Argument(format!("no number has precision {precision} and range {range}"))
    })?;
    datatypes::chosen(context, combiner, integers.to_vec(), base)
}

pub(crate) fn type_size(context: &mut Context, datatype: Handle, size: OutNumber) -> Done {
    size.give(Some(Datatype::of(context, datatype)?.size))
}

pub(crate) fn type_get_extent(_: &mut Context, of: Rc<Type>, lower: OutNumber, extent: OutNumber) -> Done {
    lower.set(Some(of.lower_bound() as i64));
    extent.give(Some(of.extent() as i64))
}

pub(crate) fn type_get_true_extent(
    _: &mut Context,
    of: Rc<Type>,
    lower: OutNumber,
    extent: OutNumber,
) -> Done {
    lower.set(Some(of.true_lower_bound() as i64));
    extent.give(Some(of.true_extent() as i64))
}

/// A datatype that was made with large counts has no place for them in the older functions.
fn check_small(recipe: &Recipe) -> Done {
    match recipe.large_counts.is_empty() {
        true => Ok(()),
        false => Err(MpiError::Type("the datatype was made with large counts: ask the _c form".into())),
    }
}

pub(crate) fn type_get_envelope(context: &mut Context, args: TypeGetEnvelope) -> Done {
    let of = datatypes::type_of(context, args.datatype)?;
    let recipe = of.recipe();
    check_small(recipe)?;
    let numbers = [args.num_integers, args.num_addresses, args.num_datatypes].map(OutNumber::Int);
    give_envelope(recipe, numbers, args.combiner)
}

pub(crate) fn type_get_envelope_c(context: &mut Context, args: TypeGetEnvelopeC) -> Done {
    let of = datatypes::type_of(context, args.datatype)?;
    let recipe = of.recipe();
    args.num_large_counts.set(recipe.large_counts.len() as i64);
    let numbers = [args.num_integers, args.num_addresses, args.num_datatypes].map(OutNumber::Large);
    give_envelope(recipe, numbers, args.combiner)
}

fn give_envelope(recipe: &Recipe, numbers: [OutNumber; 3], combiner: Out<c_int>) -> Done {
    let found = [recipe.integers.len(), recipe.addresses.len(), recipe.types.len()];
    numbers.iter().zip(found).for_each(|(number, found)| number.set(Some(found)));
    combiner.give(recipe.combiner as c_int)
}

/// An array of the program for arguments of a constructor, and its length.
type Room<T> = (i64, *mut T);

fn fill<T: Copy>(values: &[T], (room, to): Room<T>) -> Done {
    if room < values.len() as i64 {
        return Err(MpiError::Argument(format!(
            "room for {room} arguments where there are {}",
            values.len()
        )));
    }
    if !values.is_empty() {
        out(to, "array of arguments")?;
        // SAFETY: the program's array, with room for so much.
        unsafe { ptr::copy_nonoverlapping(values.as_ptr(), to, values.len()) };
    }
    Ok(())
}

/// The program's arrays for the arguments of a constructor.
struct Rooms {
    integers: Room<c_int>,
    addresses: Room<isize>,
    large_counts: Room<i64>,
    types: Room<Handle>,
}

fn contents(context: &mut Context, recipe: &Recipe, rooms: Rooms) -> Done {
    if recipe.combiner == Combiner::Named {
        return Err(MpiError::Type("a predefined datatype was not made of anything".into()));
    }
    fill(&recipe.integers, rooms.integers)?;
    fill(&recipe.addresses, rooms.addresses)?;
    fill(&recipe.large_counts, rooms.large_counts)?;
    if rooms.types.0 < recipe.types.len() as i64 {
        return Err(MpiError::Argument(format!("room for {} datatypes", rooms.types.0)));
    }
    // Each older type gets a handle of its own, ready for use, which the program frees.
    let handles = recipe.types.iter().map(|old| datatypes::add(context, old.clone(), State::Committed));
    fill(&handles.collect::<Vec<_>>(), rooms.types)
}

pub(crate) fn type_get_contents(context: &mut Context, args: TypeGetContents) -> Done {
    let of = datatypes::type_of(context, args.datatype)?;
    check_small(of.recipe())?;
    contents(
        context,
        of.recipe(),
        Rooms {
            integers: (args.max_integers.into(), args.integers),
            addresses: (args.max_addresses.into(), args.addresses),
            large_counts: (0, ptr::null_mut()),
            types: (args.max_datatypes.into(), args.datatypes),
        },
    )
}

pub(crate) fn type_get_contents_c(context: &mut Context, args: TypeGetContentsC) -> Done {
    let of = datatypes::type_of(context, args.datatype)?;
    contents(
        context,
        of.recipe(),
        Rooms {
            integers: (args.max_integers, args.integers),
            addresses: (args.max_addresses, args.addresses),
            large_counts: (args.max_large_counts, args.large_counts),
            types: (args.max_datatypes, args.datatypes),
        },
    )
}

pub(crate) fn type_match_size(_: &mut Context, class: c_int, size: c_int, datatype: Out<Handle>) -> Done {
    let found = predefined_types::match_size(class, size).ok_or_else(|| {
        MpiError::Argument(format!("no predefined datatype of class {class} has {size} bytes"))
    })?;
    datatype.give(abi::predefined(found))
}

pub(crate) fn type_get_value_index(context: &mut Context, args: TypeGetValueIndex) -> Done {
    datatypes::type_of(context, args.value_type)?;
    datatypes::type_of(context, args.index_type)?;
    let found = predefined_types::value_index(args.value_type as usize, args.index_type as usize);
    args.pair_type.give(abi::predefined(found))
}
