//! Takes ranks that are not drawn out of a trace that has been written.

use super::packets::{PACKET, TracePacket};
use super::{FIRST_LINK, FIRST_RANK};
use prost::Message;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use weir_units::Rank;

/// Moves what remains of a file to its beginning, packet by packet, and cuts off the rest: nothing is written before it has
/// been read.
pub(super) fn thin(path: &Path, draws: impl Fn(Rank) -> bool) -> io::Result<()> {
    let mut from = BufReader::new(File::open(path)?);
    let file = OpenOptions::new().write(true).open(path)?;
    let mut to = BufWriter::new(&file);
    let (mut packet, mut length) = (Vec::new(), 0);
    while !from.fill_buf()?.is_empty() {
        packet.clear();
        let mut byte = [0];
        from.read_exact(&mut byte)?;
        debug_assert_eq!(byte[0], PACKET, "packets stand one after the other");
        packet.push(byte[0]);
        while {
            from.read_exact(&mut byte)?;
            packet.push(byte[0]);
            byte[0] & 0x80 != 0
        } {}
        let bytes = prost::decode_length_delimiter(&packet[1..])?;
        let start = packet.len();
        packet.resize(start + bytes, 0);
        from.read_exact(&mut packet[start..])?;
        if rank_of(&packet[start..])?.is_none_or(&draws) {
            to.write_all(&packet)?;
            length += packet.len() as u64;
        }
    }
    to.flush()?;
    drop(to);
    file.set_len(length)
}

fn rank_of(packet: &[u8]) -> io::Result<Option<Rank>> {
    let packet = TracePacket::decode(packet)?;
    let event = packet.track_event.and_then(|event| event.track_uuid);
    let track = event.or_else(|| packet.track_descriptor.and_then(|track| track.uuid));
    let rank = track.filter(|track| (FIRST_RANK..FIRST_LINK).contains(track));
    Ok(rank.and_then(|track| u32::try_from(track - FIRST_RANK).ok()).map(Rank))
}
