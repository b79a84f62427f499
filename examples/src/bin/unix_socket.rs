//! ZAP on a unix socket: no port, and the system vouches for who calls.
//! `cargo run -p zap-examples --bin unix_socket -- /run/app.sock`

use std::future::IntoFuture;

use axum::routing::get;
use axum::{Extension, Router};
use zap_http::{BindOptions, Client, ConnectionInfo, listen};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: unix_socket PATH")?;
    let address = format!("unix:{path}");

    // The socket's file is for this user and group. One that a crashed server left behind is replaced; one that a living
    // server listens on is an error.
    let app = Router::new().route("/whoami", get(whoami));
    let mut options = BindOptions::default();
    options.unix_mode = Some(0o660);
    let server = listen(&address).options(options).bind().await?.serve(app);
    let handle = server.handle();
    let server = tokio::spawn(server.into_future());

    let client = Client::to(address.as_str())?;
    let answer = client.get("/whoami").send().await?.error_for_status()?.text().await?;
    println!("{answer}");

    handle.shutdown();
    println!("served {} connections", server.await?.connections);
    Ok(())
}

async fn whoami(Extension(info): Extension<ConnectionInfo>) -> String {
    match info.unix_credentials() {
        Some(peer) => format!("user {} called", peer.user_id),
        None => "somebody called".to_owned(),
    }
}
