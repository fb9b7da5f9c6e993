import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { DomainFormats } from "../../api/shapes.ts"
import { Loaded } from "../../parts/loaded.tsx"
import { Ago } from "../../parts/moment.tsx"
import { Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { domainLink } from "../../route.ts"
import { addresses, percent } from "../../words.ts"
import { exampleOf } from "./example.ts"
import { CompanyPages } from "./pages.tsx"
import { likelihood, NO_FORMATS_WORDS } from "./words.ts"

/** The address formats of a domain. @param version a new number fetches them again, because a search can teach one */
export function DomainFormatsPanel({ domain, version }: { domain: string; version: number }) {
  const load = useLoad(
    `formats ${domain} ${version}`,
    (signal) => call<DomainFormats>(`/domain-formats/${encodeURIComponent(domain)}`, { signal }),
    { keepPrevious: true },
  )
  const hasFormats = load.state === "ready" && load.value.reason === null
  return (
    <>
      <Panel title="Formats of the domain" note={<a href={domainLink(domain)}>Check the domain</a>}>
        <Loaded of={load}>{(formats) => <Formats formats={formats} />}</Loaded>
      </Panel>
      {hasFormats && <CompanyPages domain={load.value.domain} onLearned={load.reload} />}
    </>
  )
}

function Formats({ formats }: { formats: DomainFormats }) {
  if (formats.reason) return <p>{NO_FORMATS_WORDS[formats.reason]}</p>
  return (
    <div class="stack">
      <p class="soft">
        {formats.is_learned ? (
          <>
            Learned from {addresses(formats.sample_count)}, last <Ago at={formats.last_learned_at} />. The addresses
            themselves are not stored. The range beside a share is its 95% interval.
          </>
        ) : (
          "No address of this domain is known yet. These formats are common among companies."
        )}
      </p>
      <Scroll label="Formats of the domain">
        <table class="table">
          <thead>
            <tr>
              <th>Format</th>
              <th class="num">Expected share</th>
              <th>Jane Doe's address</th>
              <th class="num">Seen</th>
            </tr>
          </thead>
          <tbody>
            {formats.formats.map(({ format, confidence, samples, share, low, high }) => (
              <tr key={format}>
                <td class="mono">{format}</td>
                <td class="num">{likelihood(confidence)}</td>
                <td class="mono break">{exampleOf(format, formats.domain)}</td>
                <td class="num nowrap">
                  {samples === 0 ? (
                    <span class="soft">none</span>
                  ) : (
                    <>
                      {addresses(samples)}, {percent(share, 0)}{" "}
                      <span class="soft">
                        ({percent(low, 0)} to {percent(high, 0)})
                      </span>
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </div>
  )
}
