/** Words that many reply patterns share; a rule writes `{who}` for WORDS.who. Gaps are bounded and stay in one sentence. */
const WORDS: Readonly<Record<string, string>> = {
  who:
    "(?:users?|user ?(?:names?|ids?)|rec(?:e?i|ie)pients?|rcpt(?: ?to)?|mail[ -]?box(?:es)?|e-?mail ?(?:address(?:es)?|id|account)|inbox|" +
    "mail ?(?:drop|address|account|id)|accounts?|address(?:es|ee)?|customer|subscriber|member|alias|person|destination|" +
    "local[- ]?part|employee|addressees)",
  // What a reply calls the client that is talking to it.
  us:
    "(?:your|client|sending|connecting|source|originating|remote|sender'?s?|from|smtp client) (?:the )?" +
    "(?:ips?|ip[- ]addr\\w*|hosts?|servers?|mtas?|networks?|mail ?servers?|subnet|isp|computer|machine|system|" +
    "connections?|smtp|relay|country|location|domain|address range)",
  refused:
    "(?:reject\\w*|block\\w*|den(?:y|ied|ies)|refus\\w*|bann?ed|banned|disallow\\w*|forbid\\w*|prohibit\\w*|" +
    "not (?:allowed|authori[sz]ed|permitted|accept\\w*|welcome|trusted)|unauthori[sz]ed|suspend\\w*|blacklist\\w*|listed)",
  // Several of them: a reply about one recipient says "unknown user".
  whos:
    "(?:users|user ?(?:names|ids)|recipients|rcpts|rcpt tos|mail ?boxes|e-?mail (?:addresses|ids|accounts)|addresses|" +
    "addressees|accounts|destinations|customers|people|persons|names)",
  bad:
    "(?:unknown|invalid|non-?exist\\w*|not existing|inexistent|bad|wrong|bogus|fake|dead|undeliverable|unrecogni[sz]ed|" +
    "unrout?e?able|inactive)(?:(?: (?:or|and) |\\/)\\w+)?",
  // A few words that end before another recipient is named.
  lead: "(?: (?!(?:the following|following|these|those|is|are|was|were)\\b)[\\w'-]{1,20}){0,5}",
  word: "[\\w'-]{1,20}",
  near: "[^.;!?]{0,40}",
  gap: "[^.;!?]{0,80}",
}

/** The regular expression a rule's pattern stands for, over folded text. */
export function spellPattern(pattern: string): RegExp {
  return new RegExp(pattern.replace(/\{([a-z]+)\}/g, (_, word: string) => WORDS[word] ?? ""))
}
