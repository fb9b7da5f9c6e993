import type { ReplyRules } from "./reply-rule.ts"

/** The mailbox exists but is disabled: suspended, blocked, expired or inactive. */
export const DISABLED_RULES: ReplyRules = {
  about: "disabled mailbox",
  rules: [
    {
      id: "disabled.mailbox",
      class: "mailbox_disabled",
      digit: 5,
      pattern:
        "(?<!\\byour (?:\\w+ )?)(?<!sender )\\b{recipient}\\b{gap}\\b(?:disabled|suspended|inactive|inactivated|deactivated|locked|closed|expired|terminated|frozen|froze|freezed|cancell?ed|discontinued|on hold|hang ?up|dormant|abandoned|paused|retired|archived|not active|not activated|" +
        "not currently (?:active|accepting|being accepted)|suspends? (?:the |this |his |her )?(?:service|account|mail)|not accepting (?:any )?(?:mail|messages|e-?mail)(?! from| with| contain)|no longer (?:active|in use|accept\\w*(?! messages (?:from|with)| mails? (?:from|with)| connections)|in service|monitored|used)|stopped|invalidated|shut down)\\b",
      seen: "550 5.2.1 The email account that you tried to reach is disabled.",
    },
    {
      id: "disabled.qualified",
      class: "mailbox_disabled",
      digit: 5,
      pattern:
        "\\b(?:disabled|suspended|inactive|deactivated|locked|closed|expired|terminated|frozen|cancell?ed|discontinued|dormant|archived|blocked) (?:e-?mail |user |mail )?(?:user|recipient|mail ?box|account|address|alias|customer|subscriber|inbox)\\b|" +
        "(?<!\\byour (?:\\w+ )?)(?<!\\b(?:send(?:er|ing)|submitting|originating|source|client|remote|network|bounce|return|reply-to) (?:e-?mail |user )?)\\b{recipient}:?(?: (?!messages?|mails?|servers?|ips?|hosts?|domains?|senders?|connections?|is|has)[\\w.~-]{1,40})? (?:has been|is) (?:\\w{4,16}ly )?(?:blocked|barred)\\b(?! (?:by|from|for|using))|^ (?:user|account|mailbox|recipient|subscriber)(?: ~)?:? (?:(?:is|was|has been) )?banned[ .!]*$",
      seen: "551 <them@example.com> is a deactivated mailbox",
    },
    // Only Rambler answers 540, and only for disabled mailboxes. The word "blocked" alone could mean this client.
    {
      id: "disabled.rambler",
      class: "mailbox_disabled",
      digit: 5,
      codes: [540],
      pattern: "recipient address rejected",
      seen: "540 5.7.1 <them@rambler.ru>: recipient address rejected: Blocked",
    },
    {
      id: "disabled.inactivity",
      class: "mailbox_disabled",
      digit: 5,
      pattern:
        "not (?:currently )?(?:being )?accept\\w* (?:any )?(?:mail )?for this (?:mailbox|user|account|address)|^ (?!this |the |our |server|system|host|service|mail |smtp )[\\w.+~-]{1,64} is not (?:currently )?accepting (?:any )?(?:mail|messages|e-?mails?)(?! from| with| contain)|(?:due to|because of|for|extended) (?:long[- ]?(?:time|term) )?inactivity|no ?(?:recipient |user |account )?activity|(?:hasn't|has not|have not|never) (?:\\w+ )?(?:entered|logged|been used|signed)|should log ?in to|\\bnot (?:an? )?(?:active|in use|used)\\b|(?:mail |mailbox )?receiving (?:is )?disabled|inactive (?:on|for|since)|unavailable to take delivery|(?:~|^|\\brejected;)[ :.,\"'-]{0,4}(?:(?:the |this )?(?:subscription|membership|contract) )?(?:(?:is|was|has been) {shut}|(?:has )?{shut}(?! (?!(?:by|for|due|because|since|pending|until|at|in|on|and|or|as|to|with)\\b)[a-z]))|(?:address|user|recipient|mailbox|account) (?:~ )?does(?: not|n't) (?:receive|accept) (?:any )?(?:e-?mails?|mails?|messages)(?! from| with| contain| for)|^ (?:sorry |this |the |recipient(?:'s)? ){0,2}domain (?:is |has (?:been )?|was )?(?:disabled|suspended|deactivated|closed|expired|terminated)\\b|is (?:now )?disabled with|not been (?:used|accessed|activated)|policy rejection on the target address|mta service\\b.{0,20}disabled|^ (?:~|account|user|mailbox)?[ :]*(?:is )?(?:disabled|suspended|inactive|account (?:disabled|closed|expired))[ .!]*$",
      seen: "550 <maxqin> is now disabled with MTA service.",
    },
    {
      id: "disabled.localised",
      class: "mailbox_disabled",
      digit: 5,
      pattern:
        "(?:empfanger\\w*|postfach|konto|benutzer|adressat|mailbox|adresse)\\b[^.;]{0,50}(?:deaktiviert|gesperrt|stillgelegt|inaktiv|abgeschaltet|geschlossen)|(?:compte|boite|destinataire|utilisateur|adresse|bal)\\b[^.;]{0,50}(?:desactiv|suspendu|inacti[fv]|bloque|ferme|expire)|" +
        "(?:cuenta|casilla|buzon|usuario|destinatario)\\b[^.;]{0,50}(?:desactivad|suspendid|inactiv|bloquead|deshabilitad|expirad|cancelad)|(?:casella|indirizzo|utente|account|mailbox)\\b[^.;]{0,50}(?:disattivat|disatttivat|disabilitat|sospes|bloccat|scadut|inattiv)|" +
        "(?:caixa|conta|usuario|mailbox|destinatario)\\b[^.;]{0,50}(?:desativad|desabilitad|suspens|inativ|bloquead)|(?:konto|skrzynka|adres)\\b[^.;]{0,50}(?:zablokowan|nieaktywn|zawieszon)|(?:пользовател|ящик|аккаунт|учетн|получател)[^.;]{0,50}(?:заблокирован|отключен|неактив|деактив)|" +
        "(?:account|postvak|gebruiker|adres|mailbox)\\b[^.;]{0,40}(?:geblokkeerd|gesloten|uitgeschakeld|inactief)|(?:konto|brevlad\\w*|mottagar\\w*|add?ress\\w*)\\b[^.;]{0,40}(?:inaktiv|sparra|avstang)|(?:用户|帐号|账号|帳號|邮箱|收件人)[^.;]{0,10}(?:停用|禁用|冻结|锁定|暂停|被封)|(?:アカウント|メールボックス|ユーザ)[^.;]{0,15}(?:停止|無効|凍結)",
      seen: "550 Adressat unbekannt oder Mailbox deaktiviert",
    },
  ],
}
