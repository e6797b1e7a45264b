//! Named communication patterns.
