import type { ReplyRule } from "./reply-rule.ts"

/** Access restrictions and filter verdicts. They precede the rules about the mailbox. */
export const ACCESS_RULES: readonly ReplyRule[] = [
  {
    id: "policy.filter-verdict",
    reason: "policy",
    pattern:
      "(?:flagged|detected|identified|considered|classified|marked|rejected|looks like|seems?|suspected|suspicion|scored|appears?|blocked|refused)[^.;]{0,30}\\b(?:spam|junk|phish\\w*|virus|malware|uce)\\b|" +
      "\\b(?:spam|junk|virus|phish\\w*|malware) (?:message|content|mail|score|detected|found|filter|denied|rejected|scale|checks?)|anti-?(?:spam|virus)|(?:contains?|infected with|is) (?:a )?(?:spam|virus|malware)|virus(?:es)? (?:detected|found)",
    seen: "554 5.7.1 Email cannot be delivered. Reason: Email flagged as Spam.",
  },
  {
    id: "policy.closed-group",
    reason: "policy",
    pattern:
      "you are not (?:a member|subscribed|allowed|authori[sz]ed|permitted)|not subscribed|members? only|subscribers? only|moderat|posting (?:to|is|from)|(?:only|does not|doesn't|not) (?:accepts?|receives?)[^.;]{0,30}(?:external|outside|internal(?! error| server| fail| fault| problem)|members|authenticated|trusted|authori[sz]ed)|closed (?:mailing )?(?:list|group)|external (?:senders?|mail|e-?mails?|addresses)|internal (?:users?|mail|use|senders?|delivery) only|in the allowed|does(?: not|n't) want",
    seen: "550 5.7.1 This group only accepts mail from authenticated users",
  },
  // RFC 5321 has the same 550 text for a missing mailbox and for a refusal. A following reason decides.
  {
    id: "policy.unavailable-because",
    reason: "policy",
    digit: 5,
    pattern:
      "\\bmail ?box (?:is )?(?:unavailable|not available)\\b(?! or |.{0,160}\\b(?:unknown|no such|(?:not|n't) (?:found|exist|valid|listed|known|registered)|invalid|disabled|suspended|inactive|closed|terminated|(?:user|account|mail ?box|recipient) (?:is |was |has been )?(?:blocked|banned))\\b|\\W{1,3}(?:the )?{recipient} (?:is |was |has been )?(?:rejected|refused|denied)[ .!)]*$)" +
      ".{1,120}?\\b(?:reject|refus|den(?:y|ied)|block|bann|spam|junk|bulk|phish|virus|malware|polic|abus|prohibit|restrict|violat|unauth|untrust|quarantin|filter|score|risk|listed|access|security|content|not (?:allowed|accept|authori[sz]ed|permitted|trusted))|" +
      "action not taken:? mailbox unavailable\\b(?!.{0,160}\\b(?:unknown|no such|not (?:found|exist|valid)|invalid)\\b).{1,120}?\\b(?:busy|later|service|server|connection|header)",
    seen: "550-Requested action not taken: mailbox unavailable\\n550 Message refused",
  },
]

/** Refusals for policy or content. They do not describe the mailbox, and precede a bare enhanced code. */
export const POLICY_RULES: readonly ReplyRule[] = [
  {
    id: "policy.named",
    reason: "policy",
    pattern:
      "\\bpolic(?:y|ies)\\b|\\babus(?:e|ive)\\b|\\bspam|unsolicited|\\bjunk\\b|go away|restrict(?:ed|ions?|ive)|user entry",
    seen: "554 Reject by behaviour spam at Rcpt State",
  },
  {
    id: "policy.line-length",
    reason: "policy",
    codes: [550, 552, 554],
    pattern: "\\blines? (?:length|(?:is |are )?too long)",
    seen: "550 maximum allowed line length is 998 octets, got 1203, which Exim says after DATA",
  },
  {
    id: "policy.content",
    reason: "policy",
    digit: 5,
    pattern:
      "(?:will|can) ?not accept (?:delivery|your|this|mail|messages?|e-?mail)(?![^.;]{0,40}\\b(?:internal|system) error)|access denied|permission denied|prohibit|not (?:authori[sz]ed|allowed|permitted|accepted|whitelisted|a permitted)|unauthori[sz]ed|virus|malware|phish|infected|\\bcontent|attachment|\\bmacros?\\b|suspicious|suspected|filter|security|forbidden|message (?:was |has been |is )?(?:rejected|refused|blocked|not accepted|denied|contains|looks)|mail (?:is |was )?(?:rejected|refused|blocked|denied)|reject by|ers-|block-|header|subject|bounce|customized",
    seen: "550 5.7.1 <them@example.com>: Recipient address rejected: ERS-Customized-Block.",
  },
]

/** Refusals without a reason. They decide only when no enhanced code did. */
export const REFUSAL_RULES: readonly ReplyRule[] = [
  // The host serves the recipient's domain, so a host that it cannot find is ours or our sender's.
  {
    id: "ptr.unknown-host",
    reason: "ptr",
    digit: 5,
    pattern:
      "unknown host ?[:,-]? ?[[('\"]?~|\\bhost ?(?:is )?(?:unknown|not found|does not exist) ?[:,-]? ?[[('\"]?~|\\bhosts? ?:? ?[[('\"]?~[\\])'\" ]{1,3}(?:is )?(?:unknown|not found|does not exist)|\\[~\\][: ]{1,2}(?:is )?(?:unknown|not found|does not exist)|(?:your|client|sending|connecting|remote|source|sender) host (?:is )?(?:unknown|not found|does not exist)",
    seen: "550 Unknown host: [192.0.2.1]",
  },
  {
    id: "policy.refused",
    reason: "policy",
    digit: 5,
    pattern:
      "reject|rejet|refus|den(?:y|ied)|block|not accept|disallow|abgelehnt|abgewiesen|rechazad|rifiutat|recusad|odrzucon|отклон|отказ|запрещ|geweigerd|avvis|拒",
    seen: "550 5.1.0 Mail rejete. ofr_506 [506]",
  },
]
