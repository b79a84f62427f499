//! gRPC where both sides talk at once: a stream of readings goes in, a stream of means comes out.
//!
//! The public wire sends a request as a whole, so this needs two ends of zap-http that are both told to stream requests.

use std::future::{IntoFuture, Ready, ready};

use axum::Router;
use axum::extract::Request as HttpRequest;
use axum::routing::post;
use futures_util::stream::{self, BoxStream, StreamExt};
use http::uri::PathAndQuery;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tonic::server::StreamingService;
use tonic::{Request, Response, Status, Streaming};
use tonic_prost::ProstCodec;
use zap_http::{Client, ServeConfig, serve};

#[derive(Clone, PartialEq, prost::Message)]
struct Reading {
    #[prost(double, tag = "1")]
    celsius: f64,
}

/// `rpc Mean(stream Reading) returns (stream Reading)`
struct Mean;

impl StreamingService<Reading> for Mean {
    type Response = Reading;
    type ResponseStream = BoxStream<'static, Result<Reading, Status>>;
    type Future = Ready<Result<Response<Self::ResponseStream>, Status>>;

    fn call(&mut self, request: Request<Streaming<Reading>>) -> Self::Future {
        let (mut sum, mut count) = (0.0, 0.0);
        let means = request.into_inner().map(move |reading| {
            sum += reading?.celsius;
            count += 1.0;
            Ok(Reading { celsius: sum / count })
        });
        ready(Ok(Response::new(means.boxed())))
    }
}

async fn mean(request: HttpRequest) -> http::Response<tonic::body::Body> {
    tonic::server::Grpc::new(ProstCodec::default()).streaming(Mean, request).await
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let target = format!("zap://{}", listener.local_addr()?);
    let mut config = ServeConfig::default();
    config.connection.stream_requests = true;
    let app = Router::new().route("/survey.Stations/Mean", post(mean));
    tokio::spawn(serve(listener, app).config(config).into_future());

    let client = Client::builder().stream_requests(true).to(target.as_str())?;
    let mut stations = tonic::client::Grpc::new(client);
    stations.ready().await?;

    let (readings, sent) = mpsc::channel(1);
    let sent = stream::unfold(sent, |mut sent| async { sent.recv().await.map(|reading| (reading, sent)) });
    let (path, codec) = (PathAndQuery::from_static("/survey.Stations/Mean"), ProstCodec::default());
    let mut means = stations.streaming(Request::new(sent), path, codec).await?.into_inner();

    // Each reading is sent after the mean of those before has come: neither side waits for the other's end.
    for celsius in [1.0, 2.0, 6.0] {
        readings.send(Reading { celsius }).await?;
        let mean: Reading = means.message().await?.ok_or("a mean for each reading")?;
        println!("mean: {}", mean.celsius);
    }
    drop(readings);
    println!("more: {:?}", means.message().await?);
    Ok(())
}
