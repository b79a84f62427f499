//! The files of a directory as answers. `cap_std` opens them: no path and no link leads out of the directory, also not if
//! somebody changes it meanwhile.

use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use http::header::{ALLOW, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION};
use http::{Method, Response, StatusCode};
use http_body::{Frame, SizeHint};
use percent_encoding::percent_decode_str;
use tokio::io::{AsyncRead, ReadBuf};
use zap_http::Body;

/// Bytes that are read at once.
const CHUNK_LEN: usize = 64 << 10;

/// A directory that is served.
pub(crate) struct Files(Arc<Dir>);

/// What is at a path.
enum Found {
    File(std::fs::File, u64, PathBuf),
    /// A directory, asked for as if it was a file.
    Directory,
    Nothing,
}

impl Files {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Dir::open_ambient_dir(path, ambient_authority()).map(|directory| Self(Arc::new(directory)))
    }

    pub(crate) async fn answer(&self, method: &Method, path: &str) -> Response<Content> {
        if method != Method::GET && method != Method::HEAD {
            let mut response = plain(StatusCode::METHOD_NOT_ALLOWED);
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            return response;
        }
        let Some(local) = local_path(path) else { return plain(StatusCode::NOT_FOUND) };
        let directory = Arc::clone(&self.0);
        let is_directory = path.ends_with('/');
        // The file system may keep a thread waiting.
        let found = tokio::task::spawn_blocking(move || find(&directory, local, is_directory)).await;
        match found {
            Ok(Ok(Found::File(file, len, name))) => whole(file, len, &name),
            Ok(Ok(Found::Directory)) => moved(path),
            Ok(Ok(Found::Nothing)) => plain(StatusCode::NOT_FOUND),
            // A link that leads out is refused so, too: no reason to tell that it is there.
            Ok(Err(error)) if error.kind() == io::ErrorKind::PermissionDenied => plain(StatusCode::NOT_FOUND),
            Ok(Err(_)) | Err(_) => plain(StatusCode::INTERNAL_SERVER_ERROR),
        }
    }
}

/// The path of a file in the directory: none if a part of it is hidden or not a name.
fn local_path(path: &str) -> Option<PathBuf> {
    let mut local = PathBuf::new();
    let path = path.strip_prefix('/')?;
    for part in path.strip_suffix('/').unwrap_or(path).split('/') {
        let part = percent_decode_str(part).decode_utf8().ok()?;
        let is_root = part.is_empty() && path.is_empty();
        let is_name = !part.is_empty() && !part.starts_with('.') && !part.contains(['/', '\\', '\0', ':']);
        if !is_root && !is_name {
            return None;
        }
        local.push(&*part);
    }
    Some(local)
}

fn find(directory: &Dir, mut local: PathBuf, is_directory: bool) -> io::Result<Found> {
    let missing = |error: &io::Error| {
        matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidInput)
    };
    if is_directory {
        local.push("index.html");
    }
    // Before it is opened: to open a pipe would wait for its other end.
    let metadata = match directory.metadata(&local) {
        Err(error) if missing(&error) => return Ok(Found::Nothing),
        metadata => metadata?,
    };
    if metadata.is_dir() {
        return Ok(if is_directory { Found::Nothing } else { Found::Directory });
    }
    if !metadata.is_file() {
        return Ok(Found::Nothing);
    }
    let file = directory.open(&local)?;
    let len = file.metadata()?.len();
    Ok(Found::File(file.into_std(), len, local))
}

fn whole(file: std::fs::File, len: u64, name: &Path) -> Response<Content> {
    let content_type = mime_guess::from_path(name).first_raw().unwrap_or("application/octet-stream");
    let content_type = match content_type.starts_with("text/") {
        true => format!("{content_type}; charset=utf-8"),
        false => content_type.to_owned(),
    };
    let mut response = Response::new(Content::File { file: tokio::fs::File::from_std(file), left: len });
    let headers = response.headers_mut();
    if let Ok(content_type) = HeaderValue::try_from(content_type) {
        headers.insert(CONTENT_TYPE, content_type);
    }
    // The type is what it says, not what a browser guesses.
    headers.insert(HeaderName::from_static("x-content-type-options"), HeaderValue::from_static("nosniff"));
    response
}

/// Relative, so that it leads nowhere else: a path may begin with two slashes.
fn moved(path: &str) -> Response<Content> {
    let mut response = plain(StatusCode::PERMANENT_REDIRECT);
    let name = path.rsplit('/').next().unwrap_or_default();
    if let Ok(location) = HeaderValue::try_from(format!("./{name}/")) {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}

fn plain(status: StatusCode) -> Response<Content> {
    let mut response = Response::new(Content::Passed(Box::pin(Body::from(format!("{status}\n")))));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

/// A body from a file, or one that is there.
pub(crate) enum Content {
    File { file: tokio::fs::File, left: u64 },
    Passed(Pin<Box<Body>>),
}

impl http_body::Body for Content {
    type Data = Bytes;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let (file, left) = match &mut *self {
            Self::Passed(body) => return body.as_mut().poll_frame(context).map_err(Into::into),
            Self::File { left: 0, .. } => return Poll::Ready(None),
            Self::File { file, left } => (file, left),
        };
        let mut chunk = vec![0; usize::try_from(*left).unwrap_or(CHUNK_LEN).min(CHUNK_LEN)];
        let mut buffer = ReadBuf::new(&mut chunk);
        ready!(Pin::new(file).poll_read(context, &mut buffer))?;
        let len = buffer.filled().len();
        if len == 0 {
            return Poll::Ready(Some(Err("the file became shorter".into())));
        }
        *left = left.saturating_sub(len as u64);
        chunk.truncate(len);
        Poll::Ready(Some(Ok(Frame::data(chunk.into()))))
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Passed(body) => body.is_end_stream(),
            Self::File { left, .. } => *left == 0,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Passed(body) => body.size_hint(),
            Self::File { left, .. } => SizeHint::with_exact(*left),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_down_only() {
        for (path, local) in [("/", ""), ("/a", "a"), ("/a/", "a"), ("/a/b%20c.txt", "a/b c.txt"), ("/%C3%A4", "ä")] {
            assert_eq!(local_path(path), Some(PathBuf::from(local)), "{path}");
        }
        for path in [
            "",
            "a",
            "*",
            "//",
            "//a",
            "/a//b",
            "/.",
            "/..",
            "/../a",
            "/a/..",
            "/a/../b",
            "/.git/config",
            "/a/.env",
            "/%2e%2e/a",
            "/%2E./a",
            "/a%2fb",
            "/..%2fa",
            "/..%5ca",
            "/a%5c..",
            "/a%00",
            "/c:%5ca",
            "/c:",
            "/%ff",
        ] {
            assert_eq!(local_path(path), None, "{path}");
        }
    }
}
