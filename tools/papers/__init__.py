"""The experiments of the papers that weir follows: published and own values side by side.

```text
  papers/items.toml, studies --> running: points --> weir run --> summaries
                                                                     |
  mfs, psi_sim, parallel_mfs, nsim, pacing: an item each --> values: rows --> tables --> pages
                                                                       \\-> plots
```

Everything that a value is compared with has a kind: a value is called *published* only if the paper prints it in its
text or in a table; nothing is read off a figure. What a paper leaves open is settled by an outside model of it, by a
formula, or by another way of weir's own, and these are not called published. Run times depend on the computer and are
shown, never judged. A published value that is not met is *not reproduced*; its row says why, as far as that is known.
"""
