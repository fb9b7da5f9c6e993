import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { LearnedSite } from "../../api/shapes.ts"
import { ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { Address } from "../../parts/text.tsx"
import { verifyLink } from "../../route.ts"

const OUTCOMES: Readonly<Record<LearnedSite["outcome"], string>> = {
  read: "The pages show no address of this domain.",
  disallowed: "The site's robots.txt does not allow reading it.",
  no_site: "The domain has no website.",
  unreachable: "The website did not respond.",
  blocked: "The website leads to a private network or to another company.",
}

/** The addresses on the company's own public pages, such as info@ and support@. They also teach its formats. */
export function CompanyPages({ domain, onLearned }: { domain: string; onLearned: () => void }) {
  const [site, setSite] = useState<LearnedSite | null>(null)
  const { busy, problem, run } = useAction(async () => {
    const answer = await call<LearnedSite>("/domain-formats/scrape", { method: "POST", json: { domain } })
    if (!answer.ok) return answer.problem
    setSite(answer.body)
    onLearned()
    return null
  })
  return (
    <Panel title="Addresses on the company's pages" note="such as info@ and support@; they also show the format">
      <div class="row">
        <button type="button" class="button" aria-disabled={busy} onClick={() => void run()}>
          {busy ? "Reading the pages" : "Read the pages"}
        </button>
        <span class="soft small">Costs 1 credit if pages are read. A site is read at most once a week.</span>
      </div>
      <ProblemNotice problem={problem} />
      {site && (
        <div role="status">
          <Addresses site={site} />
        </div>
      )}
    </Panel>
  )
}

function Addresses({ site }: { site: LearnedSite }) {
  if (site.emails.length === 0) return <p>{OUTCOMES[site.outcome]}</p>
  return (
    <Scroll label="Addresses on the company's pages">
      <table class="table">
        <thead>
          <tr>
            <th>Address</th>
            <th>Name</th>
            <th>
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {site.emails.map(({ email, name }) => (
            <tr key={email}>
              <td class="mono break">
                <Address email={email} />
              </td>
              <td>{name ?? <span class="soft">not stated</span>}</td>
              <td>
                <div class="actions">
                  <a href={verifyLink(email)} aria-label={`Verify ${email}`}>
                    Verify
                  </a>
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
