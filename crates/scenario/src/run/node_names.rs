//! Names of the machine's nodes, as programs see them.

use weir_units::NodeId;

/// Nodes are called `node0012`: with as many digits as the machine's last one, and four at least. So they are in the order
/// of their numbers when a program sorts them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeNames {
    digits: usize,
}

impl NodeNames {
    pub(crate) fn of(nodes: usize) -> Self {
        Self { digits: nodes.saturating_sub(1).to_string().len().max(4) }
    }

    pub(crate) fn name(self, node: NodeId) -> String {
        format!("node{:0digits$}", node.index(), digits = self.digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_order_of_their_numbers() {
        let name = |nodes, node| NodeNames::of(nodes).name(NodeId::new(node));
        assert_eq!((name(1, 0), name(10_000, 12)), ("node0000".to_owned(), "node0012".to_owned()));
        assert_eq!(
            (name(10_001, 12), name(10_001, 10_000)),
            ("node00012".to_owned(), "node10000".to_owned())
        );
        let all: Vec<String> = (0..10_001).map(|node| name(10_001, node)).collect();
        assert!(all.is_sorted());
    }
}
