import type { LedgerEntry } from "../../api/shapes.ts"
import { Tip } from "../../parts/text.tsx"
import { duration, plain, signed } from "../../words.ts"

/** The evidence: each fact with its value, points, rule and source. */
export function Evidence({ entries }: { entries: readonly LedgerEntry[] }) {
  return (
    <table class="table evidence">
      <caption class="unseen">Evidence in the order it was found</caption>
      <thead class="unseen">
        <tr>
          <th>Fact</th>
          <th>Value</th>
          <th>Points</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry, i) => (
          <tr key={i}>
            <th scope="row">{FACT_WORDS[entry.fact] ?? plain(entry.fact)}</th>
            <td>
              <span class="break">{valueText(entry)}</span>
              {entry.reply && <code class="reply break">{entry.reply.text}</code>}
              <Source entry={entry} />
            </td>
            <td class="num">{entry.points === 0 ? "" : signed(entry.points)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Labels for names that are abbreviations or unclear. */
const FACT_WORDS: Readonly<Record<string, string>> = {
  base: "Start",
  route: "Mail route",
  exchangers: "Mail hosts",
  spf: "SPF",
  dkim: "DKIM",
  dmarc: "DMARC",
  mtaSts: "MTA-STS",
  bimi: "BIMI",
  rbl: "Blocklists",
  ehlo: "EHLO",
  tls: "TLS",
  mail: "MAIL FROM",
  rcpt: "RCPT TO",
  registration: "Domain registration",
  web: "Website",
  role_account: "Role address",
  received: "Received mail",
}
/** Labels for unclear values. */
const VALUE_WORDS: Readonly<Record<string, string>> = { mx: "MX record", refuses_us: "refuses our host" }

function valueText({ fact, value }: LedgerEntry) {
  if (value === null) return fact === "base" ? "" : <span class="soft">unknown</span>
  return VALUE_WORDS[value] ?? value.replaceAll("_", " ")
}

function Source({ entry: { rule, means, node, age_seconds: age } }: { entry: LedgerEntry }) {
  const when = age === null ? null : age < 2 ? "at this request" : `${duration(age)} ago`
  const origin = [node && `node ${node}`, when].filter(Boolean).join(", ")
  if (!rule && !origin) return null
  return (
    <span class="evidence-source small soft">
      {rule && means ? <Tip word={rule}>{means}</Tip> : rule && <span>{rule.replaceAll("_", " ")}</span>}
      {origin && <span class="nowrap">{origin}</span>}
    </span>
  )
}
