//! `get` and `post`: one call, and its answer as it comes.

use std::future::poll_fn;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, Uri};
use http_body::Body as _;
use zap_http::proto::MAX_FRAME_LEN;
use zap_http::{Client, ClientError, ResponseBody, Target, TargetScheme};

use crate::failure::Failure;
use crate::{tls, trace};

/// `get`.
#[derive(Debug, clap::Args)]
pub(crate) struct Get {
    #[command(flatten)]
    call: Call,
}

/// `post`.
#[derive(Debug, clap::Args)]
pub(crate) struct Post {
    #[command(flatten)]
    call: Call,
    /// The body: text as it is, `@FILE` for a file's bytes, `-` for standard input. At most 64 MiB, since a request is one
    /// frame. No content-type is added: say it with -H.
    #[arg(short, long, value_name = "DATA", default_value = "", allow_hyphen_values = true)]
    data: String,
}

/// What both have.
#[derive(Debug, clap::Args)]
struct Call {
    /// Whom to ask, and for what: zap://host:port/path?query, zaps:// for the same in TLS, or unix:/run/app.sock for the root
    /// of a unix socket's server.
    url: String,
    /// A header, as 'name: value'. May be given several times.
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
    headers: Vec<String>,
    /// Connect there, whatever the URL says: zap://host:port, zaps://host:port or unix:/run/app.sock. The URL may be a path
    /// then.
    #[arg(long, value_name = "TARGET")]
    to: Option<String>,
    /// Write the status and the headers before the body, and the trailers after it.
    #[arg(short, long)]
    include: bool,
    /// Write to a file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Fail with exit code 22, without the body, if the status is 4xx or 5xx.
    #[arg(short, long)]
    fail: bool,
    /// Show every frame that is sent (>) and received (<) on standard error, field by field.
    #[arg(long)]
    trace: bool,
    /// Give up after so many seconds, for all of the call. Without it a stream may go on for ever.
    #[arg(short, long, value_name = "SECONDS")]
    max_time: Option<u64>,
    #[command(flatten)]
    tls: tls::Calling,
}

pub(crate) async fn get(arguments: Get) -> Result<(), Failure> {
    run(Method::GET, arguments.call, Bytes::new()).await
}

pub(crate) async fn post(arguments: Post) -> Result<(), Failure> {
    let body = match arguments.data.as_str() {
        "-" => read(std::io::stdin().lock(), "standard input")?,
        data => match data.strip_prefix('@') {
            Some(path) => {
                let file = std::fs::File::open(path)
                    .map_err(|error| Failure::of(format_args!("cannot open {path}"), error))?;
                read(file, path)?
            }
            None => Bytes::copy_from_slice(data.as_bytes()),
        },
    };
    run(Method::POST, arguments.call, body).await
}

/// All of an input, within what a frame can hold.
fn read(input: impl Read, name: &str) -> Result<Bytes, Failure> {
    let mut data = Vec::new();
    let len = input.take(u64::from(MAX_FRAME_LEN) + 1).read_to_end(&mut data);
    match len.map_err(|error| Failure::of(format_args!("cannot read {name}"), error))? {
        len if len as u64 > u64::from(MAX_FRAME_LEN) => Err(Failure::new(format!("{name} has more than 64 MiB"))),
        _ => Ok(data.into()),
    }
}

async fn run(method: Method, call: Call, body: Bytes) -> Result<(), Failure> {
    let headers = headers_of(&call.headers)?;
    let (uri, target) = place_of(&call)?;
    let (client, _relay) = if call.trace {
        let relay = trace::Relay::start(&target).await?;
        (Client::to(relay.address().as_str()), Some(relay))
    } else {
        let mut client = Client::builder();
        if target.scheme() == TargetScheme::Zaps {
            client = client.tls(call.tls.client()?);
        }
        (client.to(target.clone()), None)
    };
    let mut request = client.map_err(|error| Failure::usage(error.to_string()))?.request(method, uri.clone());
    if uri.authority().is_none() && !headers.contains_key(http::header::HOST) {
        request = request.header("host", host_of(&target));
    }
    request = request.headers(headers).body(body);
    if let Some(seconds) = call.max_time {
        request = request.timeout(Duration::from_secs(seconds));
    }
    let response = request.send().await.map_err(|error| match error {
        ClientError::InvalidRequest(_) => Failure::usage(crate::failure::chain(&error)),
        error => Failure::by(error),
    })?;
    let status = response.status();
    if call.fail && (status.is_client_error() || status.is_server_error()) {
        return Err(Failure::status(status));
    }
    let mut output: Box<dyn Write> = match &call.output {
        None => Box::new(std::io::stdout()),
        Some(path) => Box::new(
            std::fs::File::create(path)
                .map_err(|error| Failure::of(format_args!("cannot create {}", path.display()), error))?,
        ),
    };
    write_answer(response.into_http(), call.include, &mut output).await
}

fn headers_of(texts: &[String]) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    for text in texts {
        let pair = text.split_once(':').and_then(|(name, value)| {
            Some((name.parse::<HeaderName>().ok()?, HeaderValue::from_str(value.trim()).ok()?))
        });
        let Some((name, value)) = pair else {
            return Err(Failure::usage(format!("{text:?} is no header: write it as 'name: value'")));
        };
        headers.try_append(name, value).map_err(|error| Failure::usage(error.to_string()))?;
    }
    Ok(headers)
}

/// What is asked for, and where.
fn place_of(call: &Call) -> Result<(Uri, Target), Failure> {
    let wrong =
        |text: &str, error: &dyn std::fmt::Display| Failure::usage(format!("{text:?} leads to no server: {error}"));
    if call.to.is_none() && call.url.starts_with("unix:") {
        let target = call.url.parse().map_err(|error| wrong(&call.url, &error))?;
        return Ok((Uri::from_static("/"), target));
    }
    let uri: Uri = call.url.parse().map_err(|error| wrong(&call.url, &error))?;
    let target = match &call.to {
        None => Target::from_uri(&uri).map_err(|error| wrong(&call.url, &error))?,
        Some(to) => to.parse().map_err(|error| wrong(to, &error))?,
    };
    Ok((uri, target))
}

/// The host header for a path at a target.
fn host_of(target: &Target) -> String {
    match target.host() {
        None => "localhost".to_owned(),
        Some(_) => target.to_string().split_once("://").map(|(_, host)| host.to_owned()).unwrap_or_default(),
    }
}

/// Writes each part as soon as it is there.
async fn write_answer(response: Response<ResponseBody>, include: bool, output: &mut dyn Write) -> Result<(), Failure> {
    let (parts, mut body) = response.into_parts();
    let written = |done: std::io::Result<()>| done.map_err(|error| Failure::of("cannot write the answer", error));
    if include {
        let line = format!("{:?} {}\n", parts.version, parts.status);
        written(output.write_all(line.as_bytes()))?;
        written(write_headers(&parts.headers, output))?;
        written(output.write_all(b"\n"))?;
    }
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        match frame.map_err(Failure::by)?.into_data() {
            Ok(data) => written(output.write_all(&data).and_then(|()| output.flush()))?,
            Err(frame) if include => {
                written(output.write_all(b"\n"))?;
                written(write_headers(&frame.into_trailers().unwrap_or_default(), output))?;
            }
            Err(_) => {}
        }
    }
    written(output.flush())
}

fn write_headers(headers: &HeaderMap, output: &mut dyn Write) -> std::io::Result<()> {
    headers.iter().try_for_each(|(name, value)| {
        output.write_all(&[name.as_str().as_bytes(), b": ", value.as_bytes(), b"\n"].concat())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_bounded() {
        let most = u64::from(MAX_FRAME_LEN);
        assert_eq!(read(std::io::repeat(7).take(most), "it").unwrap().len() as u64, most);
        assert!(read(std::io::repeat(7), "it").unwrap_err().to_string().contains("more than 64 MiB"));
    }
}
