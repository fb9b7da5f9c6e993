import { Buffer } from "node:buffer"
import { deflateRawSync, inflateRawSync } from "node:zlib"
import type { Evidence, StoredEvidence } from "../../domain/verification/evidence.ts"

/**
 * Text that evidence often contains, for the compression of src/adapters/verification/evidence-codec.ts: field names in the order of
 * the JSON, the replies of common mail servers, blocklists. The most frequent text is last, because near text costs
 * fewer bits. Stored evidence depends on every character: a change needs a new version of the codec.
 */
export const DICTIONARY_1 = [
  '"isPrivate":true,"nextCheckAt":,"probeProblem":"no_node","probeProblem":"deadline"',
  '{"kind":"dns_failure","reason":"servfail"},{"kind":"no_such_domain"},{"kind":"null_mx"},{"kind":"no_mail_host"}',
  '{"kind":"implicit_mx","hosts":[{"host":"","preference":0}]},"addresses":null,"isAlias":null',
  '{"kind":"permerror","problem":"too_many_lookups","at":"_spf."},{"kind":"invalid","problem":"several_records"}',
  '{"kind":"policy","id":"","mode":"enforce","coversMx":true},"mode":"testing"',
  '{"kind":"record","logo":"https://","hasCertificate":true},{"kind":"declined"}',
  '{"mxHost":"","address":null,"outcome":{"kind":"failure","stage":"connect","failure":"connect_timeout","detail":"",',
  '"failure":"refused","failure":"timeout","failure":"deadline","failure":"closed","stage":"greeting","stage":"ehlo",',
  '"stage":"mail","tls":{"protocol":"TLSv1.3","authorized":true,"problem":null}',
  '"code":421,"enhanced":"4.7.0","text":"4.7.0 Try again later, closing connection. (',
  '"code":450,"enhanced":"4.2.0","text":"4.2.0 <>: Recipient address rejected: Greylisted, see http://postgrey.schweikert',
  '"code":451,"enhanced":"4.7.1","text":"4.7.1 Greylisting in action, please come back later',
  '"code":554,"enhanced":"5.7.1","text":"5.7.1 Service unavailable; Client host [] blocked using zen.spamhaus.org; ',
  "https://www.spamhaus.org/query/ip/ Access denied, banned sending IP []. Relay access denied, mailbox unavailable, ",
  '"code":552,"enhanced":"5.2.2","text":"5.2.2 mailbox full, over quota","code":550,"enhanced":"5.4.1","text":"5.4.1 ',
  "Recipient address rejected: Access denied. For more information see https://aka.ms/EXOSmtpErrors [.namprd.",
  "prod.protection.outlook.com eurprd.prod.outlook.com 2026- Z 08D.mail.protection.outlook.com Microsoft ESMTP MAIL ",
  "Service ready at Hello []\\nSIZE 157286400\\nPIPELINING\\nDSN\\nENHANCEDSTATUSCODES\\nSTARTTLS\\n8BITMIME\\nBINARYMIME",
  "\\nCHUNKING\\nSMTPUTF8 SIZE 49283072 2.1.0 Sender OK 2.1.5 Recipient OK 5.5.0 Requested action not taken: ",
  "5.1.1 The email account that you tried to reach does not exist. Please try\\n5.1.1 double-checking the recipient's",
  " email address for typos or\\n5.1.1 unnecessary spaces. For more information, go to\\n5.1.1  ",
  "https://support.google.com/mail/?p=NoSuchUser - gsmtp mx.google.com ESMTP  - gsmtp mx.google.com at your service, []",
  "\\nSIZE 157286400\\n8BITMIME\\nSTARTTLS\\nENHANCEDSTATUSCODES\\nPIPELINING\\nCHUNKING\\nSMTPUTF8 2.1.0 OK  2.1.5 OK ",
  '{"host":"aspmx.l.google.com","preference":1},{"host":"alt1.aspmx.l.google.com","preference":5},',
  '{"host":"alt2.aspmx.l.google.com","preference":5},{"host":"alt3.aspmx.l.google.com","preference":10},',
  '{"host":"alt4.aspmx.l.google.com","preference":10}],"addresses":["142.250.","2a00:1450:40"],"isAlias":false}',
  '{"host":"gmail-smtp-in.l.google.com","preference":5},"host":"mta5.am0.yahoodns.net","preference":1',
  '"host":"mx01.ionos.de","host":"mx1.hostinger.com","host":"mxa.mailgun.org","host":"mx.zoho.com","host":"mail.',
  '"https":true,"parkedAt":"sedoparking","site":"error","httpStatus":404,"registration":{"kind":"unknown"}',
  '["zen.spamhaus.org","bl.spamcop.net","b.barracudacentral.org","dnsbl-1.uceprotect.net","dnsbl.dronebl.org",',
  '"psbl.surriel.com","dnsbl.zapbl.net","all.s5h.net","bl.mailspike.net","bl.blocklist.de"]',
  "5.1.1 <>: Recipient address rejected: User unknown in virtual mailbox table 5.1.1 No such user here Unknown user",
  " 5.1.1 <q@>: Recipient address rejected: User unknown in local recipient table",
  " ESMTP Postfix (Debian/GNU) Exim ready\\nPIPELINING\\nSIZE 10240000\\nVRFY\\nETRN\\nSTARTTLS\\nAUTH PLAIN LOGIN",
  '\\nENHANCEDSTATUSCODES\\n8BITMIME\\nDSN\\nCHUNKING","extensions":["PIPELINING","SIZE 10240000","ETRN","STARTTLS",',
  '"ENHANCEDSTATUSCODES","8BITMIME","DSN","SMTPUTF8","CHUNKING"]',
  '{"domain":{"route":{"kind":"mx","hosts":[{"host":"mx1.","preference":10},{"host":"mx2.","preference":20}]},',
  '"exchangers":[{"host":"mx1.","addresses":["192."],"isAlias":false},{"host":"mx2.","addresses":["10."],"isAlias":false}],',
  '"spf":{"kind":"none"},"spf":{"kind":"valid","all":"~","lookups":2},"spf":{"kind":"valid","all":"-","lookups":1},',
  '"dkim":{"present":true,"selectors":["google","selector1","selector2","default","k1","s1"],"shownBy":"key"},',
  '"dkim":{"present":false,"selectors":[],"shownBy":null},',
  '"dmarc":{"kind":"record","foundAt":"","policy":"reject","hasReports":true},"policy":"none","policy":"quarantine",',
  '"dmarc":{"kind":"none"},"mtaSts":{"kind":"none"},"bimi":{"kind":"none"},',
  '"rbl":{"checked":["zen.spamhaus.org"],"matched":[],"notConsulted":[]},',
  '"web":{"site":"none","httpStatus":null,"https":false,"parkedAt":null},',
  '"web":{"site":"live","httpStatus":200,"https":true,"parkedAt":null},"registration":{"kind":"registered","at":},',
  '"registration":null,"domain":"","checkedAt":{"route":17,"exchangers":17,"spf":17,"dkim":17,"dmarc":17,"mtaSts":17,',
  '"bimi":17,"rbl":17,"web":17,"registration":17}},"mailbox":{"nodeId":"","region":"","askedAt":17,"outcome":{"kind":',
  '"reply","stage":"rcpt","reply":{"code":550,"enhanced":"5.1.1","text":"5.1.1 <","ms":1.5}},"control":null,',
  '"outcome":{"kind":"reply","stage":"rcpt","reply":{"code":250,"enhanced":"2.1.5","text":"2.1.5 Ok","ms":0.1}},',
  '"control":{"kind":"reply","stage":"rcpt","reply":{"code":550,"enhanced":"5.1.1","text":"5.1.1 ","ms":0.2}},',
  '"session":{"mxHost":"mx1.","address":"","sourceIp":"","heloName":"","envelopeSender":"probe@","greeting":{"code":220,',
  '"enhanced":null,"text":"mx1. ESMTP","ms":2.1},"ehlo":{"code":250,"enhanced":null,"text":"mx1.\\nPIPELINING\\nSIZE ","ms":0.3},',
  '"extensions":["PIPELINING","SIZE "],"tls":null,"mail":{"code":250,"enhanced":"2.1.0","text":"2.1.0 Ok","ms":0.1},',
  '"connectMs":1.2},"attempts":[],"totalMs":12},"probeProblem":null,"gravatar":{"found":true,"checkedAt":17',
  '"totalMs":3},"probeProblem":null,"gravatar":{"found":false,"checkedAt":17}}',
].join("")

/**
 * The compact text of evidence, in `results` and in the edge cache. Version 1 is "1" and the base64 text of raw
 * DEFLATE (RFC 1951) of the JSON, with a preset dictionary. A version stays readable as long as results may have it.
 */
const VERSION_1 = "1"
/** Several times the longest line of a probe node. The limit protects the memory of the isolate. */
const MAX_BYTES = 4_000_000

const dictionary = Buffer.from(DICTIONARY_1)

/** Evidence goes to the database and to the edge. Nothing changes it after it was gathered. */
const packed = new WeakMap<StoredEvidence, string>()

/** The text to store. The address and its list classes are derived again from the address when it is read. */
export function packEvidence(evidence: StoredEvidence): string {
  const known = packed.get(evidence)
  if (known !== undefined) return known
  const { address: _, lists: __, ...stored } = evidence as Evidence
  const text = VERSION_1 + deflateRawSync(JSON.stringify(stored), { dictionary }).toString("base64")
  packed.set(evidence, text)
  return text
}

/** Reads stored evidence. Text that begins with "{" is plain JSON. @throws Error for a damaged or too long text */
export function unpackEvidence(text: string): StoredEvidence {
  if (text.startsWith("{")) return JSON.parse(text) as StoredEvidence
  if (!text.startsWith(VERSION_1)) throw new Error(`stored evidence of an unknown version: ${text.slice(0, 8)}`)
  const bytes = Buffer.from(text.slice(1), "base64")
  return JSON.parse(inflateRawSync(bytes, { dictionary, maxOutputLength: MAX_BYTES }).toString()) as StoredEvidence
}
