import { useGet } from "../../api/load.ts"
import type { CachedVerdict, Candidate, FoundEmail } from "../../api/shapes.ts"
import { Copy } from "../../parts/buttons.tsx"
import { CheckRows } from "../../parts/check-rows.tsx"
import { DataTable } from "../../parts/data-table.tsx"
import { Ring } from "../../parts/figures.tsx"
import { Notice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import type { CheckRow } from "../../parts/rating.ts"
import { Address, StatusBadge, VerifyLink } from "../../parts/text.tsx"
import { verifyLink } from "../../route.ts"
import { addresses, ago, count, counted, milliseconds, percent } from "../../words.ts"
import type { Person } from "./person.ts"
import { confidenceWords, creditsUsed, likelihood, NO_FORMATS_WORDS, outcomeWords, statusOf } from "./words.ts"

/** The result of a search: the best address with its reasons, and the other candidates. */
export function Found({ found, person }: { found: FoundEmail; person: Person }) {
  const [best, ...others] = found.candidates
  const rejected = found.candidates.filter(({ basis }) => basis.exists === false)
  if (found.best_email === null || !best)
    return (
      <div class="stack wide">
        <Notice tone="accept_all" title="No address found">
          <p>{found.reason ? NO_FORMATS_WORDS[found.reason] : outcomeWords(found)}</p>
          <p class="soft small">
            {searchedAs(person)} {creditsUsed(found.credits_used)}
          </p>
        </Notice>
        {rejected.length > 0 && (
          <Candidates title="Rejected addresses" candidates={rejected} isCatchAll={found.is_catch_all} />
        )}
      </div>
    )
  const confidence = (best.confidence * 100).toFixed(0)
  const status = statusOf(best, found.is_catch_all)
  return (
    <div class="stack wide">
      <section class={`panel verdict tone-${status}`}>
        <div class="stack">
          <div class="row">
            <StatusBadge status={status} />
            <span class="mono break">{best.email}</span>
          </div>
          <h2 class="verdict-words">{confidenceWords(best.confidence, person)}</h2>
          <p>{outcomeWords(found)}</p>
          <CanSend email={best.email} />
          <div class="row">
            <Copy text={best.email} label="Copy address" />
            <a class="button quiet" href={verifyLink(best.email)}>
              Verify
            </a>
          </div>
          <p class="soft small">
            {searchedAs(person)} {creditsUsed(found.credits_used)} Took {milliseconds(found.find_time_ms)}.
          </p>
        </div>
        <Ring
          share={best.confidence}
          value={confidence}
          unit="percent"
          caption="Confidence"
          label={`Confidence ${confidence}%`}
        />
      </section>
      <BasisPanel found={found} best={best} />
      {others.length > 0 && <Candidates title="Other candidates" candidates={others} isCatchAll={found.is_catch_all} />}
    </div>
  )
}

const searchedAs = ({ first, last }: Person): string => `First name ${first}, last name ${last}.`

/** What the confidence of the best address depends on. */
function BasisPanel({ found, best }: { found: FoundEmail; best: Candidate }) {
  return (
    <Panel title="Why this confidence">
      <div class="long-words">
        <CheckRows rows={rowsOf(found, best)} />
      </div>
    </Panel>
  )
}

function rowsOf(
  { samples, is_catch_all: isCatchAll }: FoundEmail,
  { basis, format_type: format }: Candidate,
): CheckRow[] {
  const share = percent(basis.format_share, basis.format_share < 0.01 ? 1 : 0)
  // A search can teach a format, so that the table below already counts the address that was found.
  const source =
    samples > 0
      ? `learned from ${addresses(samples)} before this search`
      : "common among companies; no address was known before this search"
  return [
    mailbox(basis),
    ["Accept-all", isCatchAll === null ? "unknown" : isCatchAll ? "yes" : "no", isCatchAll ? "warn" : "plain"],
    ["Format", `${format}: ${share} of the domain's addresses (${source})`, samples > 0 ? "good" : "plain"],
    ["Company size", `about ${count(basis.company_size)} people (estimate)`, "plain"],
    namesakes(basis),
    ...gravatar(basis),
  ]
}

type Basis = Candidate["basis"]

function mailbox({ exists }: Basis): CheckRow {
  if (exists === null) return ["Mailbox", "could not be confirmed", "plain"]
  return exists ? ["Mailbox", "exists", "good"] : ["Mailbox", "does not exist", "bad"]
}

/** Colleagues whose names give the same address. */
function namesakes({ expected_namesakes: expected }: Basis): CheckRow {
  if (expected < 0.05) return ["Namesakes", "hardly any colleague would have this address", "good"]
  if (expected < 0.5) return ["Namesakes", "a colleague may have the same address by name", "plain"]
  return ["Namesakes", `about ${counted(Math.round(expected), "colleague")} would have this address`, "warn"]
}

function gravatar({ has_gravatar: hasGravatar }: Basis): CheckRow[] {
  if (hasGravatar === null) return []
  return [hasGravatar ? ["Gravatar", "yes", "good"] : ["Gravatar", "none", "plain"]]
}

/** Whether mail may be sent to a found address, by a cached verification. A search alone does not decide it. */
function CanSend({ email }: { email: string }) {
  const load = useGet<CachedVerdict>(`/validate/fast?email=${encodeURIComponent(email)}`)
  if (load.state === "loading") return null
  if (load.state === "failed") return <p class="soft">Can send: verify it to know, for 1 credit.</p>
  const { can_send: canSend, verified_at: at } = load.value.checks
  return (
    <p>
      Can send: <b>{canSend ? "yes" : "no"}</b> <span class="soft">(verified {ago(at)})</span>
    </p>
  )
}

const SHOWN = 5

interface CandidatesProps {
  readonly title: string
  readonly candidates: readonly Candidate[]
  readonly isCatchAll: FoundEmail["is_catch_all"]
}

/** The candidates: first those that the mail server answered about, each part with the most likely first. */
function Candidates({ title, candidates: given, isCatchAll }: CandidatesProps) {
  return (
    <Panel title={title}>
      <DataTable
        label={title}
        first={SHOWN}
        rows={given.toSorted((a, b) => Number(isUnprobed(a)) - Number(isUnprobed(b)))}
        rowKey={({ email }) => email}
        columns={[
          { title: "Address", class: "mono break", cell: ({ email }) => <Address email={email} /> },
          {
            title: "Confidence",
            class: "num nowrap",
            cell: ({ basis, confidence }) => (basis.exists === false ? "0%" : likelihood(confidence)),
          },
          {
            title: "Mailbox",
            cell: (candidate) =>
              isUnprobed(candidate) ? (
                <span class="soft nowrap">not probed</span>
              ) : (
                <StatusBadge status={statusOf(candidate, isCatchAll)} />
              ),
          },
          { title: "Format", class: "mono soft", cell: ({ format_type }) => format_type },
          { title: "", cell: ({ email, basis }) => basis.exists !== false && <VerifyLink email={email} /> },
        ]}
      />
    </Panel>
  )
}

/** Whether neither the mail server nor a stored result says anything about the mailbox. */
const isUnprobed = ({ smtp_status: status, basis }: Candidate): boolean => status === "skipped" && basis.exists === null
