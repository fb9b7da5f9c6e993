import type { ReplyRules } from "./reply-rule.ts"

/** Missing mailboxes, in English. A recipient word and a negative word must occur together. */
export const MISSING_RULES: ReplyRules = {
  about: "missing mailbox",
  rules: [
    {
      id: "missing.no-such",
      class: "mailbox_missing",
      digit: 5,
      pattern:
        "\\bno such (?:\\S+ ){0,3}?(?:{recipient}|name|here|local|people|object|person|one|mail)\\b|\\bno (?:\\w+ )?(?:mail ?box|mail ?drop|account)(?: here)?(?: by| with| for| called| available| found| of| here|[ .!)'\"]*$)|nosuchuser|userunknown|invalidrecipient|recip(?:ient)?notfound|resolver\\.adr\\.(?:recip|inval|bad)|" +
        "(?:there is|there's|have|has) no (?:\\w+ )?{recipient}\\b|\\b(?:user|account|recipient) (?:has|have) no e?-?mail[ .!]*$|\\bno \\w+ (?:recipients?|rcpts?|mail ?box(?:es)?) (?:was|were) found|no recipients? for (?:your|this) (?:e-?mail|mail|message)|no (?:one|body) (?:here |with |by |of |at )|nobody (?:here|by|with|called|named)|no (?:valid |matching )(?:{recipient}|aliases)\\b|\\bno {recipient} (?:by|with|called|named|found|here|exists?|matching|at this)",
      seen: "550 No Such User Here",
    },
    {
      id: "missing.unknown-who",
      class: "mailbox_missing",
      digit: 5,
      pattern:
        "\\b(?:unknown|invalid|non-?exist\\w*|unrecogni[sz]ed|bad|incorrect|illegal|undeliverable|unrout?e?able|unresolvable|unlisted|undefined|wrong|deleted|unallocated|unassigned|obsolete|unavailable|unregistered|fake|former|misspelled)" +
        "(?: or \\w+)?[ -](?:or )?(?:(?:local|virtual|destination|recipient|target|final|internal|mail|e-?mail|system|foreign|delivery|primary|uucp|remote|domain) ?){0,3}(?:{recipient}|part|mail domain)\\b",
      seen: "550 Unrouteable address",
    },
    {
      id: "missing.who-unknown",
      class: "mailbox_missing",
      digit: 5,
      pattern:
        "(?:\\b(?:{recipient}|that name)\\b{gap}|\\brejected; (?:~ )?(?:domain )?(?:is |was |has |could )?)(?:\\bunknown\\b(?! host)|\\b(?:not|cannot|can't|couldn't|wasn't|isn't) (?:be )?(?:been )?(?:found|located|resolved|known|recogni[sz]ed|listed|registered|valid|identified|defined|present|looked|matched|match (?:our|any)|a (?:valid|known|member|registered|user|recognized|local|deliverable|real|customer)|on (?:this|our|the|file)|in (?:our|my|the|this|recipient)|here\\b|at this|exists?|available|deliverable|an? \\w+ (?:user|account))|" +
        "\\b(?:do|does|did|dos)(?: not|n't|nt| no) (?:\\w+ )?(?:exists?|appear|match (?:our|any)|have (?:an?|any|such)\\b)|\\bno[tn] ?exists?|\\bnot currently (?:exist|known)|\\bnon-?exist|\\bunavailable|\\binvalid|\\bincorrect|\\bmis-?spelled|\\bunallocated|\\bunrout?e?able|\\bundeliverable|\\bunlisted|\\bunregistered|\\bno longer\\b(?! accept\\w* (?:mails?|e-?mails?|messages?) (?:from|with|contain))|\\bmust exist\\b|\\bmissing home ?dir|\\b(?:was|is|been) removed|\\bhas (?:moved|left|changed)|\\bhas no (?:mail ?box|account)|\\bdeleted\\b|\\bnot ok\\b|\\bnot correct)",
      seen: "550 5.1.1 The email account that you tried to reach does not exist.",
    },
    {
      id: "missing.cannot-find",
      class: "mailbox_missing",
      digit: 5,
      pattern:
        "(?:can(?:not|'t| not)|could(?: not|n't)|unable to|failed to|did not|didn't) (?:find|locate|resolve|look ?up|identify|recogni[sz]e|match|route(?: to)?)(?! (?:(?:an?|any|the|valid) ){0,2}(?:routes?|paths?|gateways?|config\\w*|licen[sc]es?)\\b)[^.;!?]{0,40}(?:\\b{recipient}\\b|~)|" +
        "(?:lookup|look up|find|match)[^.;]{0,30}(?:in domain map|ldap|directory|aliases|virtual)[^.;]{0,20}fail|\\bverify (?:recipient|address|user|mail ?box) failed|not (?:listed|found|present) in (?:the )?(?:\\w+ )?(?:ldap|directory|domino|name|public name|address book|recipient|aliases|local recipient|relay recipient|virtual)",
      seen: "550 5.1.1 <them@example.com>... email address lookup in domain map failed",
    },
    {
      id: "missing.not-ours",
      class: "mailbox_missing",
      digit: 5,
      pattern:
        "list of (?:allowed|valid|known) recipients|\\bnot (?:an? )?(?:recogni[sz]ed|known|valid|registered|existing) (?:\\w+ )?(?:e-?mail|local|{recipient})\\b|not user of|not (?:our|a) (?:customer|user|member|client|subscriber)|(?:does(?: not|n't)|do(?: not|n't)) have an? e-?mail\\b|(?:does(?: not|n't)|do(?: not|n't)) (?:have|exist|live|recogni[sz]e|know)(?:[^.;]{0,40}(?:account|mail ?box|user|recipient|address|here|such))|(?:^|\\brejected;) (?:sorry |the |this |that )?(?:not found|undeliverable|not deliverable|no such|no (?:user|recipient)s?|invalid e-?mail|{recipient} (?:~ )?(?:is |was |has been )?(?:removed|gone|withdrawn|unassigned))[ .!]*$|not in (?:(?:my|our|the|this|your) )?(?:local |valid )?(?:recipient|user|database|directory|mailbox|account|address)|" +
        "\\b{recipient} (?:is |was )?not (?:local|here)\\b|\\bnot a local (?:user|address|recipient|mail ?box|account)\\b|not have a final (?:e-?mail )?delivery|recipient (?:is )?not in (?:the |our )?(?:route|routing|relay|transport) (?:list|table|map)|^ not found (?:recipient|user|account|mail ?box)|recipient mail ?box (?:is )?not allowed(?=[.!]| $| \\()|(?:does(?: not|n't)|do(?: not|n't)) (?:handle|accept|take|receive)[^.;]{0,20}for (?:that|this) (?:user|recipient|address|account)|not a valid|is not valid|no longer (?:valid|exists?|works?|with|employed|an? employee|on (?:this )?server|here|available|a valid)|has left|(?:address(?:ee)?|identity|alias) (?:is )?(?:no longer|obsolete)|mailbox (?:name )?(?:not allowed|has moved)|(?:^ (?:sorry )?|[:;-] ?)(?:does(?:n't| not) exist|not exists?|no longer exists)|(?<!\\b(?:hosts?|host ?name|client|server|machine|relay|helo|ehlo)[ :=]{1,2}[[('\"]?)~[ >:;.,\"'-]{0,4}(?:(?:on|at|in) (?:this|our|the) (?:\\w+ ){1,2})?(?:(?:does(?:n't| not)|dosn't) exists?|(?:is |was )?(?:(?:not|(?:cannot|can't|could not|couldn't) be) (?:exists?|found|known|registered|recogni[sz]ed|resolved|listed|one of our)|unknown(?! host)|(?:not |un)deliverable(?=[.!]| $)|invalid\\b(?! [a-z]))|no longer exists|(?:is |was |has been )(?:deleted|removed))|(?:not known|not found|unknown) (?:at|on|in) (?:this|our) (?:site|server|system|machine)|^ this (?!host|domain|server|system|client|sender|ip |name|message|command|service|file)[a-z]+ (?:does not|doesn't) exist|e-?mail (?:name )?(?:is )?(?:not found|unknown|does not exist|doesn't exist)",
      seen: "551 not our customer",
    },
    {
      id: "missing.not-allowed",
      class: "mailbox_missing",
      digit: 5,
      enhanced: ["1.1"],
      pattern: "recipient (?:address )?(?:is )?not allowed(?=[.!]| $| \\()",
      seen: "550 5.1.1 That recipient is not allowed",
    },
    {
      id: "missing.microsoft-edge",
      class: "mailbox_missing",
      digit: 5,
      enhanced: ["4.1"],
      pattern: "recipient address(?:es)? rejected",
      seen: "550 5.4.1 [them@example.com]: Recipient address rejected: Access denied [example.com] (directory-based edge blocking)",
    },
    {
      id: "missing.ironport",
      class: "mailbox_missing",
      digit: 5,
      enhanced: ["1.0"],
      pattern: "(?<!sender )address rejected",
      seen: "550 #5.1.0 Address rejected.",
    },
    {
      id: "missing.unroutable-domain",
      class: "mailbox_missing",
      digit: 5,
      pattern:
        "all relevant mx records point to non|(?<!\\b(?:your|client|sending|connecting|remote|source|originating|sender|sender's|peer|smtp|helo|ehlo) )\\bhost(?: or domain)?(?: name)? (?:is )?(?:not found|unknown|does not exist)(?! ?[:,-]? ?[[('\"]?~)|no such domain|\\bdomain (?:~ )?(?:is |has been )?(?:obsolete|retired|no longer (?:in use|used|active|exists?|valid|supported))|(?:recipient|destination|rcpt)[^.;]{0,20} domain[^.;]{0,30}(?:not (?:found|exist)|n't exist|must exist|unknown|invalid|expired)|unknown domain or|non-?existent domain|no mail hosts for|no mx (?:record )?for|name service error|unrout?e?able",
      seen: "550 all relevant MX records point to non-existent hosts",
    },
  ],
}
