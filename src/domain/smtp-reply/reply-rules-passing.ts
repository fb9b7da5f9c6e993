import type { ReplyRule } from "./reply-rule.ts"

/** Greylisting (RFC 6647), with any code. */
export const GREYLIST_RULES: readonly ReplyRule[] = [
  {
    id: "greylist.named",
    class: "greylisted",
    pattern:
      "gr[ae]y-? ?list|\\bpost-?grey\\b|\\bsql-?grey\\b|\\bmilter-?grey|\\bgrey(?:ed)? ?out|\\bgl (?:delay|active)",
    seen: "451 4.7.1 <them@example.com>: Recipient address rejected: Greylisted for 5 minutes",
  },
  {
    id: "greylist.spelt-out",
    class: "greylisted",
    digit: 4,
    pattern:
      "intentional policy rejection|policy rejection- please (?:try|retry)|temporarily (?:deferred|rejected)[^.;]{0,40}(?:first|unknown sender|new (?:sender|triplet|host))|early retry|first time (?:sender|contact)|you are being delayed|not yet (?:authori[sz]ed|whitelisted)",
    seen: "450 4.7.1 <them@example.com>: Recipient address rejected: Intentional policy rejection, please try again later",
  },
]

/** Server failures. They precede the rules for the words "full" and "expired". */
export const SYSTEM_RULES: readonly ReplyRule[] = [
  {
    id: "passing.system-storage",
    class: "temporary",
    pattern:
      "insufficient (?:system|disk|server|free|queue) ?(?:storage|space|resources)?|(?:system|server|file ?system|queue|partition) (?:is )?(?:full|storage)|no space left|write error|out of memory|(?:not enough|low on|out of) disk",
    seen: "452 4.3.1 Insufficient system storage (RFC 5321 section 4.2.3)",
  },
  {
    id: "passing.loop",
    class: "temporary",
    pattern:
      "too many hops|hop ?count|(?:mail|message|routing|forwarding|possible) ?loop\\b|loops? (?:back|detected)|looping",
    seen: "554 5.4.14 Hop count exceeded - possible mail loop ATTR34 [example.prod.protection.outlook.com]",
  },
  {
    id: "passing.expired",
    class: "temporary",
    pattern:
      "(?:time|queue|retry|retries|lifetime|delivery|message)\\w* (?:has |time |period )?expired|retry time|delivery (?:time|temporarily suspended|attempts)|(?:recipient|destination|remote|target|mail)(?:'s)? (?:mail )?(?:server|host|system) (?:is |was )?(?:currently |temporarily )?(?:unavailable|not available|down|busy|not responding)",
    seen: "554 5.4.7 Delivery expired (RFC 3463 section 3.5)",
  },
  // Postfix quotes the reply of the next host to its own connection. A client refused there is Postfix.
  {
    id: "passing.call-ahead",
    class: "temporary",
    pattern: "\\brecipient address rejected; unverified address\\b",
    seen: "450 4.1.1 <them@example.com>: Recipient address rejected: unverified address: connect to mx.example.com[192.0.2.9]:25: Connection refused",
  },
]

const GONE =
  "unknown|unavailable|unreachable|down|offline|not responding|invalid|expired|(?:not|no longer) (?:be )?(?:valid|found|available|exist\\w*|recogni[sz]ed|registered|known|resolved|allowed|in our)|" +
  "do(?:es)?(?: not|n't) exist|no longer exists?|(?:cannot|can't|could not|couldn't) be (?:found|resolved|located)"
const SHUT = "disabled|suspended|closed|locked|inactive|not active|deleted"

/** Matches a missing thing before its predicate, not "service unknown user" or "user on this server unknown". */
function isNot(things: string, predicates: string): string {
  return `(?<!\\b(?:on|at|in|of|for|by|from) (?:\\w+ ){0,2})\\b(?:${things}) (?:is |was |are |were |has (?:been )?)?(?:currently |now )?(?:${predicates})\\b(?! {recipient})`
}

/** Negative words about the server, the message or the client. They precede the rules about the recipient. */
export const OTHER_SUBJECT_RULES: readonly ReplyRule[] = [
  {
    id: "passing.service",
    class: "temporary",
    digit: 5,
    // Without SHUT: a suspended service may be the recipient's, and a closed connection may follow "user unknown".
    pattern: isNot("services?|connections?|sessions?", GONE),
    seen: "550 5.7.1 <them@example.com>: Recipient address rejected: Service is unavailable",
  },
  {
    id: "passing.server-part",
    class: "temporary",
    digit: 5,
    pattern: isNot(
      "servers?|systems?|gateway|queue|databases?|director(?:y|ies)|resolver|back-?end|storage|licen[sc]e|milter|scanner|filter",
      `${GONE}|${SHUT}`,
    ),
    seen: "550 User lookup failed: LDAP server is not available",
  },
  {
    id: "policy.message-part",
    reason: "policy",
    digit: 5,
    pattern: isNot(
      "client|messages?|contents?|attachments?|subject(?: line)?|headers?|message-id|links?|urls?|signatures?|certificates?|authentication|credentials|log ?in|bod(?:y|ies)|encoding|commands?|requests?|operation|parameters?|arguments?|options?",
      `${GONE}|${SHUT}`,
    ),
    seen: "554 5.7.1 Message-ID is not valid",
  },
  {
    id: "passing.other-localised",
    class: "temporary",
    digit: 5,
    pattern:
      "(?<!\\b(?:diese[mnr]?|unsere[mnr]|de[mnr]|auf|beim?|im|este|cet|ce|questo|esse|neste|tym|deze) )(?<![a-z])(?:server|servidor|serveur|serwer|dienst|service|servicio|servico|servizio|fehler|erreur|error[e]?|erro|fout|fejl|nachricht|message|mensaje|mensagem|messaggio|datei|fichier|zertifikat|certificat|certificado|certificato|commande|comando)" +
      " (?:ist |wurde |est |es |e )?(?:unbekannt\\b|nicht (?:gefunden|bekannt|vorhanden)|existiert nicht|inconnue?\\b|introuvable|n'existe|desconocid|no existe|desconhecid|nao existe|sconosciut|non (?:esiste|trovat)|nie istnieje|nieznan|bestaat niet|onbekend|niet gevonden)|" +
      "(?:unbekannte[rsn]?|onbekende|ukendt|okant|nieznan[ya]|neznam[ay]) (?:fehler|grund|fout|fejl|fel|blad|chyba|befehl|server|serwer)|неизвестн[а-я]+ (?:ошибка|команда|грешка|помилка)|\\b(?:base de donnees|service) (?:introuvable|inexistant)|(?:sunucu|sertifika|hizmet) bulunamadi|(?:сервер|сервис|сообщение|письмо|узел|хост|сертификат|имя (?:узла|хоста)|заголовок|тема|подпись)(?: from| письма)? (?:не (?:наиден|существу)|отсутству)|(?<![在本该此])(?:服务器|伺服器|サーバー?|서버)(?:が|は|을|를)?(?:不存在|找不到|见不到|見つかりません|존재하지)",
    seen: "550 Unbekannter Fehler",
  },
]

/** Temporary failures, even with a 5xx code. */
export const TEMPORARY_RULES: readonly ReplyRule[] = [
  {
    id: "greylist.delay",
    class: "greylisted",
    digit: 4,
    pattern:
      "(?:again|retry|back|wait|deferred|delayed)[^;!?]{0,30}\\b(?:in|after|for|within|another|at least)?\\b ?\\d{1,5}(?::\\d|[ -]?(?:s|sec|seconds?|m|mins?|minutes?|h|hours?|minuten|sekunden)\\b)",
    seen: "450 4.7.1 Please try again in 300 seconds",
  },
  // The quoted reply of the next host decides. Rules for refusals of the client precede this one.
  {
    id: "missing.callout",
    class: "mailbox_missing",
    enhanced: ["1.1"],
    pattern: "(?:call(?:back|out|-ahead)|verif\\w+|verify)\\b.{0,300}[ :\"'(]55[0134][ -]",
    seen: "550-Recipient verification failed: 550 5.1.1 <them@example.com> rejected",
  },
  {
    id: "passing.unverified",
    class: "temporary",
    pattern:
      "address verification in progress|verification (?:is )?in progress|callout(?! verification failed:)|(?:recipient|address|user) verification (?:failed|problem|error)|(?:recipients?|address|user|mailbox) (?:cannot|can't|could not|couldn't) be verified|address lookup (?:failed|error)|unable to (?:verify|validate) (?:the )?(?:user|recipient|address|mailbox)|recipient verif\\w* (?:temporar|unavail)",
    seen: "550 Recipient verification problem",
  },
  {
    id: "passing.temporary",
    class: "temporary",
    digit: 5,
    pattern:
      "temporar(?:y|ily) (?!disabled|suspended|locked|inactive|blocked)|(?:momentan|derzeit|zur ?zeit) nicht|vorubergehend|voruebergehend|temporairement|temporalmente|temporaneamente|временно|暂时",
    seen: "550 5.2.0 <them@example.com> - Recipient temporarily unavailable",
  },
  // "Unavailable" also describes a missing mailbox, unless the text requests a later retry.
  {
    id: "passing.later",
    class: "temporary",
    digit: 5,
    pattern:
      "^(?!.*\\b(?:unknown|invalid|no such|(?:not|n't) (?:exists?|found|known|valid)|nobody|refused)\\b).*\\b(?:maintenance|being (?:migrated|moved|repaired|restored|rebuilt)|at (?:the|this) (?:moment|time)|(?:is|was) down|timed? ?out|(?:try|retry|come back) (?:it )?(?:again )?later)\\b",
    seen: "550 5.2.1 Mailbox unavailable, please try again later",
  },
  {
    id: "passing.either",
    class: "temporary",
    digit: 5,
    pattern: "mailbox unavailable or access denied",
    seen: "550 Mailbox unavailable or access denied",
  },
]

/** Temporary failures in words so common that the rules about the recipient must precede them. */
export const LATE_TEMPORARY_RULES: readonly ReplyRule[] = [
  {
    id: "trouble.server",
    class: "temporary",
    digit: 5,
    pattern:
      "(?:internal|system|server|upstream|local|configuration|config|i\\/o|database|lookup|ldap|dns|unknown|processing|delivery) (?:server )?(?:error|failure|problem)|timed? ?out|busy|overload|resources|service (?:is |currently |temporarily )*(?:unavailable|not available)|maintenance|try (?:again )?later|no route|unable to route|server (?:is )?(?:down|unavailable)|out of (?:memory|service)|shutting down|could not (?:load|be (?:stored|written|saved))|error (?:writing|storing|saving)|unable to (?:connect|contact)|(?:can(?:'t|not)|unable to|failed to) (?:create|open|write to|chdir)|home ?dir\\w* creation|(?:domain|destination|network) (?:is )?(?:unreachable|not reachable)",
    seen: "554 5.3.0 Local configuration error",
  },
]
