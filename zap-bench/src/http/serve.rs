//! The application of the end-to-end runs on any addresses, for a load from elsewhere.

use zap_http::{Listeners, LocalAddress, listen};

use super::app;

/// Serves until the process ends, on one thread as in the end-to-end runs: `zap://`, `http://` and `unix:` addresses, one application behind all. The addresses are
/// printed, with the ports that the system chose.
///
/// # Errors
///
/// An address cannot be had.
pub fn serve(addresses: &[String]) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(text)?;
    runtime.block_on(async {
        let listeners = listen(addresses).bind().await.map_err(text)?;
        for url in urls(addresses, &listeners)? {
            println!("{url}");
        }
        listeners.serve(app::router()).await;
        Ok(())
    })
}

/// As [`serve`], on a thread of its own. Gives the addresses as URLs.
#[cfg(test)]
pub(crate) fn serve_in_background(addresses: &[String]) -> Result<Vec<String>, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(text)?;
    let listeners = runtime.block_on(listen(addresses).bind()).map_err(text)?;
    let urls = urls(addresses, &listeners)?;
    std::thread::spawn(move || runtime.block_on(async { listeners.serve(app::router()).await }));
    Ok(urls)
}

/// The addresses as `zap-bench load` takes them.
fn urls(addresses: &[String], listeners: &Listeners) -> Result<Vec<String>, String> {
    let bound = listeners.local_addresses().map_err(text)?;
    let url = |(address, bound): (&String, &LocalAddress)| match address.split_once("://") {
        Some((scheme, _)) => format!("{scheme}://{bound}"),
        None if address.starts_with("unix:") => address.clone(),
        None => format!("zap://{bound}"),
    };
    Ok(addresses.iter().zip(&bound).map(url).collect())
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
