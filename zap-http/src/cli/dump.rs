//! `dump`: the frames of a capture, field by field.

use std::io::{self, BufWriter, Read, Write};

use zap_http::proto::{Deframer, MAX_FRAME_LEN, StreamEnd, annotate};

use crate::failure::Failure;

/// `dump`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A file, or `-` for standard input: what one side of a connection sent, that is frames after their lengths, or one
    /// frame alone, without its length.
    file: String,
}

pub(crate) fn dump(arguments: &Arguments) -> Result<(), Failure> {
    let name = if arguments.file == "-" { "standard input" } else { &arguments.file };
    let unread = |error: io::Error| Failure::of(format_args!("cannot read {name}"), error);
    let mut input: Box<dyn Read> = match arguments.file.as_str() {
        "-" => Box::new(io::stdin().lock()),
        path => Box::new(std::fs::File::open(path).map_err(unread)?),
    };
    let mut output = BufWriter::new(io::stdout().lock());
    let unwritten = |error: io::Error| Failure::of("cannot write", error);

    let mut start = Vec::new();
    input.by_ref().take(4).read_to_end(&mut start).map_err(unread)?;
    let done = match start.as_slice() {
        [] => return Err(Failure::new(format!("{name} is empty"))),
        // As a length this would be more than any frame has.
        b"ZAP\0" => bare(start, &mut input).map_err(unread)?,
        _ => stream(&start, &mut input, &mut output, unread).map_err(|error| match error {
            Stopped::Read(failure) => failure,
            Stopped::Write(error) => unwritten(error),
        })?,
    };
    let Dumped { frame, total, broken, end } = done;
    if let Some(frame) = frame {
        write!(output, "{}", annotate(&frame)).map_err(unwritten)?;
    }
    output.flush().map_err(unwritten)?;
    match end {
        Some(end) => Err(Failure::new(format!("{name}: {end}"))),
        None if broken > 0 => Err(Failure::new(format!("{name}: {broken} of {total} frames are broken"))),
        None => Ok(()),
    }
}

/// What was found.
#[derive(Default)]
struct Dumped {
    /// A frame alone, which is not yet shown.
    frame: Option<Vec<u8>>,
    total: u64,
    broken: u64,
    /// Why there are no more frames, if not for the end of the input.
    end: Option<String>,
}

enum Stopped {
    Read(Failure),
    Write(io::Error),
}

fn bare(mut frame: Vec<u8>, input: &mut dyn Read) -> io::Result<Dumped> {
    input.take(u64::from(MAX_FRAME_LEN)).read_to_end(&mut frame)?;
    let broken = u64::from(annotate(&frame).error().is_some());
    Ok(Dumped { frame: Some(frame), total: 1, broken, end: None })
}

fn stream(
    start: &[u8],
    input: &mut dyn Read,
    output: &mut dyn Write,
    unread: impl Fn(io::Error) -> Failure,
) -> Result<Dumped, Stopped> {
    let (mut dumped, mut at) = (Dumped::default(), 0_u64);
    let mut deframer = Deframer::new(MAX_FRAME_LEN);
    let (mut buffer, mut len) = (vec![0; 64 << 10], start.len());
    buffer.get_mut(..len).unwrap_or_default().copy_from_slice(start);
    while len > 0 {
        deframer.recv(buffer.get(..len).unwrap_or_default());
        let mut batch = deframer.take_batch(Vec::new());
        while let Some(frame) = batch.next_frame() {
            dumped.total = dumped.total.saturating_add(1);
            let shown = annotate(frame);
            dumped.broken = dumped.broken.saturating_add(u64::from(shown.error().is_some()));
            write!(output, "frame {} at byte {at}: {shown}", dumped.total).map_err(Stopped::Write)?;
            at = at.saturating_add(4).saturating_add(frame.len() as u64);
        }
        if deframer.fault().is_some() {
            break;
        }
        len = match input.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.map_err(|error| Stopped::Read(unread(error)))?,
        };
    }
    dumped.end = match (deframer.fault(), deframer.end()) {
        (Some(fault), _) => Some(format!("{fault}, at byte {at}")),
        (None, StreamEnd::Clean) => None,
        (None, StreamEnd::InsidePrefix) => Some(format!("the input ends inside the length at byte {at}")),
        (None, StreamEnd::InsideFrame) => Some(format!("the input ends inside the frame at byte {at}")),
    };
    Ok(dumped)
}
