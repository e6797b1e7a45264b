//! Machines: routers, links, routes, and the mapping of ranks to nodes.
