import { describe, expect, test } from "vitest"
import { classifyLine, isInvalid } from "../../../scripts/bench/verdicts/labelled-replies.ts"

/** Names for our sender and for the connected client. */
const OURS = [
  ...[
    "sender",
    "the sender",
    "sender address",
    "sender's address",
    "sender mailbox",
    "sender account",
    "sender domain",
  ],
  ...[
    "from address",
    "From: address",
    "return path",
    "return address",
    "reverse-path",
    "envelope sender",
    "envelope from",
  ],
  ...["MAIL FROM", "MAIL FROM address", "originator", "originating address", "bounce address", "your address"],
  ...[
    "your mailbox",
    "your email address",
    "your domain",
    "your host",
    "your IP",
    "IP address",
    "client IP",
    "remote IP",
  ],
  ...["client host", "client name", "remote host", "sending server", "connecting host", "HELO name", "PTR record"],
]
const THEIRS = [
  "user",
  "recipient",
  "recipient address",
  "mailbox",
  "address",
  "email account",
  "alias",
  "user account",
]

/** Words for a missing mailbox that may also describe anything else. */
const GONE = [
  ...[
    "unknown",
    "is unknown",
    "not found",
    "does not exist",
    "doesn't exist",
    "is invalid",
    "not valid",
    "non-existent",
  ],
  ...["unavailable", "could not be found", "is not known here", "unroutable", "undeliverable", "no longer exists"],
]
const SHUT = ["disabled", "is disabled", "has been disabled", "is suspended", "is inactive", "is closed", "is locked"]
const BEFORE = [
  "unknown",
  "invalid",
  "no such",
  "non-existent",
  "unroutable",
  "undeliverable",
  "cannot find",
  "unrecognized",
]

const textsAbout = (subject: string) => [
  ...[...GONE, ...SHUT].flatMap((gone) => [
    `${subject} ${gone}`,
    `Sorry, ${subject} ${gone}.`,
    `Rejected: ${subject} ${gone}`,
  ]),
  ...GONE.map((gone) => `<them@example.org>: Recipient address rejected: ${subject} ${gone}`),
  ...BEFORE.flatMap((gone) => [
    `${gone} ${subject}`,
    `5.1.1 ${gone} ${subject}`,
    `Sorry, ${gone} ${subject} <x@example.net>`,
  ]),
]
const misread = (texts: readonly string[], invalid: boolean) =>
  texts.filter((text) => isInvalid(classifyLine(`550 ${text}`).class) !== invalid)

describe("words for a missing mailbox", () => {
  test.each(OURS)("do not mark the address as invalid when they describe %j", (ours) => {
    expect(misread(textsAbout(ours), false)).toEqual([])
  })

  test.each(THEIRS)("mark the address as invalid when they describe %j", (theirs) => {
    const plain = textsAbout(theirs).filter((text) => !text.includes("cannot find"))
    expect(misread(plain, true)).toEqual([])
  })
})

/** Parts of the server and of the message, which belong neither to us nor to the recipient. */
const NEITHER = [
  ...["server", "LDAP server", "mail system", "user database", "queue", "gateway", "license", "spam filter", "service"],
  ...[
    "client",
    "message",
    "attachment",
    "header",
    "Message-ID",
    "DKIM signature",
    "TLS certificate",
    "URL",
    "connection",
  ],
  ...["command", "request", "operation", "parameter", "message body"],
]

test.each(NEITHER)("words about %j do not mark the address as invalid, even after a recipient's name", (part) => {
  const shut = /service|connection/.test(part) ? [] : SHUT
  const gone = GONE.filter((words) => !/non-existent|unroutable|undeliverable/.test(words))
  const texts = [...gone, ...shut].flatMap((words) => [
    `${part} ${words}`,
    `<them@example.org>: Recipient address rejected: ${part} ${words}`,
    `Recipient rejected (${part} ${words})`,
    `RCPT TO refused, ${part} ${words}`,
    `Cannot deliver to user: ${part} ${words}`,
  ])
  expect(misread(texts, false)).toEqual([])
})

test("a part that only names the place leaves the recipient as the subject", () => {
  const places = ["on this server", "on our system", "in the user database", "of this message", "for this service"]
  const texts = ["The mailbox", "Recipient", "The email account"].flatMap((subject) =>
    places.flatMap((place) => [...GONE, ...SHUT].map((gone) => `${subject} ${place} ${gone}`)),
  )
  expect(misread(texts, true)).toEqual([])
})

const AROUND = [
  ["Your message was not delivered: ", ""],
  ["mail from <us@example.net> to <them@example.org>: ", ""],
  ["Returned to sender: ", ""],
  ["The remote server said: ", ""],
  ["", "; from=<us@example.net> to=<them@example.org>"],
  ["", ", sender notified"],
  ["", " [client 192.0.2.7]"],
  ["", ". Check your address book, or ask your mail server's administrator"],
  ["", " on the remote server"],
] as const

test.each(AROUND)("%j before and %j after a text do not change its class", (before, after) => {
  const texts = ["user unknown", "no such user here", "them@example.org does not exist", "mailbox not found"]
  expect(
    misread(
      texts.map((text) => before + text + after),
      true,
    ),
  ).toEqual([])
})

test.each([
  ["550 Unbekannter Host: [192.0.2.7]", false],
  ["550 Rechnername nicht gefunden", false],
  ["550 Nom d'hôte introuvable", false],
  ["550 Host desconocido", false],
  ["550 Неизвестный хост", false],
  ["550 主机不存在", false],
  ["550 Unbekannter Fehler", false],
  ["550 Erreur inconnue", false],
  ["550 Error desconocido", false],
  ["550 Errore sconosciuto", false],
  ["550 Неизвестная ошибка", false],
  ["550 Nieznany błąd", false],
  ["550 Le service n'existe pas", false],
  ["550 サーバーが見つかりません", false],
  ["550 メッセージを配信する権限がありません", false],
  ["550 Benutzer auf diesem Host unbekannt", true],
  ["550 Usuario desconocido en este host", true],
  ["550 Пользователь на этом хосте не найден", true],
  ["550 Error: usuario desconocido", true],
  ["550 Fehler: Unbekannter Benutzer", true],
  ["550 Utilisateur inconnu sur ce serveur", true],
  ["550 Benutzer auf diesem Server nicht bekannt", true],
  ["550 用户在本服务器不存在", true],
  ["550 宛先のアドレスはありません", true],
])("%s marks the address as invalid: %s", (line, invalid) => {
  expect(isInvalid(classifyLine(line).class)).toBe(invalid)
})
