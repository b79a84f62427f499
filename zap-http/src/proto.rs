//! HTTP on the ZAP wire, without I/O: frames, and how they follow one another on a connection
//! ([`Server`], [`Client`]).
//!
//! # Wire
//!
//! A frame is one ZAP message: a 16-byte header whose flags word has the frame's type in its upper byte, a fixed section,
//! then what the section's slots point at, in the order of the slots, unpadded. Everything in it is little-endian.
//!
//! ```text
//! 00  5a 41 50 00  magic               10  method  text   rel u32, len u32
//! 04  01 00        version             18  target  text
//! 06  00 01        flags: a request    20  proto   text
//! 08  10 00 00 00  root                28  headers bytes  count, then length and bytes of each
//! 0c  .. .. .. ..  size                30  body    bytes  name and each value
//!                                      38  trailers bytes as headers
//! ```
//!
//! | type | flags | section | slots |
//! |---|---|---|---|
//! | [`Request`] | `0x0100` | 48 | method @0, target @8, proto @16, headers @24, body @32, trailers @40 |
//! | [`Response`] | `0x0200` | 48 | status u16 @0, reason @8, proto @16, headers @24, body @32, trailers @40 |
//! | [`ResponseHead`] | `0x0300` | 48 | as a response; body and trailers stay null |
//! | [`Data`] | `0x0400` | 8 | chunk @0 |
//! | [`End`] | `0x0500` | 8 | trailers @0 |
//!
//! What is empty has a null slot. A null method reads as `GET`, a null target as `/`, a null protocol as `HTTP/1.1`; so do
//! present but empty ones. On a connection each frame comes after its length, a **big**-endian u32 from 1 to 64 MiB; a
//! streamed answer is a head, any number of data, and an end.
//!
//! This layer is literal: every pair in its order and spelling, also `Connection`, `Content-Length` and the rest, which
//! mean nothing here. It checks, it does not rewrite.
//!
//! # Streamed requests
//!
//! The public wire has none: a request is one frame. Two of our own ends can agree on more, if both are configured to
//! (`stream_requests`; off unless asked for, and then no byte differs from the public wire):
//!
//! 1. The client sets bit `0x80` of the lower flag byte in its requests, which every peer ignores.
//! 2. A server that knows streamed requests sets the same bit in its answers to such requests.
//! 3. Once an answer on this connection had it, the client may send a request as a [`RequestHead`] (type `0x0600`, laid out
//!    as a request whose body and trailers are null), any number of data, and an end, with no other frame between them.
//!
//! No peer is ever sent a type that it does not know: a server that knows nothing of this answers without the bit, and a
//! proxy that reads frames and writes them anew, as the public one does, loses it in both directions. The first request
//! of a connection is always a whole one; `OPTIONS *` will do. A server answers as soon as it likes; a complete answer
//! before the request's end tells the client to stop: the rest is not sent, and the connection ends.
//!
//! # Strictness
//!
//! The public peer checks the header, the type, the root and the structure of the blocks. On top of that a frame is refused
//! here if its section is cut, if a slot that is not null leads outside the message, if a method or name is no token, if a
//! target has a control byte or a space, if a protocol has a control byte, if a reason or value has one other than tab,
//! if a status is not within 100 to 999, if a trailer has a name that only headers may have, and if
//! [`FrameLimits`] are passed. [`FrameErrorKind::fault`] tells broken frames from sound ones with bad content.
//!
//! # Cost
//!
//! Reading checks each byte but the body's once and allocates nothing; views borrow from the frame. Writing appends to a
//! buffer of the caller's. A large body needs no copy: [`MessageWriter::body_elsewhere`] leaves it out, so that it can be
//! sent between the two parts of the buffer.
//!
//! # Examples
//!
//! Both ends of an exchange, and the frames of a stream:
//!
//! ```
//! use zap_http::proto::{Deframer, Encoder, FrameLimits, MAX_FRAME_LEN, Request};
//!
//! let mut sent = Vec::new();
//! for target in ["/a", "/b"] {
//!     let mut request = Encoder::frame(&mut sent).request("PUT", target)?;
//!     request.header("Content-Type", "text/plain")?.body(b"hello")?;
//!     request.finish()?;
//! }
//!
//! let mut deframer = Deframer::new(MAX_FRAME_LEN);
//! let mut targets = Vec::new();
//! let mut spare = Vec::new();
//! for piece in sent.chunks(10) {
//!     deframer.recv(piece);
//!     let mut batch = deframer.take_batch(spare);
//!     while let Some(frame) = batch.next_frame() {
//!         let request = Request::decode(frame, &FrameLimits::new())?;
//!         assert_eq!(request.body(), b"hello");
//!         targets.push(request.target().to_vec());
//!     }
//!     spare = batch.into_spare();
//! }
//! assert_eq!(targets, [b"/a", b"/b"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod annotate;
mod block;
mod chunks;
mod client;
mod config;
mod deframe;
mod encode;
mod error;
mod frame;
mod limits;
mod output;
mod server;
mod status;
mod syntax;
mod wire;

pub use annotate::{Annotated, annotate};
pub use block::{Headers, HeadersIter};
pub use client::{CallId, Client, ClientCounts, Event, Lost, RequestError, RequestWriter};
pub use config::{ClientConfig, Close, CloseCause, CloseReason, ServerConfig};
pub use deframe::{Batch, Deframer, FramingFault, StreamEnd};
pub use encode::{Encoded, Encoder, MessageWriter};
pub use error::{EncodeError, FrameError, FrameErrorKind, FrameFault};
pub use frame::{Data, End, Frame, Request, RequestHead, Response, ResponseHead};
pub use limits::FrameLimits;
#[cfg(feature = "server")]
pub(crate) use server::Detached;
pub use server::{Answer, AnswerError, Next, RequestPart, Server, ServerCounts};
#[cfg(feature = "server")]
pub(crate) use status::reason_of;
pub(crate) use syntax::is_forbidden_trailer;
pub use wire::{FrameType, MAX_FRAME_LEN, PREFIX_LEN};
