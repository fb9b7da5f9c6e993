import type { ReplyRule } from "./reply-rule.ts"

/** Plain refusals to relay. They precede all other rules about this client. */
export const RELAY_DENIED_RULES: readonly ReplyRule[] = [
  {
    id: "relay.denied",
    class: "relay_denied",
    pattern:
      "\\brelay(?:ing)? (?:access )?(?:is |was |has been )?(?:denied|not permitted|not allowed|prohibited|disallowed|refused|rejected|forbidden|disabled)|" +
      "(?:not (?:currently )?(?:permitted|allowed|authori[sz]ed|configured)|unable|refus\\w+|cannot|won't|do not|don't|no|unauthori[sz]ed|prohibited) (?:to |an? |any )?(?:mail )?relay",
    seen: "554 5.7.1 <them@example.com>: Relay access denied",
  },
]

/** The host does not accept mail for this domain from this client. The reply does not describe the mailbox. */
export const RELAY_RULES: readonly ReplyRule[] = [
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
  { id: "relay.login", reason: "policy", codes: [534, 535, 538], seen: "535 5.7.8 user not found" },
  {
    id: "relay.authenticate",
    reason: "policy",
    pattern:
      "(?:authentication|auth|authorization|smtp auth|log ?in|password) (?:is |was )?(?:required|needed|mandatory|failed|failure|error|credentials)|(?:must|need to|have to|please|requires?|not|only|be) (?:first )?(?:\\w+ )?(?:authenticat|log ?in|smtp auth)\\w*|\\bcredentials\\b|\\bpasswords?\\b|\\b(?:passwort|kennwort|anmeldung (?:erforderlich|fehlgeschlagen)|mot de passe|contrasena|senha|haslo|heslo|wachtwoord|losenord|sifre)\\b|парол[ья]|密码|パスワード|비밀번호|\\bfor authentication\\b|check (?:for )?(?:new )?mail first|pop before",
    seen: "530 5.7.1 Authentication required",
  },
]

/** The recipient accepts mail only from others: its own network, its contacts or listed senders. */
export const SCOPE_RULES: readonly ReplyRule[] = [
  {
    id: "scope.outside",
    reason: "policy",
    digit: 5,
    pattern:
      "\\b(?:from|for|by|via|over|(?:available|open|visible|reachable|accessible|known|valid|restricted|closed|exposed) to) (?:the |any |an? |all )?(?:outside|outsiders?|external(?:ly)?|extern|(?:public )?internet|abroad|(?:general )?public|non-?(?:members|local|internal|employees|subscribers))\\b|" +
      "\\b(?:externally|outside (?:of )?(?:the|our|this|your|its|their) (?:own )?(?:organi[sz]ation|company|network|domain|system|lan|intranet|institution|university|tenant|group)|outside (?:senders?|mail|e-?mails?|world|sources?|parties|users?|access))\\b|" +
      "\\b(?:is|are) (?:for |an? )?internal\\b(?! (?:error|fail|fault|problem|server))|\\b(?:only|just) (?:for )?internal(?:ly)?\\b|\\binternal(?:ly)? only\\b",
    seen: "550 this address is not available from outside",
  },
  {
    id: "scope.client",
    reason: "policy",
    digit: 5,
    pattern:
      "(?<!\\b(?:remov|delet|mov|dropp|purg|migrat|gone|transferr)\\w{0,3} )\\b(?:(?:from|for|(?:available|open|visible|reachable|accessible|known|valid|restricted|closed|unknown) to) your|from (?:this|that)(?! (?:domain|system|organi[sz]ation|company|provider))|for (?:this|that)(?= (?:ip|client|sender|source|location|relay)))(?: (?:ip|mail|e-?mail|smtp|sending|client|source|current|remote))? (?:ips?|ip addr\\w+|hosts?|servers?|networks?|mtas?|mail ?servers?|systems?|locations?|countr(?:y|ies)|region|domains?|organi[sz]ation|company|provider|isp|subnet|client|relay|senders?|source|side|identity)\\b(?! (?:was|were|is|has|could|cannot|will|did)\\b)|" +
      "\\b(?:accept\\w*|receiv(?:es?|ing)|tak(?:e|es|ing)|allow\\w*|want\\w*)(?: (?:any|more|your|new|such|e-?mails?|mails?|messages?|traffic|deliver\\w+|only)){0,3} from (?!any(?:one|body)?\\b|all\\b|every|no\\b|now\\b|nobody)",
    seen: "550 Sorry, this address no longer accepts mail from your server",
  },
  {
    id: "scope.list",
    reason: "policy",
    digit: 5,
    pattern:
      "\\b(?:not|isn't|aren't|wasn't|n't) (?:\\w+ )?(?:in|on|among|part of|one of|member of|found (?:in|on)|listed (?:in|on)|known to|an?) [^.;!?]{0,40}(?:\\b(?:contact|white|allow\\w*|accept\\w*|safe|approved?|permitted|trusted|authori[sz]ed|friends?|buddy|pass|welcome|known|good)[- ]?(?:senders?|contacts?|list|people|correspondents?)(?:[- ]?list)?\\b|(?:(?:recipient|user|owner|member|customer|addressee|person|holder|subscriber|employee)(?:'s|s'?) (?:\\w+ )?(?:address ?book|contacts?|friends|list)|(?:his|her|their) (?:address ?book|contacts?|friends))|\\bcontacts (?:of|list))|" +
      "\\b(?:has|have|did) not (?:yet )?(?:approved?|whitelist\\w*|authori[sz]ed?|added?|allow\\w*|accept\\w*|permitt?\\w*) (?:you|your|this sender|the sender)\\b|\\byou (?:are not|aren't|are n't|'re not) (?:found |listed |known |registered )?(?:in|on|among|one of|known|listed|trusted|approved|an? (?:\\w+ )?(?:contact|correspondent|friend|sender|member))",
    seen: "550 You are not in the recipient's contact list",
  },
  {
    id: "scope.sender-unknown",
    reason: "policy",
    digit: 5,
    pattern:
      "\\b(?:available|visible|reachable|accessible|open|valid|closed) (?:to|for) you\\b|\\b(?:do|does)(?: not|n't) (?:know|recogni[sz]e|trust|accept|like|want)(?: \\w+)? (?:you\\b|your (?:e-?mail |mail )?(?:address|name|server|host)\\b)|\\byou (?:are|aren't)(?: not)?(?: an?)? (?:unknown|known|registered|recogni[sz]ed|valid)\\b|\\byour (?:mail )?(?:address|mail ?box) (?:is |was |has |does |could |cannot |must )?(?:not|n't|been|un(?:known|verified|reachable|trusted|registered|available|authori[sz]ed)|invalid|blocked|rejected|refused|denied|banned)\\b|" +
      "\\b(?:has|have) (?:blocked|banned|rejected|refused) (?:you|your|this sender|the sender)\\b|\\b(?:user|recipient|addressee|owner|customer|subscriber) (?:rejects?|refuses?|declines?|blocks?)\\b|\\b(?:blocked|banned|rejected|refused) by (?:the |this )?(?:user|recipient|addressee|owner|customer|subscriber)[ .!]*$",
    seen: "550 Recipient does not recognize your address",
  },
  {
    id: "scope.localised",
    reason: "policy",
    digit: 5,
    pattern:
      "\\bvon (?:aussen|ausserhalb|extern\\w*)\\b|\\bextern\\w* (?:absender|mails?|e-?mails|nachrichten|nicht)|\\b(?:nur|ausschliesslich) (?:fur )?(?:\\w+ )?intern\\w*|\\bfur extern|\\bausserhalb (?:der|des|unser)|\\bde l'exterieur|depuis l'(?:exterieur|externe)|\\ba l'exterieur|\\b(?:expediteurs|messages|courriels|mails) externes|\\b(?:reserve|usage|uniquement|seulement)\\w* (?:\\w+ )?internes?\\b|" +
      "\\b(?:desde|del|do|dal|dall'|de fora|por|para|per|pour|per l')(?: el| il| o)? ?(?:exterior|estern[oi]|extern[oae]s?)\\b|\\b(?:remitentes|correos?|mensajes|remetentes|mensagens|emails|mittenti|messaggi) (?:extern|estern)|\\b(?:uso|solo|so|somente|apenas|soltanto) (?:\\w+ )?intern[oai]\\w*|\\bvan buiten|\\bexterne (?:afzenders|mail|berichten)|\\balleen (?:voor )?intern|\\butifran|\\bexterna (?:avsandare|mail|e-post)|\\budefra|\\beksterne (?:afsendere|avsendere|mails?|e-post)|\\bfra eksterne?|\\bz zewnatrz|\\bzewnetrzn|\\bzvenci|\\bextern[ie]ch|" +
      "\\bnicht\\b[^.;]{0,20} (?:in|auf) [^.;]{0,20}(?:kontakt|positiv|white)-?list|\\b(?:pas|non|absente?)\\b[^.;]{0,30} liste (?:blanche|d\\w{1,2} contacts)|\\b(?:no|nao|non)\\b[^.;]{0,30} lista (?:blanca|branca|bianca|(?:d\\w{1,2} )?(?:contactos|contatos|contatti))|\\b(?:niet|inte|ikke|nie)\\b[^.;]{0,30}(?:contactlijst|kontaktlist|lista? kontaktow|liscie kontaktow)|(?:не|нет) [^.;]{0,20}(?:списк[а-я]{0,3} контактов|бел[а-я]{2,3} списк)|不在[^.;,。]{0,8}(?:联系人|聯絡人|通讯录|通訊錄|白名单|白名單)|" +
      "извне|внешн(?:их|им|ими|еи|ие|яя)|снаружи|только (?:для )?внутрен|ззовні|зовнішн|外部|外网|外網|社外|仅限内部|僅限內部|외부|disaridan|harici|dis agdan",
    seen: "550 Empfänger von extern nicht vorhanden",
  },
]
