import { expect, test } from "vitest"
import { converse, plan } from "../../support/mail/scripted-conversation.ts"

const BANNER = "220 mx.test\r\n"
const EHLO = "250 mx.test\r\n"
const LONE = ["anna@a.test", "random@a.test"]

/** Server replies, expected end of the conversation, expected answers. */
const CASES: readonly [name: string, replies: string[], outcome: string, answers: string[]][] = [
  ["EHLO answered twice", [BANNER, EHLO + EHLO], "failed mail protocol", []],
  ["a reply to EHLO that ends at its first line", [BANNER, `${EHLO}250-SIZE 9\r\n25`], "failed mail protocol", []],
  [
    "a second reply to MAIL together with the reply to RCPT",
    [BANNER, EHLO, "250 ok\r\n", "250 ok\r\n550 no\r\n"],
    "failed rcpt protocol",
    [],
  ],
  [
    "a separate second reply to EHLO",
    [BANNER, "250-mx.test\r\n250 SIZE\r\n", "250-mx.test\r\n250 SIZE\r\n", "250 ok\r\n", "250 ok\r\n"],
    "failed mail protocol",
    [],
  ],
  [
    "a separate second reply to MAIL that names the sender",
    [BANNER, EHLO, "250 2.1.0 Sender OK\r\n", "250 2.1.0 Sender OK\r\n", "550 no\r\n"],
    "failed rcpt protocol",
    [],
  ],
  [
    "the same plain reply to MAIL and RCPT",
    [BANNER, "250 ok\r\n", "250 ok\r\n", "250 ok\r\n", "550 no\r\n"],
    "done",
    ["rcpt 250", "rcpt 550"],
  ],
  [
    "sender and recipient refused with the same text",
    [BANNER, EHLO, "250 ok\r\n", "550 sender refused\r\n", "550 sender refused\r\n"],
    "done",
    ["rcpt 550", "rcpt 550"],
  ],
  [
    "part of another reply after the reply to RCPT",
    [BANNER, EHLO, "250 ok\r\n", "550 no\r\n2"],
    "failed rcpt protocol",
    [],
  ],
  ["a refusal split into two replies", ["554 no\r\n554 5.7.1 listed\r\n"], "refused banner 554", []],
  ["421 after the reply to EHLO", [BANNER, `${EHLO}421 bye\r\n`], "refused mail 421", []],
  [
    "421 after the reply to RCPT",
    [BANNER, EHLO, "250 ok\r\n", "550 no\r\n421 4.7.0 too many errors\r\n"],
    "refused rcpt 421",
    ["rcpt 550"],
  ],
  ["421 without text after the reply to EHLO", [BANNER, `${EHLO}421\r\n`], "refused mail 421", []],
  [
    "221 after the last reply",
    [BANNER, EHLO, "250 ok\r\n", "250 ok\r\n", "550 no\r\n221 bye\r\n"],
    "done",
    ["rcpt 250", "rcpt 550"],
  ],
]
test.each(CASES)("replies without a command are not taken as answers: %s", (_, replies, outcome, answers) => {
  const { record } = converse(plan(LONE), replies)
  expect([record.outcome, ...record.answers.values()]).toEqual([outcome, ...answers])
})

test("a group of commands has exactly one reply per command", () => {
  const many = Array.from({ length: 60 }, (_, at) => `u${at}@a.test`)
  const { record } = converse(plan(many), [BANNER, "250-mx.test\r\n250 PIPELINING\r\n", "250 ok\r\n".repeat(26)])
  expect([record.outcome, record.answers.size]).toEqual(["failed rcpt protocol", 23])
})
