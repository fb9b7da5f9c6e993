import { useState } from "preact/hooks"
import { change } from "../../api/call.ts"
import { useGet } from "../../api/load.ts"
import type { DomainFormats, LearnedSite } from "../../api/shapes.ts"
import { ActionButton } from "../../parts/buttons.tsx"
import { DataTable } from "../../parts/data-table.tsx"
import { Loaded, Panel } from "../../parts/page.tsx"
import { Address, Ago, VerifyLink } from "../../parts/text.tsx"
import { domainLink } from "../../route.ts"
import { addresses, count } from "../../words.ts"
import { exampleFor, exampleOf, type Person } from "./person.ts"
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
  const path = `/domain-formats/${encodeURIComponent(domain)}`
  const load = useGet<DomainFormats>(path, { version, keepPrevious: true })
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
      <DataTable
        label="Formats of the domain"
        rows={formats.formats}
        rowKey={({ format }) => format}
        columns={[
          { title: "Format", class: "mono", cell: ({ format }) => format },
          { title: "Expected share", class: "num", cell: ({ confidence }) => likelihood(confidence) },
          {
            title: `${example.first} ${example.last}'s address`,
            class: "mono break",
            cell: ({ format }) => <ExampleAddress email={exampleOf(format, formats.domain, example)} />,
          },
          {
            title: "Known addresses",
            class: "num nowrap",
            cell: ({ samples }) => (samples === 0 ? <span class="soft">none</span> : count(samples)),
          },
        ]}
      />
    </div>
  )
}

function ExampleAddress({ email }: { email: string | null }) {
  return email === null ? <span class="soft">needs a middle name</span> : <Address email={email} />
}

const OUTCOMES: Readonly<Record<LearnedSite["outcome"], string>> = {
  read: "The pages show no address of this domain.",
  disallowed: "The site's robots.txt does not allow reading it.",
  no_site: "The domain has no website.",
  unreachable: "The website did not respond.",
  blocked: "The website leads to a private network or to another company.",
}

/** The addresses on the company's own public pages, such as info@ and support@. They also teach its formats. */
function CompanyPages({ domain, onLearned }: { domain: string; onLearned: () => void }) {
  const [site, setSite] = useState<LearnedSite | null>(null)
  const read = () =>
    change<LearnedSite>("/domain-formats/scrape", { method: "POST", json: { domain } }, (found) => {
      setSite(found)
      onLearned()
    })
  return (
    <Panel title="Addresses on the company's pages" note="such as info@ and support@; they also show the format">
      <div class="row">
        <ActionButton label="Read the pages" busyLabel="Reading the pages" onAct={read} />
        <span class="soft small">Costs 1 credit if pages are read. A site is read at most once a week.</span>
      </div>
      {site && (
        <div role="status">
          <DataTable
            label="Addresses on the company's pages"
            rows={site.emails}
            rowKey={({ email }) => email}
            columns={[
              { title: "Address", class: "mono break", cell: ({ email }) => <Address email={email} /> },
              { title: "Name", cell: ({ name }) => name ?? <span class="soft">not stated</span> },
              { title: "", cell: ({ email }) => <VerifyLink email={email} /> },
            ]}
            empty={<p>{OUTCOMES[site.outcome]}</p>}
          />
        </div>
      )}
    </Panel>
  )
}
