import type { LedgerEntry } from "../../api/shapes.ts"
import { Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { duration, plain, signed } from "../../words.ts"

/** The evidence: each fact with its value, source and points. */
export function Ledger({ entries }: { entries: readonly LedgerEntry[] }) {
  return (
    <Panel title="Evidence" note="Facts in the order they were found. The points add up to the score.">
      <Scroll label="Evidence">
        <table class="table ledger">
          <thead>
            <tr>
              <th>Phase</th>
              <th>Fact</th>
              <th>Value</th>
              <th>Source</th>
              <th class="num">Points</th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry, i) => (
              <tr key={i}>
                <td class="soft">{i > 0 && entries[i - 1]?.phase === entry.phase ? "" : plain(entry.phase)}</td>
                <td>{FACT_WORDS[entry.fact] ?? plain(entry.fact)}</td>
                <td class="break">
                  {valueText(entry)}
                  {entry.reply && <code class="reply">{entry.reply.text}</code>}
                </td>
                <td class="small soft">{sourceOf(entry)}</td>
                <td class="num">{entry.points === 0 ? "" : signed(entry.points)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Panel>
  )
}

/** Labels for names that are abbreviations or unclear. */
const FACT_WORDS: Readonly<Record<string, string>> = {
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
}
/** Labels for unclear values. */
const VALUE_WORDS: Readonly<Record<string, string>> = { mx: "MX record" }

function valueText({ fact, value }: LedgerEntry) {
  if (value === null) return fact === "base" ? "" : <span class="soft">unknown</span>
  return VALUE_WORDS[value] ?? value.replaceAll("_", " ")
}

function sourceOf({ rule, node, age_seconds: age }: LedgerEntry): string {
  const when = age === null ? null : age < 2 ? "now" : `${duration(age)} ago`
  return [rule, node && `node ${node}`, when].filter(Boolean).join(", ")
}
