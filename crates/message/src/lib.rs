//! MPI semantics without C: matching, protocols, requests, communicators, collectives.
