//! Streamed requests that break off anywhere, on real sockets: a handler never takes a part for the whole.
#![cfg(feature = "server")]

mod listening;

use std::future::{IntoFuture, poll_fn};
use std::io::IoSlice;
use std::pin::Pin;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::routing::post;
use http::Request;
use http_body::Body as _;
use listening::{is_closed, soon};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use zap_http::proto::{Client, ClientConfig, Event};
use zap_http::{ServeConfig, serve};

/// All that a client has to say.
fn said(client: &mut Client) -> Vec<u8> {
    let mut said = Vec::new();
    loop {
        let mut pieces = [IoSlice::new(&[]); 4];
        let filled = client.poll_transmit(&mut pieces, Instant::now());
        let sent = pieces[..filled].iter().flat_map(|piece| piece.to_vec()).collect::<Vec<_>>();
        if sent.is_empty() {
            return said;
        }
        client.transmitted(sent.len(), Instant::now());
        said.extend(sent);
    }
}

/// A connection on which both ends have said that they know streamed requests, and the bytes of one.
async fn agreed(address: std::net::SocketAddr, body_len: usize) -> (TcpStream, Vec<u8>) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let mut config = ClientConfig::default();
    (config.stream_requests, config.max_data_len) = (true, 4_000);
    let mut client = Client::new(config, Instant::now());
    client.request("OPTIONS", "*", Instant::now()).unwrap().finish().unwrap();
    stream.write_all(&said(&mut client)).await.unwrap();
    let mut buffer = [0; 1000];
    while client.in_flight() > 0 {
        let len = soon(stream.read(&mut buffer)).await.unwrap();
        assert!(len > 0);
        client.recv(&buffer[..len], Instant::now());
        let mut batch = client.take_batch(Instant::now());
        while let Some(event) = client.next_event(&mut batch) {
            assert!(matches!(event, Event::Response(..)));
        }
        client.return_batch(batch, Instant::now());
    }
    assert!(client.can_stream());
    client.request("POST", "/", Instant::now()).unwrap().stream().unwrap();
    client.data(&vec![7; body_len]).unwrap();
    client.end([("x-sum", "9f")]).unwrap();
    (stream, said(&mut client))
}

/// At every byte of the head, every 997th of the body, and every one of the end.
#[tokio::test]
async fn a_request_that_breaks_off_is_never_complete() {
    const BODY_LEN: usize = 20_000;
    let (told, mut tells) = mpsc::unbounded_channel();
    let app = Router::new().fallback(post(move |request: Request<Body>| async move {
        // Elsewhere, since a handler is dropped with its connection.
        let mut body = request.into_body();
        let read = async move {
            let mut len = 0;
            while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
                match frame {
                    Err(_) => return told.send(Err(len)).unwrap(),
                    Ok(frame) => len += frame.data_ref().map_or(0, bytes::Bytes::len),
                }
            }
            told.send(Ok(len)).unwrap();
        };
        tokio::spawn(read).await.unwrap();
    }));
    let mut config = ServeConfig::default();
    config.connection.stream_requests = true;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve(listener, app).config(config).into_future());

    let (mut stream, wire) = agreed(address, BODY_LEN).await;
    stream.write_all(&wire).await.unwrap();
    assert_eq!(soon(tells.recv()).await, Some(Ok(BODY_LEN)));
    // The frame of the head, and that of the end.
    let head_len = 4 + u32::from_be_bytes(wire[..4].try_into().unwrap()) as usize;
    let end_len = 100;
    let cuts = (0..head_len).chain((head_len..wire.len()).step_by(997)).chain(wire.len() - end_len..wire.len());
    for cut in cuts {
        let (mut stream, again) = agreed(address, BODY_LEN).await;
        assert_eq!(again, wire);
        stream.write_all(&wire[..cut]).await.unwrap();
        stream.shutdown().await.unwrap();
        if cut >= head_len {
            let told = soon(tells.recv()).await.unwrap();
            assert!(told.is_err_and(|len| len <= cut), "{cut}: {told:?}");
        }
        while !is_closed(&mut stream).await {}
        assert!(tells.try_recv().is_err(), "{cut}: no head, no handler");
    }
}
