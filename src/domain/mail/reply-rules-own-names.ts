import type { ReplyRule, ReplyRules } from "./reply-rule.ts"

/** "[helo]" and its like, with what may stand round a name. */
const END = "[\\])>}'\"]{0,3}"
const START = "[[(<'\"]{0,3}"
const DOMAIN = "(?:domain|host ?name|host|mail ?server|server|name)(?: name)?"
const NEGATED =
  "(?:not found|not known|unknown|non-?exist\\w*|not exist\\w*|(?:does(?: not|n't)|dosn't) (?:exist|resolve|have (?:an? |any )?(?:valid )?(?:mx|dns|a|ns)\\b)|" +
  "invalid|unresolvable|unrout?e?able|not resolv\\w*|not (?:be )?(?:an? )?(?:registered|recogni[sz]ed|valid|found|resolved|located)|" +
  "(?:cannot|can't|could not|couldn't) be (?:found|resolved|located)|has no (?:valid )?(?:mx|dns|a|ns)\\b|no such|nxdomain)"
/** What would be said of a mailbox that was there once, or of one that is not. */
const GONE = "(?:{shut}|undeliverable|not (?:deliverable|listed|one of our))"
const NEGATIVE =
  "(?:no such|unknown|invalid|non-?exist\\w*|unresolvable|unrout?e?able|undeliverable|bad|bogus|unrecogni[sz]ed|unregistered)"
const CANNOT_FIND = "(?:cannot|can't|can not|could not|couldn't|unable to|failed to) (?:find|resolve|locate|look ?up)"

/** A host or domain of that name is not to be found. */
function missingHost(mark: string): string {
  const name = `\\[${mark}\\]${END}`
  return (
    `${name}[ :;,.=-]{0,3}(?:[[(]{0,2}~[\\])]{0,2}[ :;,.-]{0,3})?(?:${DOMAIN} )?(?:is |was |has (?:been )?)?(?:an? )?(?:${NEGATED}|${GONE})(?! (?:e-?mail |local |virtual )?{who})|` +
    `\\b${NEGATIVE} (?:mail |sender |the |your )?${DOMAIN}[ :=]{0,3}${START}${name}|` +
    `\\b${CANNOT_FIND} (?:the |your |a )?(?:${DOMAIN}[ :=]{0,3})?${START}${name}|` +
    `\\b${DOMAIN} (?:is |was )?(?:not found|unknown|does(?: not|n't) exist)[ :;,.=-]{0,3}${START}${name}|` +
    `\\b(?:(?:no|invalid|illegal) (?:mx|dns|a|aaaa|ns)\\b[\\w ]{0,30}|name service error|lookup (?:failed|failure|error)) (?:for|of)[ :]{0,2}(?:${DOMAIN}[ :=]{0,3})?${START}${name}`
  )
}

/** Nobody of that name. What names another after it speaks of that one. */
function missingSender(): string {
  const name = `\\[sender\\]${END}`
  return (
    `${name}[ :;,.=-]{0,3}(?:{who} )?(?:is |was |has (?:been )?)?(?:an? )?(?:${NEGATED}|${GONE}|blocked)(?!(?: {who})?[ :=-]{0,3}${START}~)|` +
    `\\b${NEGATIVE} (?:e-?mail )?(?:{who}|sender)[ :=-]{0,3}${START}${name}|` +
    `\\b${CANNOT_FIND} (?:the |your |a )?(?:{who} )?${START}${name}`
  )
}

function ruleOf(rule: Pick<ReplyRule, "id" | "reason" | "pattern" | "seen">): ReplyRule {
  return { class: "refuses_us", ...rule }
}

/** Asked first, and only of replies that name us. */
export const OWN_NAME_RULES: ReplyRules = {
  about: "our own names",
  rules: [
    ruleOf({
      id: "own.helo",
      reason: "helo",
      pattern: missingHost("helo"),
      seen: "550 Host mta1.probe.example.net not found",
    }),
    ruleOf({
      id: "own.domain",
      reason: "sender",
      pattern: missingHost("domain"),
      seen: "550 5.1.2 unknown domain probe.example.net",
    }),
    ruleOf({
      id: "own.sender",
      reason: "sender",
      pattern: missingSender(),
      seen: "550 5.1.1 <check@probe.example.net>: User unknown",
    }),
  ],
}
