import type { ReplyRule } from "./reply-rule.ts"

/** Refusals of our envelope sender or its domain. Postfix and Exim send them in the reply to RCPT. */
export const SENDER_RULES: readonly ReplyRule[] = [
  {
    id: "sender.verification",
    reason: "sender",
    pattern:
      "sender verif|verif\\w+ (?:of |for )?(?:the )?(?:envelope )?(?:sender|return.?path|mail from)|(?<!recipient |address |user |callout )verification failed(?! for ~[^!?]{0,400}\\b(?:(?:recipient|rcpt|user|address) (?:verify|verification|verif\\w+|callout|check)|(?:unknown|invalid) (?:recipient|rcpt|user)))|" +
      "(?:could not|cannot|unable to|can't|failed to) verify (?:the |your )?(?:sender|domain|from|mail from|return|e-?mail from)|" +
      "call(?:back|out)[^.;]{0,60}(?:sender|verifying|setup failed|from)|sender call(?:back|out)",
    seen: "550-Verification failed for <us@example.com>\\n550 Sender verify failed",
  },
  {
    id: "sender.authentication",
    reason: "sender",
    pattern:
      "\\b(?:spf|dkim|dmarc|sender policy framework|sender ?id|domain ?keys|openspf)\\b|" +
      "(?:email|message|mail|sender) (?:is |was |that is )?(?:unauthenticated|not authenticated)|not authenticated by",
    seen: "550 <them@example.com>: Reject due to SPF policy. The originating IP of the message is not permitted by the domain owner",
  },
  {
    id: "sender.qualified",
    reason: "sender",
    pattern:
      "(?:invalid|unknown|bad|fake|forged|spoofed|unauthori[sz]ed|unauthenticated|illegal|incorrect|malformed|missing|blocked|" +
      "rejected|unverified|unresolvable|unrout?e?able|suspected spam|null|empty|denied|improper|undeliverable|blacklisted|untrusted|no) " +
      "(?:envelope |mail |email |return )?(?:senders?|return[- ]?paths?|mail[- ]?from|from[- ](?:address|domain|header)|backscatter)\\b",
    seen: "501 5.1.0 Emetteur invalide. Invalid Sender. OFR004_405 [405]",
  },
  {
    id: "sender.predicate",
    reason: "sender",
    pattern:
      "\\b(?:senders?(?:'s)?|mail[- ]?from|return[- ]?path|envelope[- ](?:from|sender)|from (?:address|domain|header|field|line)|" +
      "e-?mail from|mail from domain|from:)\\b[^.;:,]{0,40}\\b(?:reject\\w*|den(?:y|ied)|block\\w*|unknown|not\\b|doesn't|" +
      "isn't|invalid|illegal|blacklist\\w*|refus\\w*|unauth\\w*|fail\\w*|must|forged|spoof\\w*|restricted|listed|verif\\w*|" +
      "requires|required|has exceeded|exceed\\w*|disabled|suspended|closed|locked|inactive|deleted|unavailable|no longer|has no|mismatch\\w*|format|prohibited|banned|resolve)",
    seen: "550 5.7.1 Service unavailable, MailFrom domain is listed in Spamhaus. [example.prod.protection.outlook.com]",
  },
  {
    id: "sender.domain",
    reason: "sender",
    pattern:
      "e-?mail address is not verified|\\b(?:message|e-?mail|mail) sending\\b[^.;]{0,40}\\b(?:disabled|suspended|blocked|restricted)\\b|outgoing (?:e-?)?mail|domain of your|\\b(?:in|of) (?:the |your )?(?:sender|mail[- ]?from|return|envelope (?:from|sender)|from (?:address|header|field|line))\\b|sender(?:'s)? (?:e-?mail )?(?:domain|host)|" +
      "your (?:e-?mail )?(?:domain|account|envelope|return address|e-?mail address|from address|mail address|organi[sz]ation)\\b|" +
      "(?:cannot|can't|could not|unable to|does not|doesn't|must) (?:be )?resolve[^.;]{0,30}(?:sender|from|your)|" +
      "from:? ?domain must resolve|\\b532[12][. ](?:mail ?)?from\\b|\\benvelope[- ]senders?\\b|\\bbackscatter\\b|(?:~\\]?|from) does not designate|(?:valid|for) sender|must be (?:an? )?fully[- ]qualified|\\bforger(?:y|ies)\\b",
    seen: "550 Your domain example.org was not recognised",
  },
  // Any words for a missing mailbox may also describe our sender.
  {
    id: "sender.missing",
    reason: "sender",
    digit: 5,
    pattern:
      "(?<!\\bto )(?<!\\bto the )\\b(?:{sender})[ :\"'()<>-]{1,4}(?:~[ :\"')>-]{1,4})?(?:is |was |are |were |has )?(?:currently |temporarily )?(?:an? )?(?:{gone}|blocked|rejected)|" +
      "\\b{missing} (?:the |your |an? |any |valid )?(?:{sender})",
    seen: "550 No such sender here",
  },
  // 554 does not describe a mailbox, and the text does not name the recipient.
  {
    id: "sender.unnamed-address",
    reason: "sender",
    codes: [554],
    pattern: "^ (?:e-?)?mail address (?:is )?(?:invalid|not valid|illegal|rejected|unknown)[ .!]*$",
    seen: "554 mail address invalid.",
  },
  {
    id: "sender.refused",
    reason: "sender",
    pattern:
      "{refused}{near}\\b(?:by |for |of |from )?(?:the |this |your )?(?:envelope )?senders?\\b|" +
      "(?:mail|e-?mails?|messages?)(?: is| are)? (?:not accepted|rejected|refused|blocked|not allowed) from|" +
      "does(?: not|n't) (?:accept|allow|want|receive)[^.;]{0,30} from (?:you|this|your|unknown|that)|from unknown",
    seen: "550 5.7.1 Message rejected by this mailbox: unsolicited senders",
  },
  {
    id: "sender.envelope-blocked",
    reason: "policy",
    pattern: "envelope (?:blocked|rejected)|administrative prohibition",
    seen: "550 Envelope blocked - User Entry - https://community.mimecast.com/docs/DOC-1369#550 [x]",
  },
  {
    id: "sender.localised",
    reason: "sender",
    pattern:
      "\\b(?:absender|expediteur|emetteur|remitente|mittente|remetente|nadawc|afzender|posiljatelj|avsandar|afsender|avsender|odesilatel|odosielatel|lahettaj|gonderen|gonderici|felado|kuldo|expeditor)|отправител|відправник|αποστολε|" +
      "发件[人域]|发信人|寄件者|送信者|送信元|送信サーバ|差出人|(?:您|你)的(?:域名|账号|帐号|邮箱|地址)|あなたの|발신[자인]|보(?:낸|내는) ?사람|" +
      "\\b(?:ihre?|votre|su(?! adresu)|tu|sua|seu|tuo|tua|vostr[ao]|twoj[ea]?|uw|din|ditt|deres) (?:e-?mail[- ]?)?(?:add?res\\w*|direccion|indirizzo|endereco|konto|postfach|compte|boite|cuenta|buzon|conta|caixa|account|casella|skrzynka|postvak|dom(?:a?i|ei?)n\\w*)(?![a-z])|(?<![а-я])ваша? (?:домен|аккаунт|ящик|почта|адрес)|\\b(?:adresse|direccion|endereco|indirizzo) (?:de|di) (?:retour|retorno|ritorno)",
    seen: "550 5.7.1 Absenderadresse abgelehnt",
  },
]
