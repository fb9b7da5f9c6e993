import { parseAddress } from "../../src/domain/address/parse.ts"

/** The check of a browser for `<input type=email>` (WHATWG HTML §4.10.5.1.5): shape only, no lengths, no IDNA. */
const HTML_EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

const LOCAL_PARTS = ["john.doe", "anna", "info", "j.smith+news", "Maria_Garcia", "sales-team", "k", "customer.service"]
const DOMAINS = ["gmail.com", "example.co.uk", "Company-Name.com", "mail.university.edu", "t-online.de", "outlook.com"]
const EVERYDAY = Array.from(
  { length: 2_400 },
  (_, i) => `${LOCAL_PARTS[i % LOCAL_PARTS.length]}${i}@${DOMAINS[i % DOMAINS.length]}`,
)
const INTERNATIONAL = ["josé@bücher.example", "用户@例子.广告", "info@xn--bcher-kva.example", "инфо@письмо.рф"]
const MALFORMED = ["john.doe", "john@doe", "john..doe@x.com", "john doe@x.com", "john@x_y.com", '"john@x.com']

const ROUNDS = 7
const ROUND_MS = 300

/** Calls per second, the median of several rounds. Every result is used, so that no call is optimized away. */
function perSecond(inputs: readonly string[], accepts: (input: string) => boolean): number {
  const rates: number[] = []
  let accepted = 0
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now()
    let calls = 0
    let elapsedMs = 0
    for (; elapsedMs < ROUND_MS; elapsedMs = performance.now() - startedAt) {
      for (let repeat = 0; repeat < 20; repeat++) for (const input of inputs) if (accepts(input)) accepted++
      calls += 20 * inputs.length
    }
    rates.push((calls / elapsedMs) * 1000)
  }
  if (accepted < 0) throw new Error("unreachable")
  return rates.sort((a, b) => a - b)[ROUNDS >> 1]!
}

const parses = (input: string) => parseAddress(input).ok
const regex = perSecond(EVERYDAY, (input) => HTML_EMAIL.test(input))
const everyday = perSecond(EVERYDAY, parses)
const show = (rate: number) => `${Math.round(rate).toLocaleString("en").padStart(12)}/s`

console.log(`everyday addresses        ${show(everyday)}  (${(everyday / regex).toFixed(2)} x the HTML regex)`)
console.log(`  HTML regex, test only   ${show(regex)}`)
console.log(`international addresses   ${show(perSecond(INTERNATIONAL, parses))}`)
console.log(`malformed addresses       ${show(perSecond(MALFORMED, parses))}`)
