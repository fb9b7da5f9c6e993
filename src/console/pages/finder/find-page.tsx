import { useState } from "preact/hooks"
import { call, change, isTemporary, type Load, useGet, useLoad } from "../../api/call.ts"
import type { DomainFormats, FoundEmail, LearnedSite } from "../../api/shapes.ts"
import { ActionButton } from "../../parts/buttons.tsx"
import { DataTable } from "../../parts/data-table.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { LoadedPanel, Page, Panel } from "../../parts/page.tsx"
import { Address, Ago, Empty, ProblemNotice, Skeleton, VerifyLink } from "../../parts/text.tsx"
import { confirmAddress, domainLink, findLink, go, isFromOutside } from "../../route.ts"
import { addresses, count } from "../../words.ts"
import { Found, likelihood, NO_FORMATS_WORDS } from "./found.tsx"
import { exampleFor, exampleOf, type Person, splitName } from "./person.ts"

/**
 * Finds the person in the URL. Submitting the form changes the URL.
 * A URL from outside the console only fills the form: another site must not spend the visitor's credits.
 * @param domain shows its formats alone when the name is empty
 */
export function FindPage({ name, domain }: { name: string; domain: string }) {
  const [repeats, setRepeats] = useRepeats(findLink(name, domain))
  const person = splitName(name)
  const isRequested = person !== null && domain !== ""
  const isConfirmed = isRequested && !isFromOutside()
  const load = useFind(isConfirmed ? { ...person, domain } : null, repeats)
  const isSearching = isConfirmed && load.state === "loading"
  // The API answers 400 for a domain that is none or a mailbox provider's, and 422 for a name.
  const isDomainRefused = load.state === "failed" && load.problem.status === 400
  function retry() {
    confirmAddress()
    setRepeats({ ...repeats, retry: repeats.retry + 1 })
  }
  const form = useForm(
    {
      name: {
        label: "Name",
        placeholder: "Alice Smith",
        hint: 'First and last name, or "Smith, Alice". Leave it empty to see the formats of the domain only.',
        initial: name,
      },
      domain: {
        label: "Domain",
        placeholder: "example.com",
        hint: "The company's own domain.",
        initial: domain,
        required: true,
      },
    },
    (entered) => {
      if (entered.name !== name || entered.domain !== domain) go(findLink(entered.name, entered.domain))
      else if (isSearching) return null
      else if (isFromOutside() || load.state === "failed") retry()
      else setRepeats({ ...repeats, search: repeats.search + 1 })
      return null
    },
  )
  const typed = { name: form.values.name.trim(), domain: form.values.domain.trim() }
  return (
    <Page title="Find an address" lead="A person's address at a company, by name and domain.">
      <section class="panel">
        <Form
          of={form}
          submit="Find"
          busyLabel="Searching"
          layout="top"
          isBusy={isSearching && typed.name === name && typed.domain === domain}
          beside={<span class="soft small">A verified or likely address costs 5 credits. Other results are free.</span>}
        />
      </section>
      {isSearching && (
        <section class="panel" aria-busy="true">
          <p class="soft">
            Probing the likely addresses at <span class="break">{domain}</span>
          </p>
          <Skeleton lines={5} label="Searching" />
        </section>
      )}
      {load.state === "failed" && (
        <ProblemNotice problem={load.problem} retry={isTemporary(load.problem) ? retry : undefined} />
      )}
      <div aria-live="polite">
        {person && load.state === "ready" && load.value && <Found found={load.value} person={person} />}
      </div>
      {isRequested && !isConfirmed && (
        <Empty title="Not searched yet" text="This name came from a link. Press Find to search, for up to 5 credits." />
      )}
      {name !== "" && !person && (
        <Empty
          title="One more name is needed"
          text="Enter a first and a last name. One of them alone does not make an address."
        />
      )}
      {domain === "" && (
        <Empty title="No search yet" text="You get the likely address, its confidence and the reasons." />
      )}
      {domain !== "" && !isDomainRefused && (
        <DomainFormatsPanel
          key={domain}
          domain={domain}
          person={person}
          version={load.state === "ready" ? repeats.search : -1}
        />
      )}
    </Page>
  )
}

const LONGEST_KEY = 255

/** What repeats the same search. */
interface Repeats {
  /** Number of the search. A new one probes the mail server again, and can cost credits again. */
  readonly search: number
  /** Retries after a failure. They are charged once. */
  readonly retry: number
}

const NONE: Repeats = { search: 0, retry: 0 }

/** The repeats of what the URL requests. The count starts again for another person. */
function useRepeats(requested: string): readonly [Repeats, (repeats: Repeats) => void] {
  const [state, setState] = useState({ requested, repeats: NONE })
  const repeats = state.requested === requested ? state.repeats : NONE
  return [repeats, (next) => setState({ requested, repeats: next })]
}

const LABELS = { first_name: "Name", last_name: "Name" }

/** Searches for a person. A reload and Back get the first answer of the day again, without a charge. */
const useFind = (search: (Person & { domain: string }) | null, repeats: Repeats): Load<FoundEmail | null> =>
  useLoad<FoundEmail | null>(JSON.stringify([repeats, search]), async (signal) => {
    if (!search) return { ok: true, body: null }
    const json = { first_name: search.first, last_name: search.last, domain: search.domain }
    const key = `console-find ${new Date().toISOString().slice(0, 10)} ${repeats.search} ${Object.values(json).join(" ")}`
    const idempotencyKey = encodeURIComponent(key)
    // A longer name is searched without a key: it is charged again after a reload.
    const once = idempotencyKey.length <= LONGEST_KEY ? { idempotencyKey } : {}
    return call<FoundEmail>("/find-email", { method: "POST", json, labels: LABELS, signal, ...once })
  })

interface DomainFormatsProps {
  readonly domain: string
  /** The person searched for, whose address is the example of each format. */
  readonly person: Person | null
  /** A new number fetches the formats again, because a search can teach one. */
  readonly version: number
}

export function DomainFormatsPanel({ domain, person, version }: DomainFormatsProps) {
  const path = `/domain-formats/${encodeURIComponent(domain)}`
  const load = useGet<DomainFormats>(path, { version, keepPrevious: true })
  const hasFormats = load.state === "ready" && load.value.reason === null
  return (
    <>
      <LoadedPanel title="Formats of the domain" note={<a href={domainLink(domain)}>Check the domain</a>} of={load}>
        {(formats) => <Formats formats={formats} person={person} />}
      </LoadedPanel>
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
          ["Format", ({ format }) => format, "mono"],
          ["Expected share", ({ confidence }) => likelihood(confidence), "num"],
          [
            `${example.first} ${example.last}'s address`,
            ({ format }) => <ExampleAddress email={exampleOf(format, formats.domain, example)} />,
            "mono break",
          ],
          [
            "Known addresses",
            ({ samples }) => (samples === 0 ? <span class="soft">none</span> : count(samples)),
            "num nowrap",
          ],
        ]}
      />
    </div>
  )
}

const ExampleAddress = ({ email }: { email: string | null }) =>
  email === null ? <span class="soft">needs a middle name</span> : <Address email={email} />

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
              ["Address", ({ email }) => <Address email={email} />, "mono break"],
              ["Name", ({ name }) => name ?? <span class="soft">not stated</span>],
              ["", ({ email }) => <VerifyLink email={email} />],
            ]}
            empty={<p>{OUTCOMES[site.outcome]}</p>}
          />
        </div>
      )}
    </Panel>
  )
}
