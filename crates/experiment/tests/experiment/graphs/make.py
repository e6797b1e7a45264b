"""Networks that networkx writes, as weir's tests read them."""
import json
import networkx as nx

ring = nx.cycle_graph(4)
nx.set_edge_attributes(ring, 1e9, "bandwidth")
nx.set_edge_attributes(ring, "100 ns", "latency")
nx.write_graphml(ring, "ring.graphml")
with open("ring.json", "w") as file:
    json.dump(nx.node_link_data(ring, edges="edges"), file, indent=1)
    file.write("\n")

star = nx.MultiDiGraph()
star.add_node("hub", kind="router")
for name in "abc":
    star.add_node(name, kind="node")
    star.add_edge(name, "hub", bandwidth="2 GB/s", latency=5e-7)
    star.add_edge("hub", name, bandwidth="1 GB/s", latency=5e-7)
nx.write_graphml(star, "star.graphml")
with open("star.json", "w") as file:
    json.dump(nx.node_link_data(star, edges="links"), file)
    file.write("\n")
