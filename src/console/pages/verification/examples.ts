import type { Status } from "../../../../schema/vocabulary.ts"

/** [address, its status, what the mail server does] of the sandbox addresses that show the most. */
export const SANDBOX_EXAMPLES: readonly (readonly [string, Status, string])[] = [
  ["alice@mailbox.test", "valid", "an ordinary mailbox"],
  ["support@mailbox.test", "valid", "a role address"],
  ["nobody@mailbox.test", "invalid", "there is no such mailbox"],
  ["alice@null-mx.test", "invalid", "the domain accepts no mail"],
  ["anyone@catch-all.test", "accept_all", "the domain accepts every address"],
  ["full@mailbox.test", "unknown", "the mailbox is full"],
  ["alice@greylist.test", "unknown", "greylisted, verified again later"],
  ["alice@client-refused.test", "unknown", "the server blocks our IP address"],
  ["alice@dns-timeout.test", "unknown", "DNS does not answer"],
  ["alice.mailbox.test", "invalid_syntax", "the @ is missing"],
]

/**
 * The call of a verification for a shell. The key stays a variable, so that a shared command holds no secret.
 * @param origin of the API
 * @param body the request, sent as JSON
 */
export const curlCommand = (origin: string, body: Readonly<Record<string, unknown>>): string =>
  [
    `curl -s ${quoted(`${origin}/validate`)}`,
    `-H "X-API-Key: $MAILVERDICT_API_KEY"`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(" \\\n  ")

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
