//! Reads addresses from stdin and prints one line of JSON for each.

use std::{env, time::Duration};

use check_if_email_exists::{
    check_email, smtp::verif_method::VerifMethod, CheckEmailInputBuilder, CheckEmailOutput, Reachable,
};
use serde_json::json;
use tokio::io::{stdin, AsyncBufReadExt, BufReader};

/// "Risky" by its kind alone, such as a role account, counts as what its SMTP details say. Other risks (catch-all, full
/// mailbox) count as unknown.
fn verdict(output: &CheckEmailOutput) -> &'static str {
    match (&output.is_reachable, &output.smtp) {
        (Reachable::Safe, _) => "deliverable",
        (Reachable::Invalid, _) => "undeliverable",
        (Reachable::Risky, Ok(smtp)) if smtp.is_catch_all || smtp.has_full_inbox => "unknown",
        (Reachable::Risky, Ok(smtp)) if smtp.is_deliverable => "deliverable",
        (Reachable::Risky, Ok(_)) => "undeliverable",
        _ => "unknown",
    }
}

#[tokio::main]
async fn main() {
    let setting = |name| env::var(name).expect(name);
    let timeout = Duration::from_millis(setting("PEER_TIMEOUT_MS").parse().expect("PEER_TIMEOUT_MS"));
    // Two connections at most: its documentation recommends them against greylisting.
    let method = VerifMethod::new_with_same_config_for_all(
        None,
        setting("PEER_HELO"),
        setting("PEER_MAIL_FROM"),
        25,
        Some(timeout),
        2,
    );
    let mut lines = BufReader::new(stdin()).lines();
    while let Ok(Some(address)) = lines.next_line().await {
        let mut input = CheckEmailInputBuilder::default();
        let input = input.to_email(address.clone()).verif_method(method.clone()).build().expect("input");
        tokio::spawn(async move {
            let output = check_email(&input).await;
            let details = serde_json::to_value(&output).expect("output");
            let raw = format!("{}: {}", details["is_reachable"], details["smtp"]);
            println!("{}", json!({ "address": address, "verdict": verdict(&output), "raw": raw }));
        });
    }
}
