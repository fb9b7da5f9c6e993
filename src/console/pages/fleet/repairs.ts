/** Names of the checks whose plain word says little. */
export const CHECK_NAMES: Readonly<Record<string, string>> = {
  dkim: "DKIM keys",
  egress: "Outgoing port 25",
  helo: "Host name (HELO)",
  mx: "MX record",
  ptr: "Reverse name (PTR)",
  sender: "Sender address",
  spf: "SPF record",
}

/** What to do about a finding of a node's doctor, by its check. */
export const REPAIRS: Readonly<Record<string, string>> = {
  resolver: "Run a resolver on the machine, such as unbound, and set PROBE_DNS=127.0.0.1:53.",
  clock: "Synchronize the clock: timedatectl set-ntp true.",
  proxy: "Check the proxy of PROBE_SOCKS5, and that it allows port 25.",
  egress: "Ask the provider to open outgoing port 25, or use another address.",
  helo: "Add an A record of the host name for every source address.",
  ptr: "Set the reverse name (PTR) of the address at its provider.",
  sender: "Give the sender's domain an MX record, or use another domain.",
  spf: "Add the term that the finding names to the domain's SPF record.",
  blocklists: "Fix the cause, then request the removal from the list.",
}
