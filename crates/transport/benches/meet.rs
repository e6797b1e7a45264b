//! Time of a meeting of two processes: `cargo bench -p weir-transport --bench meet`; and of processes under a launcher:
//! `mpirun -n 2 target/release/deps/meet-*`.
//!
//! A row for each way that is there: shared memory of the host, and the launchers that the tests have.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench prints what it has measured")]

#[path = "../tests/transport/command.rs"]
mod command;

use command::{Launcher, clean_up};
use std::process::{Command, Stdio};
use std::time::Instant;
use weir_pdes::Transport;
use weir_transport::{HostProcesses, MpiProcesses};

/// Each is measured so many times, and the median counts.
const RUNS: usize = 9;

fn main() {
    // Processes that this one starts are given how many meetings are measured at once.
    let meetings = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let meetings: usize = meetings.unwrap_or(20_000);
    if let Some(mut transport) = HostProcesses::join().unwrap() {
        // What this process starts is no part of the run.
        assert!(std::env::var_os("WEIR_PROCESS").is_none());
        measure("", &mut transport, meetings);
        transport.finish().unwrap();
        return;
    }
    match MpiProcesses::join() {
        Ok(Some(mut transport)) => {
            let name = transport.library().to_owned();
            measure(&name, &mut transport, meetings);
            transport.finish().unwrap();
        }
        Ok(None) => measure_all(),
        Err(error) => {
            println!("{error}");
            std::process::exit(1);
        }
    }
}

/// In all ways that are there.
fn measure_all() {
    // Under `cargo test` there is no --bench: short runs to see that it works.
    let short = !std::env::args().any(|word| word == "--bench");
    let meetings = if short { 20 } else { 20_000 };
    let this = std::env::current_exe().unwrap();
    println!("microseconds for a meeting of 2 processes, the median of {RUNS} times {meetings}");
    println!("{:>12} {:>14}  by", "no letters", "2 of 4 KiB");
    let start = |_| {
        let mut command = Command::new(&this);
        command.arg(meetings.to_string());
        command
    };
    let mut transport = HostProcesses::start(2, start).unwrap();
    measure("shared memory", &mut transport, meetings);
    let ended = transport.finish().unwrap();
    assert!(ended.iter().all(std::process::ExitStatus::success), "{ended:?}");

    for launcher in Launcher::ALL {
        let mut command = launcher.command(2);
        command.arg(&this).arg(meetings.to_string()).stdin(Stdio::null());
        let status = command.status();
        clean_up(&command);
        match status {
            Ok(status) => assert!(status.success(), "{launcher:?}: {status}"),
            Err(error) => println!("{launcher:?}: {error}; make setup unpacks it"),
        }
    }
}

/// Prints a row, in process 0.
fn measure(name: &str, transport: &mut dyn Transport, meetings: usize) {
    let [none, some] = [0, 4096].map(|size| {
        let mut letters: Vec<Vec<u8>> = vec![Vec::new(); transport.processes()];
        let mut times = [0.0; RUNS];
        for time in &mut times {
            let start = Instant::now();
            for _ in 0..meetings {
                for (_, letter) in letters.iter_mut().enumerate().filter(|&(to, _)| to != transport.process())
                {
                    letter.resize(size, 7);
                }
                let receive = &mut |_, letter: &[u8]| assert_eq!(letter.len(), size);
                transport.meet(&mut [1, 2, 3], &mut letters, receive).unwrap();
            }
            *time = start.elapsed().as_secs_f64() * 1e6 / meetings as f64;
        }
        times.sort_by(f64::total_cmp);
        times[RUNS / 2]
    });
    if transport.process() == 0 {
        println!("{none:12.2} {some:14.2}  {name}");
    }
}
