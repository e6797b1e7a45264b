//! Algorithms of MSCCL.

use super::{Folder, lines, read_path};
use weir_foreign::{Given, Imported, Mistake};
use weir_formats::graph::GraphFile;
use weir_units::Bytes;

/// Two GPUs that add up halves of a buffer and exchange them, on one channel; then GPU 0 copies.
const PAIR: &str = r#"<algo name="pair" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allreduce" inplace="1" minBytes="2" maxBytes="4096">
  <gpu id="0" i_chunks="2" o_chunks="0" s_chunks="0">
    <tb id="0" send="1" recv="1" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="rrcs" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"/>
      <step s="2" type="r" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
    <tb id="1" send="-1" recv="-1" chan="0">
      <step s="0" type="nop" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="0" depid="0" deps="1" hasdep="0"/>
      <step s="1" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="0" deps="2" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="2" o_chunks="0" s_chunks="0">
    <tb id="0" send="0" recv="0" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="rrcs" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="2" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
</algo>
"#;

fn read(text: &str, bytes: Option<u64>, skip: bool) -> Result<Imported<GraphFile>, Vec<Mistake>> {
    let folder = Folder::new(&[("a.xml", text.as_bytes())]);
    let given = Given { message_size: bytes.map(Bytes), skip, ..Given::default() };
    read_path(&folder.path("a.xml"), given)
}

/// A step that sends is over when it has begun: what follows it waits for no more.
#[test]
fn steps_are_tasks() {
    let Imported { made, notes, .. } = read(PAIR, Some(2000), false).unwrap();
    let expected = [
        "0 send 1 1000 requires",
        "0 recv 1 1000 begun 0",
        "0 send 1 1000 requires 1",
        "0 recv 1 1000 begun 2",
        "0 compute 0 ps stream 1 begun 2",
        "0 compute 0 ps stream 1 requires 4 3",
        "1 send 0 1000 requires",
        "1 recv 0 1000 begun 0",
        "1 send 0 1000 requires 1",
        "1 recv 0 1000 begun 2",
    ];
    assert_eq!(lines(&made), expected);
    assert_eq!(notes, ["3 copies and reductions within a GPU take no time"]);
}

#[track_caller]
fn refused(text: &str, bytes: Option<u64>, line: Option<usize>, words: &str) {
    let mistakes = read(text, bytes, false).unwrap_err();
    let found = mistakes.iter().find(|mistake| mistake.what.contains(words));
    let found = found.unwrap_or_else(|| panic!("{words:?} is not in {mistakes:?}"));
    assert_eq!(found.line, line, "{found:?}");
}

#[test]
fn the_size_of_the_buffer_is_given() {
    refused(PAIR, None, None, "say how long the whole buffer is");
    refused(PAIR, Some(0), None, "cannot be cut into 2 chunks");
    refused(PAIR, Some(2001), None, "cannot be cut into 2 chunks");
    let notes = read(PAIR, Some(8000), false).unwrap().notes;
    assert!(notes[0].contains("2 to 4096 bytes, not for 8000"), "{notes:?}");
}

#[test]
fn mistakes_in_algorithms_are_named() {
    let changed = |from: &str, to: &str| PAIR.replacen(from, to, 1);
    let size = Some(2000);
    refused(&changed("type=\"rrcs\"", "type=\"put\""), size, Some(5), "this type of a step has no task");
    refused(
        &changed("type=\"rrcs\"", "type=\"rrc\""),
        size,
        Some(17),
        "from GPU 0 to GPU 1 there are 1 sends and 2 receives",
    );
    refused(&changed("cnt=\"1\"", "cnt=\"2\""), size, Some(4), "2 chunks are sent, and 1 received (line 16)");
    refused(&changed("deps=\"2\"", "deps=\"9\""), size, Some(10), "GPU 0 has no step 9 of a threadblock 0");
    refused(&changed("<step s=\"1\"", "<step s=\"7\""), size, Some(5), "expected step 1");
    refused(&changed("send=\"1\"", "send=\"-1\""), size, Some(4), "its send is -1");
    refused(
        &changed("<tb id=\"1\" send=\"-1\"", "<tb id=\"0\" send=\"-1\""),
        size,
        Some(8),
        "this threadblock twice",
    );
    refused(&changed("<gpu id=\"1\"", "<gpu id=\"0\""), size, Some(13), "this GPU is there twice");
    refused(&changed("<gpu id=\"1\"", "<gpu id=\"7\""), size, Some(13), "there are 2 GPUs");
    refused(&changed("ngpus=\"2\"", "ngpus=\"3\""), size, None, "1 of 3 GPUs are missing");
    // A number that nobody counts up to.
    refused(
        &changed("ngpus=\"2\"", "ngpus=\"4294967295\""),
        size,
        None,
        "4294967293 of 4294967295 GPUs are missing",
    );
    refused(&changed("depid=\"-1\" deps=\"-1\"", "depid=\"1\" deps=\"1\""), size, Some(4), "in a circle");
    refused(&changed("<gpu", "<node/><gpu"), size, Some(2), "expected algo");
    refused(&PAIR[..600], size, Some(8), "not XML");
    refused("<algo name=\"a\" nchunksperloop=\"x\" ngpus=\"1\"/>", size, Some(1), "expected nchunksperloop");
}

#[test]
fn unknown_steps_can_be_left_out() {
    let text = PAIR.replacen("type=\"cpy\"", "type=\"warp\"", 1);
    let Imported { made, skipped, .. } = read(&text, Some(2000), true).unwrap();
    assert_eq!((skipped.len(), skipped[0].count, skipped[0].line), (1, 1, 10));
    assert_eq!(lines(&made).len(), 10);
}
