import type { ReplyRule } from "./reply-rule.ts"

/** Missing mailboxes, in English. A recipient word and a negative word must occur together. */
export const MISSING_RULES: readonly ReplyRule[] = [
  {
    id: "missing.no-such",
    class: "mailbox_missing",
    pattern:
      "\\bno such (?:\\S+ ){0,3}?(?:{recipient}|name|here|local|people|object|person|one|mail)\\b|\\bno (?:\\w+ )?(?:mail ?box|mail ?drop|account)(?: here)?(?: by| with| for| called| available| found| of| here|[ .!)'\"]*$)|nosuchuser|userunknown|invalidrecipient|recip(?:ient)?notfound|resolver\\.adr\\.(?:recip|inval|bad)|" +
      "(?:there is|there's|have|has) no (?:\\w+ )?{recipient}\\b|\\b(?:user|account|recipient) (?:has|have) no e?-?mail[ .!]*$|\\bno \\w+ (?:recipients?|rcpts?|mail ?box(?:es)?) (?:was|were) found|no recipients? for (?:your|this) (?:e-?mail|mail|message)|no (?:one|body) (?:here |with |by |of |at )|nobody (?:here|by|with|called|named)|no (?:valid |matching )(?:{recipient}|aliases)\\b|\\bno {recipient} (?:by|with|called|named|found|here|exists?|matching|at this)",
    seen: "550 No Such User Here",
  },
  {
    id: "missing.unknown-who",
    class: "mailbox_missing",
    pattern:
      "\\b(?:unknown|invalid|non-?exist\\w*|unrecogni[sz]ed|bad|incorrect|illegal|undeliverable|unrout?e?able|unresolvable|unlisted|undefined|wrong|deleted|unallocated|unassigned|obsolete|unavailable|unregistered|fake|former|misspelled)" +
      "(?: or \\w+)?[ -](?:or )?(?:(?:local|virtual|destination|recipient|target|final|internal|mail|e-?mail|system|foreign|delivery|primary|uucp|remote|domain) ?){0,3}(?:{recipient}|part|mail domain)\\b",
    seen: "550 Unrouteable address",
  },
  {
    id: "missing.who-unknown",
    class: "mailbox_missing",
    pattern:
      "(?:\\b(?:{recipient}|that name)\\b{gap}|\\brejected; (?:~ )?(?:domain )?(?:is |was |has |could )?)(?:\\bunknown\\b(?! host)|\\b(?:not|cannot|can't|couldn't|wasn't|isn't) (?:be )?(?:been )?(?:found|located|resolved|known|recogni[sz]ed|listed|registered|valid|identified|defined|present|looked|matched|match (?:our|any)|a (?:valid|known|member|registered|user|recognized|local|deliverable|real|customer)|on (?:this|our|the|file)|in (?:our|my|the|this|recipient)|here\\b|at this|exists?|available|deliverable|an? \\w+ (?:user|account))|" +
      "\\b(?:do|does|did|dos)(?: not|n't|nt| no) (?:\\w+ )?(?:exists?|appear|match (?:our|any)|have (?:an?|any|such)\\b)|\\bno[tn] ?exists?|\\bnot currently (?:exist|known)|\\bnon-?exist|\\bunavailable|\\binvalid|\\bincorrect|\\bmis-?spelled|\\bunallocated|\\bunrout?e?able|\\bundeliverable|\\bunlisted|\\bunregistered|\\bno longer\\b(?! accept\\w* (?:mails?|e-?mails?|messages?) (?:from|with|contain))|\\bmust exist\\b|\\bmissing home ?dir|\\b(?:was|is|been) removed|\\bhas (?:moved|left|changed)|\\bhas no (?:mail ?box|account)|\\bdeleted\\b|\\bnot ok\\b|\\bnot correct)",
    seen: "550 5.1.1 The email account that you tried to reach does not exist.",
  },
  {
    id: "missing.cannot-find",
    class: "mailbox_missing",
    pattern:
      "(?:can(?:not|'t| not)|could(?: not|n't)|unable to|failed to|did not|didn't) (?:find|locate|resolve|look ?up|identify|recogni[sz]e|match|route(?: to)?)(?! (?:(?:an?|any|the|valid) ){0,2}(?:routes?|paths?|gateways?|config\\w*|licen[sc]es?)\\b)[^.;!?]{0,40}(?:\\b{recipient}\\b|~)|" +
      "(?:lookup|look up|find|match)[^.;]{0,30}(?:in domain map|ldap|directory|aliases|virtual)[^.;]{0,20}fail|\\bverify (?:recipient|address|user|mail ?box) failed|not (?:listed|found|present) in (?:the )?(?:\\w+ )?(?:ldap|directory|domino|name|public name|address book|recipient|aliases|local recipient|relay recipient|virtual)",
    seen: "550 5.1.1 <them@example.com>... email address lookup in domain map failed",
  },
  {
    id: "missing.not-ours",
    class: "mailbox_missing",
    pattern:
      "list of (?:allowed|valid|known) recipients|\\bnot (?:an? )?(?:recogni[sz]ed|known|valid|registered|existing) (?:\\w+ )?(?:e-?mail|local|{recipient})\\b|not user of|not (?:our|a) (?:customer|user|member|client|subscriber)|(?:does(?: not|n't)|do(?: not|n't)) have an? e-?mail\\b|(?:does(?: not|n't)|do(?: not|n't)) (?:have|exist|live|recogni[sz]e|know)(?:[^.;]{0,40}(?:account|mail ?box|user|recipient|address|here|such))|(?:^|\\brejected;) (?:sorry |the |this |that )?(?:not found|undeliverable|not deliverable|no such|no (?:user|recipient)s?|invalid e-?mail|{recipient} (?:~ )?(?:is |was |has been )?(?:removed|gone|withdrawn|unassigned))[ .!]*$|not in (?:(?:my|our|the|this|your) )?(?:local |valid )?(?:recipient|user|database|directory|mailbox|account|address)|" +
      "\\b{recipient} (?:is |was )?not (?:local|here)\\b|\\bnot a local (?:user|address|recipient|mail ?box|account)\\b|not have a final (?:e-?mail )?delivery|recipient (?:is )?not in (?:the |our )?(?:route|routing|relay|transport) (?:list|table|map)|^ not found (?:recipient|user|account|mail ?box)|recipient mail ?box (?:is )?not allowed(?=[.!]| $| \\()|(?:does(?: not|n't)|do(?: not|n't)) (?:handle|accept|take|receive)[^.;]{0,20}for (?:that|this) (?:user|recipient|address|account)|not a valid|is not valid|no longer (?:valid|exists?|works?|with|employed|an? employee|on (?:this )?server|here|available|a valid)|has left|(?:address(?:ee)?|identity|alias) (?:is )?(?:no longer|obsolete)|mailbox (?:name )?(?:not allowed|has moved)|(?:^ (?:sorry )?|[:;-] ?)(?:does(?:n't| not) exist|not exists?|no longer exists)|(?<!\\b(?:hosts?|host ?name|client|server|machine|relay|helo|ehlo)[ :=]{1,2}[[('\"]?)~[ >:;.,\"'-]{0,4}(?:(?:on|at|in) (?:this|our|the) (?:\\w+ ){1,2})?(?:(?:does(?:n't| not)|dosn't) exists?|(?:is |was )?(?:(?:not|(?:cannot|can't|could not|couldn't) be) (?:exists?|found|known|registered|recogni[sz]ed|resolved|listed|one of our)|unknown(?! host)|(?:not |un)deliverable(?=[.!]| $)|invalid\\b(?! [a-z]))|no longer exists|(?:is |was |has been )(?:deleted|removed))|(?:not known|not found|unknown) (?:at|on|in) (?:this|our) (?:site|server|system|machine)|^ this (?!host|domain|server|system|client|sender|ip |name|message|command|service|file)[a-z]+ (?:does not|doesn't) exist|e-?mail (?:name )?(?:is )?(?:not found|unknown|does not exist|doesn't exist)",
    seen: "551 not our customer",
  },
  {
    id: "missing.not-allowed",
    class: "mailbox_missing",
    enhanced: ["1.1"],
    pattern: "recipient (?:address )?(?:is )?not allowed(?=[.!]| $| \\()",
    seen: "550 5.1.1 That recipient is not allowed",
  },
  {
    id: "missing.microsoft-edge",
    class: "mailbox_missing",
    enhanced: ["4.1"],
    pattern: "recipient address(?:es)? rejected",
    seen: "550 5.4.1 [them@example.com]: Recipient address rejected: Access denied [example.com] (directory-based edge blocking)",
  },
  {
    id: "missing.ironport",
    class: "mailbox_missing",
    enhanced: ["1.0"],
    pattern: "(?<!sender )address rejected",
    seen: "550 #5.1.0 Address rejected.",
  },
  {
    id: "missing.unroutable-domain",
    class: "mailbox_missing",
    pattern:
      "all relevant mx records point to non|(?<!\\b(?:your|client|sending|connecting|remote|source|originating|sender|sender's|peer|smtp|helo|ehlo) )\\bhost(?: or domain)?(?: name)? (?:is )?(?:not found|unknown|does not exist)(?! ?[:,-]? ?[[('\"]?~)|no such domain|\\bdomain (?:~ )?(?:is |has been )?(?:obsolete|retired|no longer (?:in use|used|active|exists?|valid|supported))|(?:recipient|destination|rcpt)[^.;]{0,20} domain[^.;]{0,30}(?:not (?:found|exist)|n't exist|must exist|unknown|invalid|expired)|unknown domain or|non-?existent domain|no mail hosts for|no mx (?:record )?for|name service error|unrout?e?able",
    seen: "550 all relevant MX records point to non-existent hosts",
  },
]

/** Missing mailboxes, in the languages that providers use. Accents are folded as in fold-text.ts. */
export const MISSING_LOCALIZED_RULES: readonly ReplyRule[] = [
  {
    id: "missing.german",
    class: "mailbox_missing",
    pattern:
      "unbekannt|existiert nicht|nicht (?:gefunden|vorhanden|bekannt|existent|registriert|zustellbar)|kein(?:e|en)? (?:solche\\w*|gultige\\w*|passende\\w*|postfach|benutzer|empfanger|person|adressat)|un(?:gultig|gueltig)e? ?\\w* ?(?:empfanger|adress|mailadress|e-mail)|(?:empfanger|adresse)\\w* (?:ist )?un(?:gultig|gueltig)|(?:postfach|konto|benutzer|empfanger|empfaenger|adresse) (?:ist )?nicht (?:mehr )?(?:verfugbar|verfuegbar|erreichbar)|gibt es nicht|niemand(?:en)? (?:unter|mit|mit dem)",
    seen: "550 5.1.1 Empfaenger unbekannt",
  },
  {
    id: "missing.french",
    class: "mailbox_missing",
    pattern:
      "inconnue?|n'existe (?:pas|plus)|inexistante?|introuvable|(?:destinataire|adresse|utilisateur|boite|compte)\\b[^.;]{0,40}(?:invalide|incorrecte?|errone|non trouve|pas (?:valide|trouve|reconnu)|supprime)|aucun (?:utilisateur|destinataire|compte)|pas d'utilisateur|non recense",
    seen: "550 5.5.0 Utilisateur inconnu. LPN000_404",
  },
  {
    id: "missing.romance",
    class: "mailbox_missing",
    pattern:
      "desconocid[ao]|no existe|no (?:se )?(?:ha )?(?:sido )?encontr|(?:usuario|destinatario|cuenta|buzon|direccion|casilla)\\b[^.;]{0,40}(?:inval|incorrect|inexistente|erron|no valid)|inexistente?|inesistente|sconosciut|non (?:esiste|trovat|e valido|valido|presente)|destinatario errato|indirizzo (?:errato|non)|nao (?:existe|encontrad|foi encontrad)|desconhecid|(?:usuario|destinatario|conta|endereco)\\b[^.;]{0,40}invalid|utilizador|nu exista|no hay (?:ningun )?(?:usuario|buzon)|nadie (?:con|en|por)|(?:usuario|destinatario|utente) (?:nao|non?) (?:tiene|posee|tem|possui|ha) (?:un\\w* )?(?:cuenta|conta|account|buzon|casilla|caixa|casella)\\b",
    seen: "550 5.1.1 Destinatario sconosciuto",
  },
  {
    id: "missing.germanic",
    class: "mailbox_missing",
    pattern:
      "bestaat niet|onbekend|niet gevonden|ongeldige? (?:adres|ontvanger|gebruiker)|existerar inte|finns inte|\\bokand|hittades inte|\\bukendt|findes ikke|eksisterer ikke|finnes ikke|\\bukjent|ei loydy|ei ole olemassa|tuntematon",
    seen: "550 5.1.1 Gebruiker onbekend",
  },
  {
    id: "missing.slavic",
    class: "mailbox_missing",
    pattern:
      "nie istnieje|nie ma (?:takiego|takiej)|nieznan|nie znalezion|neexistuje|neznam|nenalezen|ne (?:postoji|obstaja)|не существу|не наиден|неизвестн|несуществ|нет такого|такого (?:пользовател|ящика|адреса)|отсутству|не зарегистрирован|удален|недеиств|не існує|не знаиден|невідом",
    seen: "550 5.1.1 Nie ma takiego konta",
  },
  {
    id: "missing.other",
    class: "mailbox_missing",
    pattern:
      "不存在|无此用户|無此|没有(?:此|该|这个)|查无|找不到|无效的?(?:收件|用户|邮箱|地址)|無效|用户未找到|不明です|存在しません|存在しない|見つかりません|(?:宛先|ユーザー?|アドレス|アカウント|メールボックス)[^.;。]{0,12}ありません|(?:宛先|ユーザ|アドレス)[^.;]{0,10}(?:不明|無効|誤り|ない)|존재하지|없는 (?:사용자|계정|메일)|찾을 수 없|bulunamadi|gecersiz|mevcut degil|kullanici yok|nem letez|ismeretlen",
    seen: "550 用户不存在",
  },
]

/** The mailbox exists but is disabled: suspended, blocked, expired or inactive. */
export const DISABLED_RULES: readonly ReplyRule[] = [
  {
    id: "disabled.mailbox",
    class: "mailbox_disabled",
    pattern:
      "(?<!\\byour (?:\\w+ )?)(?<!sender )\\b{recipient}\\b{gap}\\b(?:disabled|suspended|inactive|inactivated|deactivated|locked|closed|expired|terminated|frozen|froze|freezed|cancell?ed|discontinued|on hold|hang ?up|dormant|abandoned|paused|retired|archived|not active|not activated|" +
      "not currently (?:active|accepting|being accepted)|suspends? (?:the |this |his |her )?(?:service|account|mail)|not accepting (?:any )?(?:mail|messages|e-?mail)(?! from| with| contain)|no longer (?:active|in use|accept\\w*(?! messages (?:from|with)| mails? (?:from|with)| connections)|in service|monitored|used)|stopped|invalidated|shut down)\\b",
    seen: "550 5.2.1 The email account that you tried to reach is disabled.",
  },
  {
    id: "disabled.qualified",
    class: "mailbox_disabled",
    pattern:
      "\\b(?:disabled|suspended|inactive|deactivated|locked|closed|expired|terminated|frozen|cancell?ed|discontinued|dormant|archived|blocked) (?:e-?mail |user |mail )?(?:user|recipient|mail ?box|account|address|alias|customer|subscriber|inbox)\\b|" +
      "(?<!\\byour (?:\\w+ )?)(?<!\\b(?:send(?:er|ing)|submitting|originating|source|client|remote|network|bounce|return|reply-to) (?:e-?mail |user )?)\\b{recipient}:?(?: (?!messages?|mails?|servers?|ips?|hosts?|domains?|senders?|connections?|is|has)[\\w.~-]{1,40})? (?:has been|is) (?:\\w{4,16}ly )?(?:blocked|barred)\\b(?! (?:by|from|for|using))|^ (?:user|account|mailbox|recipient|subscriber)(?: ~)?:? (?:(?:is|was|has been) )?banned[ .!]*$",
    seen: "551 <them@example.com> is a deactivated mailbox",
  },
  // Only Rambler answers 540, and only for disabled mailboxes. The word "blocked" alone could mean this client.
  {
    id: "disabled.rambler",
    class: "mailbox_disabled",
    codes: [540],
    pattern: "recipient address rejected",
    seen: "540 5.7.1 <them@rambler.ru>: recipient address rejected: Blocked",
  },
  {
    id: "disabled.inactivity",
    class: "mailbox_disabled",
    pattern:
      "not (?:currently )?(?:being )?accept\\w* (?:any )?(?:mail )?for this (?:mailbox|user|account|address)|^ (?!this |the |our |server|system|host|service|mail |smtp )[\\w.+~-]{1,64} is not (?:currently )?accepting (?:any )?(?:mail|messages|e-?mails?)(?! from| with| contain)|(?:due to|because of|for|extended) (?:long[- ]?(?:time|term) )?inactivity|no ?(?:recipient |user |account )?activity|(?:hasn't|has not|have not|never) (?:\\w+ )?(?:entered|logged|been used|signed)|should log ?in to|\\bnot (?:an? )?(?:active|in use|used)\\b|(?:mail |mailbox )?receiving (?:is )?disabled|inactive (?:on|for|since)|unavailable to take delivery|(?:~|^|\\brejected;)[ :.,\"'-]{0,4}(?:(?:the |this )?(?:subscription|membership|contract) )?(?:(?:is|was|has been) {shut}|(?:has )?{shut}(?! (?!(?:by|for|due|because|since|pending|until|at|in|on|and|or|as|to|with)\\b)[a-z]))|(?:address|user|recipient|mailbox|account) (?:~ )?does(?: not|n't) (?:receive|accept) (?:any )?(?:e-?mails?|mails?|messages)(?! from| with| contain| for)|^ (?:sorry |this |the |recipient(?:'s)? ){0,2}domain (?:is |has (?:been )?|was )?(?:disabled|suspended|deactivated|closed|expired|terminated)\\b|is (?:now )?disabled with|not been (?:used|accessed|activated)|policy rejection on the target address|mta service\\b.{0,20}disabled|^ (?:~|account|user|mailbox)?[ :]*(?:is )?(?:disabled|suspended|inactive|account (?:disabled|closed|expired))[ .!]*$",
    seen: "550 <maxqin> is now disabled with MTA service.",
  },
  {
    id: "disabled.localised",
    class: "mailbox_disabled",
    pattern:
      "(?:empfanger\\w*|postfach|konto|benutzer|adressat|mailbox|adresse)\\b[^.;]{0,50}(?:deaktiviert|gesperrt|stillgelegt|inaktiv|abgeschaltet|geschlossen)|(?:compte|boite|destinataire|utilisateur|adresse|bal)\\b[^.;]{0,50}(?:desactiv|suspendu|inacti[fv]|bloque|ferme|expire)|" +
      "(?:cuenta|casilla|buzon|usuario|destinatario)\\b[^.;]{0,50}(?:desactivad|suspendid|inactiv|bloquead|deshabilitad|expirad|cancelad)|(?:casella|indirizzo|utente|account|mailbox)\\b[^.;]{0,50}(?:disattivat|disatttivat|disabilitat|sospes|bloccat|scadut|inattiv)|" +
      "(?:caixa|conta|usuario|mailbox|destinatario)\\b[^.;]{0,50}(?:desativad|desabilitad|suspens|inativ|bloquead)|(?:konto|skrzynka|adres)\\b[^.;]{0,50}(?:zablokowan|nieaktywn|zawieszon)|(?:пользовател|ящик|аккаунт|учетн|получател)[^.;]{0,50}(?:заблокирован|отключен|неактив|деактив)|" +
      "(?:account|postvak|gebruiker|adres|mailbox)\\b[^.;]{0,40}(?:geblokkeerd|gesloten|uitgeschakeld|inactief)|(?:konto|brevlad\\w*|mottagar\\w*|add?ress\\w*)\\b[^.;]{0,40}(?:inaktiv|sparra|avstang)|(?:用户|帐号|账号|帳號|邮箱|收件人)[^.;]{0,10}(?:停用|禁用|冻结|锁定|暂停|被封)|(?:アカウント|メールボックス|ユーザ)[^.;]{0,15}(?:停止|無効|凍結)",
    seen: "550 Adressat unbekannt oder Mailbox deaktiviert",
  },
]

/** The mailbox exists and is full: X.2.2, or words for it. */
export const FULL_RULES: readonly ReplyRule[] = [
  {
    id: "size.message",
    reason: "policy",
    pattern:
      "message (?:size|file|length) (?:exceeds?|too|limit|is|larger|violation)[^.;]{0,40}$|(?:message|mail|email|e-mail)(?: body)? (?:is |was )?(?:too (?:big|large|long))|(?:exceeds?|exceeded|larger than|over)[^.;]{0,30}(?:message|mail) ?(?:size|length)|(?:size|fixed) (?:exceeds|maximum|limit of)[^.;]{0,20}message",
    seen: "552 Message size exceeds fixed maximum message size",
  },
  {
    id: "rate.sending-quota",
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
]
