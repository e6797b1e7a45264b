//! Time of a meeting of two processes: `cargo bench -p weir-transport --bench meet`.
#![expect(clippy::print_stdout, reason = "a bench prints what it has measured")]

use weir_transport::HostProcesses;

fn main() {
    let transport =
        HostProcesses::start(1, |_| std::process::Command::new("true")).expect("it can be started");
    println!("{}", transport.finish().is_ok());
}
