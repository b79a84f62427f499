//! What one frame may hold.

/// The bounds of a frame's content. Each block, headers and trailers, is held to its own.
///
/// # Examples
///
/// ```
/// use zap_http::proto::FrameLimits;
///
/// let mut limits = FrameLimits::default();
/// assert_eq!(limits.max_headers, 100);
/// limits.max_headers = 20;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FrameLimits {
    /// The longest frame, without its length prefix, in bytes.
    pub max_frame_len: u32,
    /// Pairs in a block.
    pub max_headers: u32,
    /// Bytes of a block.
    pub max_block_len: u32,
    /// Bytes of a request's target.
    pub max_target_len: u32,
    /// Bytes of a request's method.
    pub max_method_len: u32,
    /// Bytes of a response's reason.
    pub max_reason_len: u32,
    /// Bytes of the protocol's name.
    pub max_proto_len: u32,
}

impl FrameLimits {
    /// The default limits: 64 MiB a frame; 100 pairs and 64 KiB a block; target 8 KiB; method 32, reason 256 and
    /// protocol 16 bytes.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            max_frame_len: super::MAX_FRAME_LEN,
            max_headers: 100,
            max_block_len: 64 << 10,
            max_target_len: 8 << 10,
            max_method_len: 32,
            max_reason_len: 256,
            max_proto_len: 16,
        }
    }
}

impl Default for FrameLimits {
    fn default() -> Self {
        Self::new()
    }
}
