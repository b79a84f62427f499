//! HTTP/1.1 servers of others, each as its documentation shows it: actix-web and ntex with one worker, `may_minihttp` with
//! one scheduler thread.

use std::io;
use std::net::TcpListener;
use std::sync::Mutex;

use bytes::Bytes;

use super::Kind;
use super::app::{JSON_TYPE, TEXT_TYPE, work};
use super::case::{HEALTHY, MAX_BODY_LEN};

/// The longest body that a peer is to take.
const BODY_LIMIT: usize = 2 * MAX_BODY_LEN;

/// Serves one of them on a port of loopback, which is told first.
pub(super) fn serve(kind: Kind, say: impl Fn(u64) -> Result<(), String>) -> Result<(), String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(text)?;
    let port = listener.local_addr().map_err(text)?.port();
    match kind {
        Kind::Http1Actix => {
            say(port.into())?;
            actix::serve(listener)
        }
        Kind::Http1Ntex => {
            say(port.into())?;
            ntex::serve(listener)
        }
        _ => {
            // It binds by itself, and does not tell where.
            drop(listener);
            may::serve(port, || say(port.into()))
        }
    }
}

mod actix {
    use super::*;
    use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
    use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};

    async fn health() -> HttpResponse {
        HttpResponse::Ok().insert_header((CONTENT_TYPE, TEXT_TYPE)).body(HEALTHY)
    }

    async fn readings(request: HttpRequest, body: web::Bytes) -> HttpResponse {
        let id = request.headers().get("x-request-id").cloned().unwrap_or(HeaderValue::from_static("none"));
        HttpResponse::Ok()
            .insert_header((CONTENT_TYPE, JSON_TYPE))
            .insert_header((CACHE_CONTROL, "no-store"))
            .insert_header(("x-request-id", id))
            .insert_header(("x-served-by", "survey-7"))
            .body(body)
    }

    async fn worked(request: HttpRequest, body: web::Bytes) -> HttpResponse {
        match work(request.path(), &body) {
            Some((kind, body)) => HttpResponse::Ok().insert_header((CONTENT_TYPE, kind)).body(body),
            None => HttpResponse::BadRequest().finish(),
        }
    }

    pub(super) fn serve(listener: TcpListener) -> Result<(), String> {
        let app = || {
            App::new()
                .app_data(web::PayloadConfig::new(BODY_LIMIT))
                .route("/health", web::get().to(health))
                .route("/readings", web::post().to(readings))
                .route("/body/{len}", web::get().to(worked))
                .route("/echo", web::post().to(worked))
                .route("/rpc/{codec}", web::post().to(worked))
                .route("/auction/{codec}", web::post().to(worked))
        };
        let serve = async move { HttpServer::new(app).workers(1).disable_signals().listen(listener)?.run().await };
        actix_web::rt::System::new().block_on(serve).map_err(text)
    }
}

mod ntex {
    use super::*;
    use ::ntex::web::{self, App, HttpRequest, HttpResponse, HttpServer};

    async fn health() -> HttpResponse {
        HttpResponse::Ok().header("content-type", TEXT_TYPE).body(HEALTHY)
    }

    async fn readings(request: HttpRequest, body: ::ntex::util::Bytes) -> HttpResponse {
        let id = request.headers().get("x-request-id").and_then(|id| id.to_str().ok()).unwrap_or("none");
        HttpResponse::Ok()
            .header("content-type", JSON_TYPE)
            .header("cache-control", "no-store")
            .header("x-request-id", id)
            .header("x-served-by", "survey-7")
            .body(body)
    }

    async fn worked(request: HttpRequest, body: ::ntex::util::Bytes) -> HttpResponse {
        // Its own type of shared bytes; an echo needs no other.
        if request.path() == "/echo" {
            return HttpResponse::Ok().header("content-type", super::super::app::BYTES_TYPE).body(body);
        }
        match work(request.path(), &Bytes::copy_from_slice(&body)) {
            Some((kind, body)) => HttpResponse::Ok().header("content-type", kind).body(body.to_vec()),
            None => HttpResponse::BadRequest().finish(),
        }
    }

    pub(super) fn serve(listener: TcpListener) -> Result<(), String> {
        let app = async || {
            App::new()
                .state(web::types::PayloadConfig::new(BODY_LIMIT))
                .route("/health", web::get().to(health))
                .route("/readings", web::post().to(readings))
                .route("/body/{len}", web::get().to(worked))
                .route("/echo", web::post().to(worked))
                .route("/rpc/{codec}", web::post().to(worked))
                .route("/auction/{codec}", web::post().to(worked))
        };
        let serve = async move { HttpServer::new(app).workers(1).disable_signals().listen(listener)?.run().await };
        ::ntex::rt::System::new("peer", ::ntex::rt::DefaultRuntime).block_on(serve).map_err(text)
    }
}

mod may {
    use super::*;
    use may_minihttp::{HttpServer, HttpService, Request, Response};
    use std::io::Read as _;

    #[derive(Clone)]
    struct Service;

    /// Its headers must live for ever: each one that is not known beforehand is kept, to be found again.
    static KEPT: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

    fn kept(name: &str, value: &[u8]) -> &'static str {
        let is_it = |known: &&&str| {
            known
                .strip_prefix(name)
                .and_then(|rest| rest.strip_prefix(": "))
                .is_some_and(|rest| rest.as_bytes() == value)
        };
        let mut kept = KEPT.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(known) = kept.iter().find(is_it) {
            return known;
        }
        let header: &'static str = format!("{name}: {}", String::from_utf8_lossy(value)).leak();
        kept.push(header);
        header
    }

    impl HttpService for Service {
        fn call(&mut self, request: Request<'_, '_, '_>, response: &mut Response<'_>) -> io::Result<()> {
            let path = request.path().to_owned();
            if path == "/health" {
                response.header("content-type: text/plain; charset=utf-8").body(HEALTHY);
                return Ok(());
            }
            let id = request.headers().iter().find(|header| header.name.eq_ignore_ascii_case("x-request-id"));
            let id = kept("x-request-id", id.map_or(b"none", |header| header.value));
            let mut body = Vec::new();
            request.body().read_to_end(&mut body)?;
            if path == "/readings" {
                response.header("content-type: application/json").header("cache-control: no-store");
                response.header(id).header("x-served-by: survey-7").body_vec(body);
                return Ok(());
            }
            match work(&path, &body.into()) {
                Some((kind, body)) => {
                    response.header(kept("content-type", kind.as_bytes())).body_vec(body.to_vec());
                }
                None => {
                    response.status_code(400, "Bad Request");
                }
            }
            Ok(())
        }
    }

    pub(super) fn serve(port: u16, started: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
        // One thread runs its coroutines; their stacks, in words, are large enough for the JSON libraries.
        ::may::config().set_workers(1).set_stack_size(0x4000);
        let server = HttpServer(Service).start(("127.0.0.1", port)).map_err(text)?;
        started()?;
        server.join().map_err(|_| "the server ended".to_owned())
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
