import type { ReplyRules } from "./reply-rule.ts"

/** Rate limits: for the recipient's mail, which is temporary, or for this client. */
export const RATE_RULES: ReplyRules = {
  about: "rate",
  rules: [
    {
      id: "rate.recipient",
      class: "temporary",
      pattern:
        "\\b(?:users?|recipients?|mail ?box|account|customer|address(?:ee)?|inbox|(?:recipient|destination)(?:'s)? domain)\\b{gap}(?:receiv\\w+ (?:[\\w-]{1,15} ){0,4}?(?:too (?:many|much|often|fast|frequently|quickly|rapidly)|at (?:a|an|this|such)\\b|faster than|more (?:e-?mails?|mails?|messages?|quickly|often|frequently) than)|message rate|(?:receiv\\w+|incoming|inbound|delivery) rate|rate of (?:incoming|inbound)|number of messages they can receive|rate limit|messages per|too many (?:recent )?(?:messages|mails|emails|connections))|" +
        "too many recent messages",
      seen: "450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered.",
    },
    {
      id: "rate.session",
      class: "temporary",
      enhanced: ["5.3", "4.5", "3.2", "4.2"],
      pattern: "too many|limit|exceed|max",
      seen: "452 4.5.3 Too many recipients (RFC 3463 X.5.3)",
    },
    {
      id: "rate.ours",
      class: "refuses_us",
      reason: "rate",
      pattern:
        "unsolicited|(?:your|sending|client|connecting|from this|from your|per|this) (?:ip|host|server|domain)\\b{gap}(?:rate|limit|too many|too fast|throttl|exceed|connections|volume|frequen)|" +
        "too much mail from|(?:rate|limit|too many|too fast|throttl|exceed|connections|volume|frequen)\\w*{gap}(?:your ip|your host|from your|sending ip|this ip|per ip|~|client|sender)|sender frequency|(?:sending|sender|send) (?:quota|limit|rate|too)|number of messages they can send",
      seen: "421 4.7.0 [192.0.2.1 15] Our system has detected an unusual rate of unsolicited mail originating from your IP address.",
    },
    {
      id: "rate.ours-permanent",
      class: "refuses_us",
      reason: "rate",
      digit: 5,
      pattern:
        "rate[- ]?limit|throttl|too many (?!users|hops)|too (?:fast|frequent|quickly)|excessive|flood|slow down|concurren|simultan|(?:messages|emails|mails|connections|recipients) (?:per|an) |" +
        "max(?:imum)? (?:number of )?(?:connections|messages|recipients|sessions|emails)|frequency|hourly|daily (?:quota|limit)|频率|过于频繁",
      seen: "550 Too many invalid recipients",
    },
    {
      id: "rate.passing",
      class: "temporary",
      digit: 4,
      pattern:
        "rate[- ]?limit|throttl|too many|too (?:fast|frequent|quickly)|excessive|flood|slow down|concurren|simultan|max(?:imum)? |organi[sz]ation queue|queue quota|hourly|daily (?:quota|limit)|频率|过于频繁",
      seen: "452 4.2.1 Too many messages, slow down",
    },
  ],
}
