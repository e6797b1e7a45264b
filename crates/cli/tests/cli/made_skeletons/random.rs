//! Random programs in C that any number of ranks can run: all ranks do the same, since nothing hangs on the rank but the
//! partners of messages.

use std::fmt::Write as _;

/// The program of a seed.
pub(crate) fn program(seed: u64) -> String {
    let mut maker =
        Maker { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, text: String::new(), loops: 0 };
    maker.program();
    maker.text
}

struct Maker {
    state: u64,
    text: String,
    /// Loops so far, for the names of their counters.
    loops: usize,
}

const HEAD: &str = "#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef unsigned number;
struct pair { number n; number *to; };
static number g0, g1 = 1, g2 = 2, g3 = 3, g4 = 4, g5 = 5;
static number a0[16], a1[16], a2[16], a3[16];
static double d0[64], d1[64];
static struct pair s0 = {1, a0}, s1 = {2, a1};
static number *p0 = a0, *p1 = a1, *p2 = &g2;
static int rank, ranks;
#define ADD(to, what) ((to) += (what))
#define SET(to, what) do { (to) = (what); } while (0)
";

impl Maker {
    fn below(&mut self, end: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as usize % end
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn program(&mut self) {
        self.text.push_str(HEAD);
        for number in 0..4 {
            // Each calls only those before it.
            let has_mpi = self.below(3) == 0;
            _ = writeln!(self.text, "static number f{number}(number v, number *at)\n{{\n    number w = 0;");
            let statements = 2 + self.below(3);
            for _ in 0..statements {
                self.statement(2, number, has_mpi);
            }
            let result = self.expression(1);
            _ = writeln!(self.text, "    return w + {result};\n}}");
        }
        self.text.push_str(
            "int main(int argc, char **argv)\n{\n    number v = 1, w = 2, i, *at = a2;\n    MPI_Init(&argc, &argv);\n    \
             MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n    MPI_Comm_size(MPI_COMM_WORLD, &ranks);\n",
        );
        let statements = 6 + self.below(8);
        for _ in 0..statements {
            self.statement(3, 4, true);
        }
        self.text.push_str(
            "    for (i = 0; i < 2; i++) g5 += i;\n    MPI_Finalize();\n    return v == 77 && w == 78 && at == a3 && d0[0] > 1e300 && d1[0] > 1e300 && g5 == 1;\n}\n",
        );
    }

    /// A place that can be set.
    fn place(&mut self) -> String {
        match self.below(6) {
            0 | 1 => self.one(&["g0", "g1", "g2", "g3", "g4", "g5", "v", "w"]).to_owned(),
            2 => {
                let index = self.expression(1);
                format!("{}[({index}) & 15]", self.one(&["a0", "a1", "a2", "a3"]))
            }
            3 => format!("*{}", self.one(&["p0", "p1", "p2", "at"])),
            4 => self.one(&["s0.n", "s1.n"]).to_owned(),
            _ => format!("{}[0]", self.one(&["s0.to", "s1.to"])),
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        match self.below(if depth == 0 { 3 } else { 8 }) {
            0 => self.below(9).to_string(),
            1 | 2 => self
                .one(&["g0", "g1", "g2", "g3", "g4", "g5", "v", "w", "s0.n", "s1.n", "*p0", "*p1", "*at"])
                .to_owned(),
            3 => {
                let index = self.expression(depth - 1);
                format!("{}[({index}) & 15]", self.one(&["a0", "a1", "a2", "a3"]))
            }
            4 => {
                let [condition, one, other] = [(); 3].map(|()| self.expression(depth - 1));
                format!("(({condition}) & 1 ? {one} : {other})")
            }
            _ => {
                let sign = self.one(&["+", "*", "-", "^", "&"]);
                let [left, right] = [(); 2].map(|()| self.expression(depth - 1));
                format!("({left} {sign} {right})")
            }
        }
    }

    fn block(&mut self, depth: usize, functions: usize, has_mpi: bool) {
        let statements = 1 + self.below(3);
        self.text.push_str("    {\n");
        for _ in 0..statements {
            self.statement(depth - 1, functions, has_mpi);
        }
        self.text.push_str("    }\n");
    }

    fn statement(&mut self, depth: usize, functions: usize, has_mpi: bool) {
        match self.below(if depth == 0 { 10 } else { 16 }) {
            0 | 1 => {
                let (place, value) = (self.place(), self.expression(2));
                let sign = self.one(&["=", "+=", "^="]);
                _ = writeln!(self.text, "    {place} {sign} {value};");
            }
            2 => {
                let (place, value) = (self.place(), self.expression(1));
                let name = self.one(&["ADD", "SET"]);
                _ = writeln!(self.text, "    {name}({place}, {value});");
            }
            3 => {
                let pointer = self.one(&["p0", "p1", "p2", "s0.to", "s1.to"]);
                let target =
                    self.one(&["a0", "a1 + 3", "a2", "&g0", "&g3", "&s0.n", "at", "p1", "&v, p2 = a3"]);
                let target = if target.starts_with("&v") { "a3" } else { target };
                _ = writeln!(self.text, "    {pointer} = {target};");
            }
            4 | 5 if functions > 0 => {
                let (place, value, which) = (self.place(), self.expression(1), self.below(functions));
                let pointer = self.one(&["a0", "a1", "p0", "&g1", "s0.to", "at"]);
                _ = writeln!(self.text, "    {place} = f{which}({value}, {pointer});");
            }
            6 => {
                let (index, place, value) = (self.expression(1), self.place(), self.below(9));
                _ = writeln!(self.text, "    if (({index}) & 1) {place} = {value};");
            }
            7 if has_mpi => self.collective(),
            8 if has_mpi => self.exchange(),
            9 => self.work(),
            10 | 11 if depth > 0 => {
                let end = self.expression(1);
                self.loops += 1;
                let name = format!("i{}", self.loops);
                _ = writeln!(self.text, "    for (number {name} = 0; {name} < (({end}) & 3) + 1; {name}++)");
                self.block(depth, functions.min(1), has_mpi);
            }
            12 if depth > 0 => {
                let condition = self.expression(1);
                _ = writeln!(self.text, "    if (({condition}) & 1)");
                self.block(depth, functions, has_mpi);
                self.text.push_str("    else\n");
                self.block(depth, functions, has_mpi);
            }
            13 if depth > 0 => {
                self.loops += 1;
                let (name, condition) = (format!("i{}", self.loops), self.expression(1));
                let jump = self.one(&["break", "continue"]);
                _ = writeln!(
                    self.text,
                    "    for (number {name} = 0; {name} < 3; {name}++) {{ if (({condition}) & 1) {jump};"
                );
                self.block(depth, functions.min(1), has_mpi);
                self.text.push_str("    }\n");
            }
            14 if depth > 0 => {
                let value = self.expression(1);
                _ = writeln!(self.text, "    switch (({value}) & 3) {{\n    case 0:");
                self.block(depth, functions, has_mpi);
                let end = self.one(&["break;", ""]);
                _ = writeln!(self.text, "    {end}\n    case 2:");
                self.block(depth, functions, has_mpi);
                self.text.push_str("    }\n");
            }
            _ => self.work(),
        }
    }

    /// Work on data, which mostly decides nothing.
    fn work(&mut self) {
        self.loops += 1;
        let name = format!("i{}", self.loops);
        let [one, other] = [(); 2].map(|()| self.one(&["d0", "d1"]));
        let factor = self.one(&["g0", "v", "*p0", "a1[2]", "7", "s0.n"]);
        _ = writeln!(
            self.text,
            "    for (number {name} = 0; {name} < 64; {name}++) {one}[{name}] = {other}[{name}] * 0.5 + {factor};"
        );
        if self.below(4) == 0 {
            let place = self.place();
            _ = writeln!(self.text, "    {place} = (number)(long)({one}[3] / 1e9) & 7;");
        }
    }

    fn count(&mut self) -> String {
        let value = self.expression(1);
        format!("(int)(({value}) & 3) + 1")
    }

    fn collective(&mut self) {
        let count = self.count();
        let call = match self.below(4) {
            0 => format!(
                "MPI_Bcast({}, {count}, MPI_UNSIGNED, 0, MPI_COMM_WORLD)",
                self.one(&["a0", "a1", "a2"])
            ),
            1 => format!(
                "MPI_Allreduce({}, a3, {count}, MPI_UNSIGNED, MPI_MAX, MPI_COMM_WORLD)",
                self.one(&["a0", "a1"])
            ),
            2 => format!(
                "MPI_Allreduce(MPI_IN_PLACE, {}, {count}, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD)",
                self.one(&["d0", "d1"])
            ),
            _ => format!("MPI_Bcast(d0, 8 * ({count}), MPI_DOUBLE, 0, MPI_COMM_WORLD)"),
        };
        _ = writeln!(self.text, "    {call};");
    }

    fn exchange(&mut self) {
        let (count, tag) = (self.count(), self.count());
        let (sent, got, of) = match self.below(3) {
            0 => ("a0", "a2", "MPI_UNSIGNED"),
            1 => ("a1", "a3 + 2", "MPI_UNSIGNED"),
            _ => ("d0", "d1", "MPI_DOUBLE"),
        };
        _ = writeln!(
            self.text,
            "    MPI_Sendrecv({sent}, {count}, {of}, (rank + 1) % ranks, {tag}, {got}, 16, {of}, (rank + ranks - 1) % ranks, MPI_ANY_TAG, \
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
        );
    }
}
