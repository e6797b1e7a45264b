//! Experiment file to checked scenario to simulation.
