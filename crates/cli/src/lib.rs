//! The weir command.
