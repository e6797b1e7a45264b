//! Files that ibnetdiscover prints of an InfiniBand fabric, and the near-by ones of ibsim have a record for each switch and channel adapter, a line for each of its ports.
//!
//! Grammar: the manual page ibnetdiscover(8), the head of ibsim's example. Each cable is there twice, once at each of its ends, which have to agree: so a file that is cut off is
//! noticed. A rate is the data rate of its lanes: `4xNDR` or `s=4 w=2`. The file has no latencies.
//!
//! Adapters of one host are interfaces of one node: the host is what the description of an adapter says before `HCA-1` or `mlx5_0`; an adapter without such a description is a node of its own. Aggregation
//! nodes are parts of switches, not hosts.

use crate::machine::Machine;
use crate::reading::Reading;
use std::collections::BTreeMap;
use weir_units::Bandwidth;

/// Data rates of a lane in Gb/s: the signal rate without 8b/10b or 64b/66b coding (InfiniBand Architecture Specification, volume 2).
const LANES: [(&str, f64); 9] = [
    ("SDR", 2.0),
    ("DDR", 4.0),
    ("QDR", 8.0),
    ("FDR10", 10.0),
    ("FDR", 13.636_363_636_363_637),
    ("EDR", 25.0),
    ("HDR", 50.0),
    ("NDR", 100.0),
    ("XDR", 200.0),
];

struct Device {
    is_switch: bool,
    description: String,
    line: usize,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Port {
    device: String,
    number: u32,
}

struct Half {
    to: Port,
    rate: Option<Bandwidth>,
    line: usize,
}

#[derive(Default)]
struct Fabric {
    devices: BTreeMap<String, Device>,
    /// In the order of the file.
    order: Vec<String>,
    halves: BTreeMap<Port, Half>,
    ports: usize,
}

pub(crate) fn read(text: &str, reading: &mut Reading) -> Option<Machine> {
    let mut fabric = Fabric::default();
    let mut current: Option<String> = None;
    for (line, row) in (1..).zip(text.lines()) {
        let row = row.trim();
        if row.starts_with('#') || row.is_empty() {
            continue;
        }
        if row.starts_with('[') {
            let Some(device) = current.clone() else {
                reading.wrong(line, row, "a port without a switch or an adapter before it");
                continue;
            };
            fabric.port(device, row, line, reading);
        } else if let Some((kind, rest)) = row.split_once(['\t', ' ']).filter(|(kind, _)| is_kind(kind)) {
            current = fabric.device(kind, rest, line, reading);
        } else if !is_property(row) {
            let hint = "expected Switch, Ca, Rt or Hca with its ports, or a property such as vendid=0x2c9";
            reading.wrong_with(line, row, "not a line of ibnetdiscover", hint);
        }
    }
    if fabric.devices.is_empty() && !reading.is_wrong() {
        reading.wrong_whole("the file has no switch and no adapter: it is cut off", None);
    }
    let ports = fabric.ports;
    let (switches, adapters) =
        (fabric.devices.values().filter(|device| device.is_switch).count(), fabric.devices.len());
    reading.note(format!(
        "{switches} switches, {} channel adapters, {ports} ports with a cable",
        adapters - switches
    ));
    fabric.build(reading)
}

fn is_kind(word: &str) -> bool {
    ["Switch", "Ca", "Rt", "Hca"].contains(&word)
}

fn is_property(row: &str) -> bool {
    const PROPERTIES: [&str; 8] =
        ["vendid", "devid", "sysimgguid", "switchguid", "caguid", "rtguid", "nodeguid", "module"];
    row.split_once('=').is_some_and(|(key, _)| PROPERTIES.contains(&key.trim())) || row.starts_with("DR path")
}

/// A text in quotation marks, and what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    text.trim_start().strip_prefix('"')?.split_once('"')
}

impl Fabric {
    fn device(&mut self, kind: &str, rest: &str, line: usize, reading: &mut Reading) -> Option<String> {
        let name = rest.trim_start().split_once(['\t', ' ']).and_then(|(ports, rest)| {
            ports.parse::<u32>().ok()?;
            quoted(rest)
        });
        let Some((name, comment)) = name else {
            reading.wrong(line, rest, "expected a number of ports and a name in quotation marks");
            return None;
        };
        let description =
            comment.split_once('#').and_then(|(_, text)| quoted(text)).map_or("", |(text, _)| text);
        let device =
            Device { is_switch: kind == "Switch" || kind == "Rt", description: description.to_owned(), line };
        if kind == "Rt" {
            reading.cannot(line, name, "routers between subnets stand as switches");
        }
        if let Some(before) = self.devices.insert(name.to_owned(), device) {
            reading.wrong(line, name, format!("the device is there twice, on line {} as well", before.line));
        }
        self.order.push(name.to_owned());
        Some(name.to_owned())
    }

    /// `[1](guid) "S-0001"[15](guid) # "description" lid 16 4xQDR s=4 w=2`
    fn port(&mut self, device: String, row: &str, line: usize, reading: &mut Reading) {
        let parsed = || {
            let (number, rest) = numbered(row)?;
            let (name, rest) = quoted(rest)?;
            let (other, rest) = numbered(rest)?;
            Some((number, Port { device: name.to_owned(), number: other }, rest))
        };
        let Some((number, to, rest)) = parsed() else {
            reading.wrong(
                line,
                row,
                "expected a port as in [1] \"S-0001\"[15] # ... 4xQDR; the file may be cut off",
            );
            return;
        };
        let rate = match rate(rest) {
            Ok(rate) => rate,
            Err(word) => {
                let known: Vec<&str> = LANES.iter().map(|(name, _)| *name).collect();
                let hint = format!("known are {} with 1x, 2x, 4x, 8x or 12x before them", known.join(", "));
                reading.wrong_with(line, &word, "unknown rate", &hint);
                return;
            }
        };
        self.ports += 1;
        let from = Port { device, number };
        if self.halves.insert(from, Half { to, rate, line }).is_some() {
            reading.wrong(line, row, "the port is there twice");
        }
    }

    fn build(self, reading: &mut Reading) -> Option<Machine> {
        let mut machine = Machine::default();
        let mut vertex: BTreeMap<&str, u32> = BTreeMap::new();
        let mut hosts: BTreeMap<&str, u32> = BTreeMap::new();
        let mut aggregation = 0;
        for name in &self.order {
            let Device { is_switch, description, line } = &self.devices[name];
            if !is_switch && description.contains("Aggregation Node") {
                aggregation += 1;
                continue;
            }
            let number = match host_of(description) {
                _ if *is_switch => machine.router(name, *line),
                Some(host) => *hosts.entry(host).or_insert_with(|| machine.node(host, *line)),
                None => machine.node(name, *line),
            };
            vertex.insert(name, number);
        }
        if aggregation > 0 {
            reading
                .note(format!("{aggregation} aggregation nodes, which are parts of switches, are no nodes"));
        }
        for (from, half) in &self.halves {
            let back = self.halves.get(&half.to);
            let agrees = back.is_some_and(|back| back.to == *from);
            match (self.devices.get(&half.to.device), back) {
                (None, _) => {
                    reading.cannot(
                        half.line,
                        &half.to.device,
                        "a cable ends at a device that is not in the file, which may be cut off",
                    );
                    continue;
                }
                (Some(_), None) => {
                    let value = format!("{}[{}]", half.to.device, half.to.number);
                    reading.cannot(
                        half.line,
                        &value,
                        "a cable is not there at its other end: the file may be cut off",
                    );
                    if from.device == half.to.device {
                        continue;
                    }
                }
                (Some(_), Some(_)) if !agrees => {
                    let value = format!("{}[{}]", half.to.device, half.to.number);
                    reading.wrong(half.line, &value, "the port at the other end has another cable");
                    continue;
                }
                // The other end has made the cable.
                (Some(_), Some(_)) if half.to < *from => continue,
                (Some(_), Some(back))
                    if back.rate != half.rate && back.rate.is_some() && half.rate.is_some() =>
                {
                    reading.wrong(half.line, "", format!("the cable has another rate on line {}", back.line));
                }
                _ => {}
            }
            let rate = half.rate.or(back.and_then(|back| back.rate));
            if let (Some(&a), Some(&b)) = (vertex.get(&*from.device), vertex.get(&*half.to.device)) {
                machine.cable((a, b), rate.or(reading.given.bandwidth), reading.given.latency, half.line);
            }
        }
        Some(machine)
    }
}

/// `[1](guid)`: the number, and what follows.
fn numbered(text: &str) -> Option<(u32, &str)> {
    let (number, rest) = text.trim_start().strip_prefix('[')?.split_once(']')?;
    let rest = rest.trim_start();
    let rest = if rest.starts_with('(') { rest.split_once(')')?.1 } else { rest };
    Some((number.trim().parse().ok()?, rest))
}

/// The host in a description such as `node7 HCA-1` or `node7 mlx5_0`.
fn host_of(description: &str) -> Option<&str> {
    let (host, adapter) = description.trim().split_once(' ')?;
    let adapter = adapter.trim().trim_matches('\'');
    let is_adapter = ["HCA-", "mlx4_", "mlx5_", "qib", "hfi1_", "irdma", "ibp"].iter().any(|begin| {
        adapter
            .strip_prefix(begin)
            .is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
    });
    (is_adapter && !host.is_empty()).then_some(host)
}

/// The rate in the text behind a cable, if there is one.
///
/// # Errors
/// The word that looks like a rate and is none.
fn rate(text: &str) -> Result<Option<Bandwidth>, String> {
    // What stands within quotation marks is a name.
    let outside: Vec<&str> = text.split('"').step_by(2).flat_map(str::split_whitespace).collect();
    let code = |key: &str| outside.iter().find_map(|word| word.strip_prefix(key)?.parse::<u32>().ok());
    for word in &outside {
        let Some((width, speed)) = word
            .split_once('x')
            .filter(|(width, _)| !width.is_empty() && width.bytes().all(|b| b.is_ascii_digit()))
        else {
            continue;
        };
        let lane = LANES.iter().find(|(name, _)| *name == speed);
        let (Some((_, lane)), Some(width)) =
            (lane, width.parse::<f64>().ok().filter(|width| [1.0, 2.0, 4.0, 8.0, 12.0].contains(width)))
        else {
            return Err((*word).to_owned());
        };
        return Ok(Bandwidth::new(width * lane * 1e9 / 8.0));
    }
    // Widths and speeds as the subnet manager counts them: PortInfo, LinkWidthActive and LinkSpeedActive, LinkSpeedExtActive.
    let (Some(width), Some(speed)) = (code("w="), code("s=")) else { return Ok(None) };
    let width = [(1, 1.0), (2, 4.0), (4, 8.0), (8, 12.0), (16, 2.0)]
        .iter()
        .find(|(number, _)| *number == width)
        .map(|(_, lanes)| *lanes);
    let extended = code("e=").filter(|&code| code > 0);
    let name = match (extended, speed) {
        (Some(1), _) => "FDR",
        (Some(2), _) => "EDR",
        (Some(4), _) => "HDR",
        (Some(8), _) => "NDR",
        (None, 1) => "SDR",
        (None, 2) => "DDR",
        (None, 4) => "QDR",
        _ => return Err(format!("s={speed}")),
    };
    let lane = LANES.iter().find(|(known, _)| *known == name).map_or(0.0, |(_, lane)| *lane);
    let Some(width) = width else { return Err("w=".to_owned()) };
    Ok(Bandwidth::new(width * lane * 1e9 / 8.0))
}
