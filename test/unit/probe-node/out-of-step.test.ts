import { expect, test } from "vitest"
import { hold, plan } from "../../support/held-conversation.ts"

const BANNER = "220 mx.test\r\n"
const EHLO = "250 mx.test\r\n"
const LONE = ["anna@a.test", "random@a.test"]

/** What the server says at a time, how the conversation ends, what was answered in it. */
const SPOKEN: readonly [name: string, said: string[], outcome: string, answers: string[]][] = [
  ["EHLO answered twice", [BANNER, EHLO + EHLO], "failed mail protocol", []],
  ["an answer to EHLO that ends at its first line", [BANNER, `${EHLO}250-SIZE 9\r\n25`], "failed mail protocol", []],
  [
    "the second answer to MAIL with that to RCPT",
    [BANNER, EHLO, "250 ok\r\n", "250 ok\r\n550 no\r\n"],
    "failed rcpt protocol",
    [],
  ],
  [
    "the second answer to EHLO on its own",
    [BANNER, "250-mx.test\r\n250 SIZE\r\n", "250-mx.test\r\n250 SIZE\r\n", "250 ok\r\n", "250 ok\r\n"],
    "failed mail protocol",
    [],
  ],
  [
    "the second answer to MAIL on its own, which names the sender",
    [BANNER, EHLO, "250 2.1.0 Sender OK\r\n", "250 2.1.0 Sender OK\r\n", "550 no\r\n"],
    "failed rcpt protocol",
    [],
  ],
  [
    "an answer that MAIL and RCPT may both have",
    [BANNER, "250 ok\r\n", "250 ok\r\n", "250 ok\r\n", "550 no\r\n"],
    "done",
    ["rcpt 250", "rcpt 550"],
  ],
  [
    "sender and recipient refused in the same words",
    [BANNER, EHLO, "250 ok\r\n", "550 sender refused\r\n", "550 sender refused\r\n"],
    "done",
    ["rcpt 550", "rcpt 550"],
  ],
  ["part of another behind that to RCPT", [BANNER, EHLO, "250 ok\r\n", "550 no\r\n2"], "failed rcpt protocol", []],
  ["a refusal cut in two", ["554 no\r\n554 5.7.1 listed\r\n"], "refused banner 554", []],
  ["421 behind that to EHLO", [BANNER, `${EHLO}421 bye\r\n`], "refused mail 421", []],
  [
    "421 behind that to RCPT",
    [BANNER, EHLO, "250 ok\r\n", "550 no\r\n421 4.7.0 too many errors\r\n"],
    "refused rcpt 421",
    ["rcpt 550"],
  ],
  ["421 without words behind that to EHLO", [BANNER, `${EHLO}421\r\n`], "refused mail 421", []],
  [
    "221 behind the last",
    [BANNER, EHLO, "250 ok\r\n", "250 ok\r\n", "550 no\r\n221 bye\r\n"],
    "done",
    ["rcpt 250", "rcpt 550"],
  ],
]
test.each(SPOKEN)("what nobody asked for is taken for no answer: %s", (_, said, outcome, answers) => {
  const { record } = hold(plan(LONE), said)
  expect([record.outcome, ...record.answers.values()]).toEqual([outcome, ...answers])
})

test("a group of commands has as many answers as it has commands", () => {
  const many = Array.from({ length: 60 }, (_, at) => `u${at}@a.test`)
  const { record } = hold(plan(many), [BANNER, "250-mx.test\r\n250 PIPELINING\r\n", "250 ok\r\n".repeat(26)])
  expect([record.outcome, record.answers.size]).toEqual(["failed rcpt protocol", 23])
})
