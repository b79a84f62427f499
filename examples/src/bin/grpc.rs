//! gRPC by tonic over ZAP: tonic's server and client as they are, where HTTP/2 was.
//!
//! To need no `protoc`, messages and methods are written by hand here. With generated code two lines change:
//! `zap_http::serve(listener, StationsServer::new(stations))` and
//! `StationsClient::new(zap_http::Client::to("zap://host:9999")?)`.

use std::future::{IntoFuture, Ready, ready};

use axum::Router;
use axum::extract::Request as HttpRequest;
use axum::routing::post;
use futures_util::stream::{self, BoxStream, StreamExt};
use http::uri::PathAndQuery;
use tokio::net::TcpListener;
use tonic::server::{ServerStreamingService, UnaryService};
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;
use zap_http::{Client, serve};

#[derive(Clone, PartialEq, prost::Message)]
struct Station {
    #[prost(string, tag = "1")]
    name: String,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Reading {
    #[prost(double, tag = "1")]
    celsius: f64,
}

/// `rpc Latest(Station) returns (Reading)`
struct Latest;

impl UnaryService<Station> for Latest {
    type Response = Reading;
    type Future = Ready<Result<Response<Reading>, Status>>;

    fn call(&mut self, request: Request<Station>) -> Self::Future {
        ready(match request.get_ref().name.as_str() {
            "north" => Ok(Response::new(Reading { celsius: -3.5 })),
            _ => Err(Status::not_found("no such station")),
        })
    }
}

/// `rpc Watch(Station) returns (stream Reading)`
struct Watch;

impl ServerStreamingService<Station> for Watch {
    type Response = Reading;
    type ResponseStream = BoxStream<'static, Result<Reading, Status>>;
    type Future = Ready<Result<Response<Self::ResponseStream>, Status>>;

    fn call(&mut self, _: Request<Station>) -> Self::Future {
        let readings = stream::iter(1..=3).then(|count| async move {
            tokio::task::yield_now().await;
            Ok(Reading { celsius: f64::from(count) })
        });
        // The last word of a stream is in its trailers: here that the station broke.
        let end = stream::once(async { Err(Status::unavailable("the station is frozen")) });
        ready(Ok(Response::new(readings.chain(end).boxed())))
    }
}

async fn latest(request: HttpRequest) -> http::Response<tonic::body::Body> {
    tonic::server::Grpc::new(ProstCodec::default()).unary(Latest, request).await
}

async fn watch(request: HttpRequest) -> http::Response<tonic::body::Body> {
    tonic::server::Grpc::new(ProstCodec::default()).server_streaming(Watch, request).await
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let target = format!("zap://{}", listener.local_addr()?);
    let app = Router::new().route("/survey.Stations/Latest", post(latest)).route("/survey.Stations/Watch", post(watch));
    tokio::spawn(serve(listener, app).into_future());

    let mut stations = tonic::client::Grpc::new(Client::to(target.as_str())?);
    let (latest, watch) = ("/survey.Stations/Latest", "/survey.Stations/Watch");
    let station = |name: &str| Request::new(Station { name: name.to_owned() });
    let codec = ProstCodec::<Station, Reading>::default;

    stations.ready().await?;
    let reading = stations.unary(station("north"), PathAndQuery::from_static(latest), codec()).await?;
    println!("north: {}", reading.into_inner().celsius);
    let missing = stations.unary(station("south"), PathAndQuery::from_static(latest), codec()).await;
    println!("south: {}", missing.unwrap_err().message());

    let mut readings =
        stations.server_streaming(station("north"), PathAndQuery::from_static(watch), codec()).await?.into_inner();
    let end = loop {
        match readings.message().await {
            Ok(Some(reading)) => println!("watched: {}", reading.celsius),
            Ok(None) => break Status::ok("all seen"),
            Err(status) => break status,
        }
    };
    println!("ended: {:?}, {}", end.code(), end.message());
    Ok(())
}
