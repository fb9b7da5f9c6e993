import type { ReplyRule } from "./reply-rule.ts"

/** Rate limits: for the recipient's mail, which is temporary, or for this client. */
export const RATE_RULES: readonly ReplyRule[] = [
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
    reason: "rate",
    pattern:
      "unsolicited|(?:your|sending|client|connecting|from this|from your|per|this) (?:ip|host|server|domain)\\b{gap}(?:rate|limit|too many|too fast|throttl|exceed|connections|volume|frequen)|" +
      "too much mail from|(?:rate|limit|too many|too fast|throttl|exceed|connections|volume|frequen)\\w*{gap}(?:your ip|your host|from your|sending ip|this ip|per ip|~|client|sender)|sender frequency|(?:sending|sender|send) (?:quota|limit|rate|too)|number of messages they can send",
    seen: "421 4.7.0 [192.0.2.1 15] Our system has detected an unusual rate of unsolicited mail originating from your IP address.",
  },
  {
    id: "rate.ours-permanent",
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
]

/** Blocks for earlier unknown recipients. Their words for a missing mailbox do not describe this recipient. */
export const HARVEST_RULES: readonly ReplyRule[] = [
  {
    id: "harvest.named",
    reason: "rate",
    digit: 5,
    pattern:
      "\\bharvest|dictionary attack|\\bdhap?\\b|(?:user|address|account|recipient|mail ?box|name) enumeration|(?:prob|guess|scann)ing (?:for )?(?:{word} ){0,2}(?:users|addresses|accounts|mail ?boxes|recipients|names)\\b|\\battack(?:s|er|ers|ing)?\\b",
    seen: "554 Directory harvest attack detected: user unknown",
  },
  {
    id: "harvest.many-unknown",
    reason: "rate",
    digit: 5,
    pattern:
      "\\b(?:too many|so many|many|several|multiple|numerous|excessive|repeated|consecutive|successive|(?:a lot|lots|amount|count|ratio|share|number|percentage|percent|rate|volume) of|% of)(?: {word}){0,4} (?:{bad} (?:\\w+ )?{recipients}\\b|(?:user|recipient|address|mail ?box) (?:unknown|not found)|unknown (?:user|recipient|address))|" +
      "\\b(?:unknown|invalid|bad|nonexistent|non-existent) (?:user|recipient|address|rcpt|mail ?box)(?:s|es)? (?:attempts?|errors|error (?:rate|count|limit)|rate|ratio|count|counter|limit|threshold|probes?)\\b",
    seen: "554 Blocked because of a high number of invalid recipients",
  },
  {
    id: "harvest.sent-to-unknown",
    reason: "rate",
    digit: 5,
    pattern:
      "(?:\\b(?:attempt\\w*|sends|sending|sent|mailing|mailed|e-?mailing|e-?mailed|delivering|writ(?:es|ing)|addressing|spamming|hit(?:s|ting)|reaching|contacting|trying|tried|access(?:ed|ing)|prob(?:ed|es|ing)|quer(?:ied|ies|ying)|verifying){lead}|\\b(?:block(?:ed|ing|s)?|banned|barred|blacklisted|listed|suspended|locked)\\b:?{lead} (?<!due )to|\\b(?:block|reject|den|refus|bann|barr|blacklist|list|suspend|lock)(?:ed|ied|ing|s)?\\b:?{lead} for) " +
      "(?:{bad} (?:\\w+ )?{recipients}\\b(?! (?:is|are|was|will|cannot|not)\\b)|{recipients} (?:that|which|who) (?:do|does|did|are|were|no|never)\\b)",
    seen: "554 5.7.1 You have been temporarily blocked for sending to invalid recipients",
  },
  {
    id: "harvest.you-are-blocked",
    reason: "rate",
    digit: 5,
    pattern:
      "\\byou (?:are|were|have been|'ve been|got)(?: (?:temporarily|permanently|currently|automatically|now|being|been|already)){0,2} (?:blocked|banned|barred|blacklisted|rejected|refused|denied|suspended|locked out|throttled|tarpitted)\\b",
    seen: "550 You have been blocked: user unknown",
  },
  {
    id: "harvest.localised",
    reason: "rate",
    digit: 5,
    pattern:
      "\\bzu ?viele\\w*\\b[^.;]{0,30}(?:unbekannt|ungultig|ungueltig|existier|existent|falsche)|(?:gesperrt|blockiert|abgelehnt|abgewiesen)\\b[^.;]{0,60}\\b(?:an|fur) (?:\\w+ )?(?:unbekannte|un(?:gu|gue)ltige|existierende|existente) (?:empfanger|empfaenger|(?:e-?mail-?|mail-?)?adressen|benutzer|nutzer|postf|konten)|\\b(?:versand|versuch\\w*|zustellversuch\\w*|mails) an (?:\\w+ )?(?:unbekannte|un(?:gu|gue)ltige|existierende|existente) (?:empfanger|empfaenger|(?:e-?mail-?|mail-?)?adressen|benutzer|nutzer|postf|konten)|sie wurden\\b[^.;]{0,60}(?:gesperrt|blockiert)|" +
      "\\btrop d(?:e |')[^.;]{0,40}(?:inconnu|invalide|inexistant|incorrect)|\\b(?:envoi\\w*|envoye\\w*|messages?) (?:vers |a |aux? )(?:des |plusieurs )?(?:destinataires|adresses|utilisateurs|comptes|boites) (?:inconnu|invalide|inexistant)|vous (?:etes|avez ete) (?:bloque|banni)|" +
      "\\b(?:demasiad[oa]s|muchos|muchas|muit[oa]s|troppi|troppe|molti)\\b[^.;]{0,40}(?:desconoc|inexist|inval|desconhec|sconosciut|inesist|non valid)|\\b(?:envia\\w*|envio\\w*|invi\\w*)[^.;]{0,20} (?:a|para|verso) (?:\\w+ )?(?:usuarios|destinatarios|destinatari|direcciones|cuentas|enderecos|contas|utenti|indirizzi|caselle) (?:desconoc|inexist|inval|desconhec|sconosciut|inesist|non valid|que no|que nao|che non)|" +
      "\\b(?:te veel|for manga|for mange|liian monta)\\b[^.;]{0,30}(?:onbekend|ongeldig|okand|ogiltig|ukendt|ugyldig|ukjent|tuntemat|virheellis)|\\bnaar (?:onbekende|ongeldige|niet[ -]bestaande) (?:gebruikers|ontvangers|(?:e-?mail)?adressen|accounts)|\\btill? (?:okanda|ogiltiga|ukendte|ugyldige|ukjente) |" +
      "\\b(?:zbyt wiel|za duzo|prilis mnoho)\\w*\\b[^.;]{0,30}(?:nieznan|nieistniej|nieprawid|neznam|neexist|neplatn)|do (?:nieistniejacych|nieznanych|neexistujicich)|(?:слишком много|забагато|большо[а-я]{0,3} (?:количеств|числ))[^.;]{0,40}(?:неизвестн|несуществ|неверн|невідом)|(?:рассылк|отправк|отправлен|отправля|писем|попыт)[^.;]{0,30}(?:несуществующ(?:им|их)|неизвестн(?:ым|ых))|вы (?:были )?заблокирован|" +
      "(?:不存在|无效|無效|未知)的?(?:收件人?|用户|用戶|地址|邮箱|郵箱|账号)(?:数|数量|數量)?(?:过多|太多|過多)|(?:过多|太多|大量|多个)的?(?:不存在|无效|無效|未知)|(?:发送|投递|發送)[^.;,。]{0,10}(?:不存在|无效|無效)[^.;,。]{0,10}(?:过多|太多|過多|多次|频繁|封|屏蔽)|因(?:为)?向(?:不存在|无效|未知)|(?:存在しない|無効な|不明な)[^.;。、]{0,12}(?:が多|多数|大量|繰り返)|cok (?:fazla|sayida) (?:gecersiz|bilinmeyen|mevcut olmayan)",
    seen: "550 Zu viele unbekannte Empfaenger",
  },
]
