import type { ReplyRules } from "./reply-rule.ts"

/** Refusals of our HELO name, reverse DNS, TLS state or authentication state. */
export const IDENTITY_RULES: ReplyRules = {
  about: "identity",
  rules: [
    {
      id: "helo.name",
      class: "refuses_us",
      reason: "helo",
      pattern: "\\b(?:helo|ehlo)(?:host)?\\b(?! first)",
      seen: "504 5.5.2 <localhost>: Helo command rejected: need fully-qualified hostname",
    },
    {
      id: "ptr.reverse-dns",
      class: "refuses_us",
      reason: "ptr",
      pattern:
        "\\breverse\\b|\\b(?:ptr|rdns|fcrdns)\\b|cannot find your|can't find your|(?:in-addr|inverse) (?:arpa|dns|lookup)|" +
        "no (?:valid )?(?:ptr|host ?name|dns (?:name|entry|record))|unresolv\\w+ (?:ip|client|host|relay)",
      seen: "450 4.7.1 Client host rejected: cannot find your reverse hostname, [192.0.2.1]",
    },
    {
      id: "ptr.host-name",
      class: "refuses_us",
      reason: "ptr",
      pattern:
        "(?:your|client|sending|connecting|remote) (?:ip |server |client )?(?:host ?name|host name|ip)[^.;]{0,30}(?:resolv|match|verif|lookup|dns)|" +
        "host ?name (?:verification|mismatch|does not match|lookup|is generic)|generic (?:host ?name|dns)|" +
        "(?:bad|invalid|missing|incorrect|no|forged|faked?|generic|suspicious) dns|dns says|not in dns|dns (?:entry|name|lookup|check|verification)|name lookup failed|dns (?:mx|ptr|resource|a) |fix (?:your )?dns|" +
        "(?:ip|address)[^.;]{0,20} (?:does not|doesn't|not) resolve|resolve your",
      seen: "550 <them@example.com>: Invalid DNS MX or A/AAAA resource record",
    },
    {
      id: "ptr.localised",
      class: "refuses_us",
      reason: "ptr",
      digit: 5,
      pattern:
        "\\bdns[- ]?(?:eintr\\w+|zaznam\\w*|wpis\\w*|zapis\\w*|kayd\\w*|запис[а-я]*)|\\b(?:registr[oe]|enregistrement|rekord|record|wpis|zaznam) dns\\b|\\bdns (?:inverse|inverso|reverso)\\b|\\bruckwarts|обратн[а-я]+ |逆引き|反向解析|反解|역방향",
      seen: "550 Kein gueltiger DNS-Eintrag",
    },
    {
      id: "tls.required",
      class: "refuses_us",
      reason: "tls",
      pattern:
        "(?:must|need|require\\w*|issue|use)[^.;]{0,30}(?:starttls|\\btls|encrypt)|(?:starttls|\\btls|encryption)[^.;]{0,40}(?:require|needed|mandatory|first)",
      seen: "530 5.7.0 Must issue a STARTTLS command first (RFC 3207 section 4)",
    },
  ],
}
