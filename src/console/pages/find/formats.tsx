import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { DomainFormats } from "../../api/shapes.ts"
import { Loaded, Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { Address, Ago } from "../../parts/text.tsx"
import { domainLink } from "../../route.ts"
import { addresses, count } from "../../words.ts"
import { exampleFor, exampleOf } from "./example.ts"
import { CompanyPages } from "./pages.tsx"
import type { Person } from "./person.ts"
import { likelihood, NO_FORMATS_WORDS } from "./words.ts"

interface DomainFormatsProps {
  readonly domain: string
  /** The person searched for, whose address is the example of each format. */
  readonly person: Person | null
  /** A new number fetches the formats again, because a search can teach one. */
  readonly version: number
}

/** The address formats of a domain. */
export function DomainFormatsPanel({ domain, person, version }: DomainFormatsProps) {
  const load = useLoad(
    `formats ${domain} ${version}`,
    (signal) => call<DomainFormats>(`/domain-formats/${encodeURIComponent(domain)}`, { signal }),
    { keepPrevious: true },
  )
  const hasFormats = load.state === "ready" && load.value.reason === null
  return (
    <>
      <Panel title="Formats of the domain" note={<a href={domainLink(domain)}>Check the domain</a>}>
        <Loaded of={load}>{(formats) => <Formats formats={formats} person={person} />}</Loaded>
      </Panel>
      {hasFormats && <CompanyPages domain={load.value.domain} onLearned={load.reload} />}
    </>
  )
}

function Formats({ formats, person }: { formats: DomainFormats; person: Person | null }) {
  const example = exampleFor(person)
  if (formats.reason) return <p>{NO_FORMATS_WORDS[formats.reason]}</p>
  return (
    <div class="stack">
      <p class="soft">
        {formats.is_learned ? (
          <>
            Learned from {addresses(formats.sample_count)}, last <Ago at={formats.last_learned_at} />. The addresses
            themselves are not stored. The expected share also counts what is common among companies.
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
              <th>
                {example.first} {example.last}'s address
              </th>
              <th class="num">Known addresses</th>
            </tr>
          </thead>
          <tbody>
            {formats.formats.map(({ format, confidence, samples }) => (
              <tr key={format}>
                <td class="mono">{format}</td>
                <td class="num">{likelihood(confidence)}</td>
                <td class="mono break">
                  <ExampleAddress email={exampleOf(format, formats.domain, example)} />
                </td>
                <td class="num nowrap">{samples === 0 ? <span class="soft">none</span> : count(samples)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </div>
  )
}

function ExampleAddress({ email }: { email: string | null }) {
  return email === null ? <span class="soft">needs a middle name</span> : <Address email={email} />
}
