import type { ReplyRules } from "./reply-rule.ts"

/** Refusals for policy or content that leave the mailbox unjudged; stronger than a bare enhanced code. */
export const POLICY_RULES: ReplyRules = {
  about: "policy",
  rules: [
    {
      id: "policy.named",
      class: "refuses_us",
      reason: "policy",
      pattern:
        "\\bpolic(?:y|ies)\\b|\\babus(?:e|ive)\\b|\\bspam|unsolicited|\\bjunk\\b|go away|restrict(?:ed|ions?|ive)|user entry",
      seen: "550 5.7.1 [CS01] Message rejected due to local policy.",
    },
    {
      id: "policy.content",
      class: "refuses_us",
      reason: "policy",
      digit: 5,
      pattern:
        "access denied|permission denied|prohibit|not (?:authori[sz]ed|allowed|permitted|accepted|whitelisted|a permitted)|unauthori[sz]ed|virus|malware|phish|infected|\\bcontent|attachment|suspicious|suspected|filter|security|forbidden|message (?:was |has been |is )?(?:rejected|refused|blocked|not accepted|denied|contains|looks)|mail (?:is |was )?(?:rejected|refused|blocked|denied)|reject by|syntax error in parameters|ers-|block-|header|subject|bounce|customized",
      seen: "550 5.7.1 <them@example.com>: Recipient address rejected: ERS-Customized-Block.",
    },
  ],
}

/** Words of refusal that decide only when the enhanced code did not. */
export const REFUSAL_RULES: ReplyRules = {
  about: "refusal without a reason",
  rules: [
    {
      id: "policy.refused",
      class: "refuses_us",
      reason: "policy",
      digit: 5,
      pattern:
        "reject|refus|den(?:y|ied)|block|not accept|disallow|abgelehnt|abgewiesen|refuse|rechazad|rifiutat|recusad|odrzucon|отклон|отказ|запрещ|geweigerd|avvis|拒",
      seen: "550 5.2.0 Mail rejete. Mail rejected. ofr_506 [506]",
    },
  ],
}
