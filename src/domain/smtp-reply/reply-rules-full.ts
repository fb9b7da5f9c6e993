import type { ReplyRules } from "./reply-rule.ts"

/** The mailbox exists and is full: X.2.2, or words for it. */
export const FULL_RULES: ReplyRules = {
  about: "full mailbox",
  rules: [
    {
      id: "size.message",
      class: "refuses_us",
      reason: "policy",
      pattern:
        "message (?:size|file|length) (?:exceeds?|too|limit|is|larger|violation)[^.;]{0,40}$|(?:message|mail|email|e-mail)(?: body)? (?:is |was )?(?:too (?:big|large|long))|(?:exceeds?|exceeded|larger than|over)[^.;]{0,30}(?:message|mail) ?(?:size|length)|(?:size|fixed) (?:exceeds|maximum|limit of)[^.;]{0,20}message",
      seen: "552 Message size exceeds fixed maximum message size",
    },
    {
      id: "rate.sending-quota",
      class: "refuses_us",
      reason: "rate",
      pattern:
        "(?:sending|sender|send|bandwidth|connection|traffic|client|outgoing|outbound|hourly|daily) (?:message )?(?:quota|limit)s?\\b|rate quota|quota (?:for|of) (?:messages|your)",
      seen: "550 sending quota exceeded",
    },
    {
      id: "full.queue-quota",
      class: "temporary",
      pattern: "(?:organi[sz]ation|queue|tenant|domain|server) (?:queue )?quota",
      seen: "450 4.7.3 Organization queue quota exceeded. [outlook.com]",
    },
    {
      id: "full.quota",
      class: "mailbox_full",
      pattern: "quota|квот|\\bcuota|\\bkvot|\\bcota\\b|contingent",
      seen: "452 4.2.2 The email account that you tried to reach is over quota.",
    },
    {
      id: "full.mailbox",
      class: "mailbox_full",
      pattern:
        "(?:{recipient}|mail ?(?:folder|dir|spool)|storage|disk|mbox|spool|maildir)\\b{gap}\\b(?:full|overfull|overflow\\w*|over (?:limit|allocat\\w+|size|its|their|the)|size limit|out of (?:space|storage)|exhausted|maxed)\\b(?! name|y| of)|" +
        "enough (?:disk ?|storage ?)?space|diskspace|space (?:has |is )?(?:been )?used up|over quote|dropfile|exceeds? allowed|larger than the space|able to receive any more|maximum allowed (?:storage|mailbox|number of messages)|(?:space|storage) (?:is )?(?:not enough|insufficient|exhausted)|\\bfull (?:mail ?box|inbox|account)|(?:exhausted|no more|not enough|insufficient|out of|lacks?|too little) (?:\\w+ )?(?:storage|space|room)",
      seen: "452 4.2.2 Mailbox full",
    },
    {
      id: "full.exceeded",
      class: "mailbox_full",
      pattern:
        "exceed\\w*{near}\\b(?:storage|allocat\\w+|mail ?box|disk|allowed size|space|inbox)|\\b(?:storage|allocation|mail ?box|disk|inbox|account)(?! for)\\b{near}\\bexceed|too many (?:messages|mails) (?:on|in) (?:the|this|my|your) (?:server|mailbox|account)|(?:mailbox|inbox|account) has exceeded|(?:mailbox|inbox|account) (?:is )?(?:too (?:large|big)|has grown)|" +
        "storage (?:limit|allocation|space)",
      seen: "552 Requested mail action aborted: exceeded storage allocation (RFC 5321 section 4.2.3)",
    },
    {
      id: "full.localised",
      class: "mailbox_full",
      pattern:
        "boite[^.;]{0,40}pleine|postfach[^.;]{0,40}(?:voll|uberfull|speicher)|zu ?viele mails|speicherplatz|kapazitat[^.;]{0,60}erschopft|uberfullt|ubervoll|(?:casilla|buzon|bandeja)[^.;]{0,30}llen|casella[^.;]{0,30}pien|(?:caixa|correio)[^.;]{0,30}cheia|" +
        "переполнен|заполнен|превышен[^.;]{0,20}(?:размер|объем|лимит(?! (?:подкл|соед|отпр|письм|писем|сообщ)))|(?:邮箱|郵箱|信箱|空间|容量|邮件夹)[^.;]{0,10}(?:满|滿|不足|超)|(?:一杯|いっぱい|容量)|skrzynk[^.;]{0,30}peln|postvak[^.;]{0,20}vol\\b|postkass\\w*[^.;]{0,20}full|brevlad\\w*[^.;]{0,20}full|가득",
      seen: "552 5.1.1 Boite du destinataire pleine. OFR_417 [417]",
    },
  ],
}
