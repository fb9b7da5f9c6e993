import type { ReplyRules } from "./reply-rule.ts"

/** Plain refusals to relay. They precede all other rules about this client. */
export const RELAY_DENIED_RULES: ReplyRules = {
  about: "relaying denied",
  rules: [
    {
      id: "relay.denied",
      class: "relay_denied",
      pattern:
        "\\brelay(?:ing)? (?:access )?(?:is |was |has been )?(?:denied|not permitted|not allowed|prohibited|disallowed|refused|rejected|forbidden|disabled)|" +
        "(?:not (?:currently )?(?:permitted|allowed|authori[sz]ed|configured)|unable|refus\\w+|cannot|won't|do not|don't|no|unauthori[sz]ed|prohibited) (?:to |an? |any )?(?:mail )?relay",
      seen: "554 5.7.1 <them@example.com>: Relay access denied",
    },
  ],
}

/** The host does not accept mail for this domain from this client. The reply does not describe the mailbox. */
export const RELAY_RULES: ReplyRules = {
  about: "relaying",
  rules: [
    {
      id: "relay.named",
      class: "relay_denied",
      pattern:
        "\\b(?:relay|relaying|relayed|relays)\\b(?!=| recipient| limit)|rcpt ?hosts|релеи|中继|weiterleitung (?:nicht erlaubt|abgelehnt|verweigert)|\\bretransmis(?:sao|ion) |vidarebefordran nekad",
      seen: "554 5.7.1 <them@example.com>: This looks like a relay attempt",
    },
    {
      id: "relay.not-hosted",
      class: "relay_denied",
      pattern:
        "not hosted|(?:do|does)(?: not|n't) (?:host|handle|serve|service|process|accept)[^.;]{0,30}(?:domain|mail for (?!that user|this user|that recipient|the user|user))|not (?:a )?(?:local|locally hosted|hosted|handled|served|configured|authoritative|responsible)[^.;]{0,20}(?:domain|for)|" +
        "domain (?:is )?(?:not|isn't) (?:hosted|handled|served|local|configured|allowed|accepted|here|in my|in our|authori[sz]ed|supported|permitted)|local (?:user|domain|recipient)s? only|we are not (?:a|an) (?:open )?(?:gateway|mx)|don't handle|not (?:a|an) (?:valid )?gateway|non-accepted domain",
      seen: "550 example.com is not hosted here",
    },
    // RFC 4954 section 6: these codes describe the client that logs in.
    {
      id: "relay.login",
      class: "refuses_us",
      reason: "policy",
      codes: [534, 535, 538],
      seen: "535 5.7.8 user not found",
    },
    {
      id: "relay.authenticate",
      class: "refuses_us",
      reason: "policy",
      pattern:
        "(?:authentication|auth|authorization|smtp auth|log ?in|password) (?:is |was )?(?:required|needed|mandatory|failed|failure|error|credentials)|(?:must|need to|have to|please|requires?|not|only|be) (?:first )?(?:\\w+ )?(?:authenticat|log ?in|smtp auth)\\w*|\\bcredentials\\b|\\bpasswords?\\b|\\b(?:passwort|kennwort|anmeldung (?:erforderlich|fehlgeschlagen)|mot de passe|contrasena|senha|haslo|heslo|wachtwoord|losenord|sifre)\\b|парол[ья]|密码|パスワード|비밀번호|\\bfor authentication\\b|check (?:for )?(?:new )?mail first|pop before",
      seen: "530 5.7.1 Authentication required",
    },
  ],
}
