import type { ReplyRule } from "./reply-rule.ts"

/** Refusals of our IP address, network or its reputation. */
export const CLIENT_RULES: readonly ReplyRule[] = [
  // A customer's own list: other customers of the operator do not use it.
  {
    id: "policy.customers-list",
    reason: "policy",
    pattern: "custom(?:er)?(?:'s)? (?:block|deny|black)[- ]?list",
    seen: "550 5.7.1 Service unavailable, Client host [192.0.2.1] blocked using Customer Block list (AS16012607)",
  },
  {
    id: "ip.blocklist",
    reason: "ip",
    pattern:
      "bloc?k[- ]?list|black[- ]?list|deny[- ]?list|drop[- ]?list|\\b[a-z]{0,6}rbls?\\b|dns ?bl|\\b(?:spamhaus|spam ?cop|sorbs|cbl|sbl|pbl|xbl|shxbl|" +
      "abuseat|uceprotect\\w*|senderscore|sender ?score|senderbase|mailspike|invaluement|psbl|s25r|barracuda ?central|cloudmark|" +
      "njabl|mail-abuse|fiveten|uribl|surbl)\\b|blocked (?:using|by|at) (?!user|recipient|the user|the recipient)|liste noire|lista nera|lista negra|черн\\w+ спис|schwarze liste|黑名单",
    seen: "550 5.7.1 Service unavailable; client [192.0.2.1] blocked using zen.spamhaus.org",
  },
  {
    id: "ip.reputation",
    reason: "ip",
    pattern:
      "reputation|complaint|blo[qc]u\\w+ pour (?:spam|abus)|pour incident de spam|spamming issues|intrusion (?:prevention|detection)|unexpected volume|suspicious (?:activity|traffic|behaviou?r)|spam(?:ming)? (?:source|activity|host|incident)|spammer|\\bts[st]?0\\d\\b|open (?:proxy|relay found)|(?:from|is|are) an? open (?:mail )?relay|open relays? (?:is |are )?(?:refused|rejected|blocked)|botnet|compromised|infected (?:host|machine)",
    seen: "421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints",
  },
  {
    id: "ip.client-refused",
    reason: "ip",
    pattern:
      "{us}\\b{near}\\b{refused}|{refused}{near}\\b(?:from |for |of )?(?:your|this|client|sending|the connecting) (?:ip|host|server|network|country|location|subnet|smtp|client|isp|site|machine)\\b",
    seen: "554 5.7.1 <unknown[192.0.2.1]>: Client host rejected: Access denied",
  },
  {
    id: "ip.named",
    reason: "ip",
    pattern:
      "\\bips?\\b(?:[- ]addr\\w+)?{near}\\b(?:{refused}|filtered|is on|poor|bad|spam|listed|ban)|{refused}{near}\\bips?\\b|(?:invalid|bad|unknown|suspicious|spam) ip\\b|" +
      "adresse ip|indirizzo ip|direccion ip|endereco ip|adres ip|ip-адрес|адрес ip|ваш (?:ip|сервер|хост)|\\bihre?n? (?:ip|server|mailserver)|votre (?:ip|serveur)|\\b(?:su|seu) (?:ip|servidor)|\\b(?:il tuo|il vostro|uw|twoj) (?:ip|server|serwer)|[您你]的(?:ip|服务器)",
    seen: "550 Requested mail action not taken: Invalid IP",
  },
  {
    id: "ip.connection",
    reason: "ip",
    pattern:
      "connections? (?:from \\[?~\\]? )?(?:is |are |was |has been |will be )?(?:refused|rejected|denied|blocked|not accepted|not allowed|will not be accepted)|" +
      "(?:refus|reject|den)\\w+ (?:your |the |all )?(?:smtp )?connection|not (?:currently )?accepting (?:smtp )?(?:connections?|e-?mails?|mails?|messages?) from|" +
      "(?:mail|messages?|e-?mail|traffic|smtp) (?:received )?from (?:host |ip |server |the )?[~[(][^.;]{0,40}{refused}|" +
      "no access (?:for|from)|access (?:from|to this (?:mail )?(?:system|server))|part of their network|your access|" +
      "(?:host|relay|server) [~[(][^.;]{0,30}{refused}|~ ?[\\])]? (?:is |has been |was )?(?:listed|blocked|banned|rejected by|blacklisted|found in|is on)",
    seen: "554-mx.example.com Your access to this mail system has been rejected",
  },
  {
    id: "ip.dynamic",
    reason: "ip",
    pattern:
      "not (?:in|on) (?:\\S+ ){0,3}?(?:white|allow(?:ed)?|accept|safe)[- ]?(?:senders?[- ]?)?list|dynamic(?:ally)?[- ](?:ip|assigned|address|range|allocated|pool|host)|dial-?up|residential|\\bdsl\\b|cable modem|geograph|countr(?:y|ies)|geo-?ip|dy-00\\d|ou-00\\d|sc-00\\d|direct[- ]to[- ]mx|use your isp",
    seen: "550 DY-001 (COL004-MC1F1) Unfortunately, messages from 192.0.2.1 weren't sent: generally, dynamic IP ranges",
  },
  {
    id: "policy.restrictions",
    reason: "policy",
    pattern:
      "policy (?!rejection on the target)(?:restriction|reject|violation|reason|block)|(?:due to|because of|against|violat\\w+)[^.;]{0,20} polic|" +
      "\\b(?:by|per|under|through|via|breach\\w*|contraven\\w+|contrary to|according to|pursuant to|subject to|result of|matter of|(?:accordance|compliance|line|conflict|conflicts|compl(?:y|ies|iant)|consistent) with|meet|meets|match(?:es|ed)?|fails?|failed) (?:(?!(?:who|which|that|is|was|has|does|not|no|see)\\b)[\\w'~-]{1,20} ){0,5}polic(?:y|ies)\\b(?! holder)|" +
      "polic(?:y|ies) (?:\\w+ ){0,2}(?:prohibit|forbid|block|refus|reject(?!ion on the target)|den(?:y|ies|ied)|disallow|does not (?:allow|permit|accept)|doesn't (?:allow|permit|accept)|prevent|disabled|enforce|fail|match|not met)",
    seen: "550 Requested action not taken: mailbox unavailable Reject due to policy restrictions.",
  },
  {
    id: "ptr.client-missing",
    reason: "ptr",
    digit: 5,
    pattern:
      "\\b(?:{client})[ :\"'()<>[\\]-]{1,4}(?:~[ :\"')>\\]-]{1,4})?(?:is |was |are |were |has )?(?:currently |temporarily )?(?:an? )?{gone}|" +
      "(?<!\\b(?:on|at|in|of|by|for|from) (?:\\w+ ){0,2})\\b(?:host|server|relay|machine) \\[?~\\]?[ :]{1,2}(?:is |was |has (?:been )?|could )?(?:unknown|invalid|disabled|suspended|inactive|locked|expired|closed|no longer exists|does not exist|not (?:be )?(?:\\w+ed|valid|found|known|in our \\w+))[ .!]*$|" +
      "\\b{missing} (?:the |your |an? |any |valid )?(?:{client})\\b",
    seen: "550 IP address unknown",
  },
  {
    id: "ptr.client-missing-localised",
    reason: "ptr",
    digit: 5,
    pattern:
      "(?<!\\b(?:diese[mnrs]?|de[mnr]|am|im|auf|este|cet|ce|questo|esse|neste|tym) |этом )(?:host ?name|\\bhost|rechner(?:name)?|\\bip(?:[- ]adresse)?|nom d'hote|\\bhote|anfitrion|nombre (?:de|del) host|nome (?:do |dell')?host|хост[а-я]*|主机名?|ホスト名?|호스트)" +
      "[ :~[\\]()<>'\"-]{0,6}(?:ist |is |est |es |e )?(?:unbekannt|nicht (?:gefunden|vorhanden|registriert|bekannt)|existiert nicht|gibt es nicht|inconnue?|introuvable|inexistant|n'existe|desconocid|no (?:existe|(?:se )?encontr)|inexistente|desconhecid|nao (?:existe|encontrad)|sconosciut|inesistente|non (?:esiste|trovat)|nieznan|nie istnieje|onbekend|неизвест|не наиден|не существу|不存在|未知|找不到|が?不明|존재하지)|" +
      "(?:unbekannte[rsn]?|неизвестн[а-я]+|未知的?|onbekende|nieznan[ya]|okand|ukendt) (?:host|rechner|ip|хост|主机|ホスト)",
    seen: "550 Unbekannter Host: [192.0.2.1]",
  },
]

/** Refusals of our HELO name, reverse DNS, TLS state or authentication state. */
export const IDENTITY_RULES: readonly ReplyRule[] = [
  {
    id: "helo.name",
    reason: "helo",
    pattern: "\\b(?:helo|ehlo)(?:host)?\\b(?! first)",
    seen: "504 5.5.2 <localhost>: Helo command rejected: need fully-qualified hostname",
  },
  {
    id: "ptr.reverse-dns",
    reason: "ptr",
    pattern:
      "\\breverse\\b|\\b(?:ptr|rdns|fcrdns)\\b|cannot find your|can't find your|(?:in-addr|inverse) (?:arpa|dns|lookup)|" +
      "no (?:valid )?(?:ptr|host ?name|dns (?:name|entry|record))|unresolv\\w+ (?:ip|client|host|relay)",
    seen: "450 4.7.1 Client host rejected: cannot find your reverse hostname, [192.0.2.1]",
  },
  {
    id: "ptr.host-name",
    reason: "ptr",
    pattern:
      "(?:your|client|sending|connecting|remote) (?:ip |server |client )?(?:host ?name|host name|ip)[^.;]{0,30}(?:resolv|match|verif|lookup|dns)|" +
      "host ?name (?:verification|mismatch|does not match|lookup|is generic)|generic (?:host ?name|dns)|" +
      "(?:bad|invalid|missing|incorrect|no|forged|faked?|generic|suspicious) dns|dns says|not in dns|dns (?:entry|name|lookup|check|verification)|name lookup failed|dns (?:mx|ptr|resource|a) |fix (?:your )?dns|" +
      "(?:ip|address)[^.;]{0,20} (?:does not|doesn't|not) resolve|resolve your",
    seen: "550 <them@example.com>: Invalid DNS MX or A/AAAA resource record",
  },
  {
    id: "ptr.localised",
    reason: "ptr",
    digit: 5,
    pattern:
      "\\bdns[- ]?(?:eintr\\w+|zaznam\\w*|wpis\\w*|zapis\\w*|kayd\\w*|запис[а-я]*)|\\b(?:registr[oe]|enregistrement|rekord|record|wpis|zaznam) dns\\b|\\bdns (?:inverse|inverso|reverso)\\b|\\bruckwarts|обратн[а-я]+ |逆引き|反向解析|反解|역방향",
    seen: "550 Kein gueltiger DNS-Eintrag",
  },
  {
    id: "tls.required",
    reason: "tls",
    pattern:
      "(?:must|need|require\\w*|issue|use)[^.;]{0,30}(?:starttls|\\btls|encrypt)|(?:starttls|\\btls|encryption)[^.;]{0,40}(?:require|needed|mandatory|first)",
    seen: "530 5.7.0 Must issue a STARTTLS command first (RFC 3207 section 4)",
  },
]
