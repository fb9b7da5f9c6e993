import { useLayoutEffect, useState } from "preact/hooks"
import { isTemporary } from "../../api/call.ts"
import { Field, SubmitButton } from "../../parts/field.tsx"
import { Empty, ProblemNotice, Skeleton } from "../../parts/notice.tsx"
import { Page } from "../../parts/page.tsx"
import { confirmAddress, findLink, go, isFromOutside } from "../../route.ts"
import { DomainFormatsPanel } from "./formats.tsx"
import { Found } from "./found.tsx"
import { splitName } from "./person.ts"
import { useFind, useRepeats } from "./search.ts"

/**
 * Finds the person in the URL. Submitting the form changes the URL.
 * A URL from outside the console only fills the form: another site must not spend the visitor's credits.
 * @param domain shows its formats alone when the name is empty
 */
export function FindPage({ name, domain }: { name: string; domain: string }) {
  const [entered, setEntered] = useState({ name, domain })
  const [repeats, setRepeats] = useRepeats(findLink(name, domain))
  // A layout effect runs before the paint, so that the form and the result never show different people.
  useLayoutEffect(() => setEntered({ name, domain }), [name, domain])
  const person = splitName(name)
  const isRequested = person !== null && domain !== ""
  const isConfirmed = isRequested && !isFromOutside()
  const load = useFind(isConfirmed ? { ...person, domain } : null, repeats)
  const isSearching = isConfirmed && load.state === "loading"
  // The API answers 400 for a domain that is none or a mailbox provider's, and 422 for a name.
  const isDomainRefused = load.state === "failed" && load.problem.status === 400
  const typed = { name: entered.name.trim(), domain: entered.domain.trim() }
  const isSame = typed.name === name && typed.domain === domain
  function retry() {
    confirmAddress()
    setRepeats({ ...repeats, retry: repeats.retry + 1 })
  }
  function find() {
    if (!isSame) return go(findLink(typed.name, typed.domain))
    if (isSearching) return
    if (isFromOutside() || load.state === "failed") return retry()
    setRepeats({ ...repeats, search: repeats.search + 1 })
  }
  return (
    <Page title="Find an address" lead="A person's address at a company, by name and domain.">
      <form
        class="panel"
        onSubmit={(event) => {
          event.preventDefault()
          find()
        }}
      >
        <div class="row top">
          <Field
            label="Name"
            placeholder="Alice Smith"
            hint='First and last name, or "Smith, Alice". Leave it empty to see the formats of the domain only.'
            value={entered.name}
            onValue={(value) => setEntered({ ...entered, name: value })}
          />
          <Field
            label="Domain"
            placeholder="example.com"
            hint="The company's own domain."
            value={entered.domain}
            onValue={(value) => setEntered({ ...entered, domain: value })}
            required
          />
        </div>
        <div class="row">
          <SubmitButton label="Find" busy={isSearching && isSame} busyLabel="Searching" />
          <span class="soft small">A verified or likely address costs 5 credits. Other results are free.</span>
        </div>
      </form>
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
        <Empty title="Not searched yet">
          <p>This name came from a link. Press Find to search, for up to 5 credits.</p>
        </Empty>
      )}
      {name !== "" && !person && (
        <Empty title="One more name is needed">
          <p>Enter a first and a last name. One of them alone does not make an address.</p>
        </Empty>
      )}
      {domain === "" && (
        <Empty title="No search yet">
          <p>You get the likely address, its confidence and the reasons.</p>
        </Empty>
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
