import type { Status } from "../../../../schema/vocabulary.ts"
import { useGet } from "../../api/call.ts"
import type { CachedVerdict, Candidate, FoundEmail, NoFormatsReason } from "../../api/shapes.ts"
import { Copy, Link } from "../../parts/buttons.tsx"
import { type CheckRow, CheckRows } from "../../parts/check-rows.tsx"
import { TablePanel } from "../../parts/data-table.tsx"
import { Panel } from "../../parts/page.tsx"
import { Address, Notice, Ring, StatusBadge, VerifyLink } from "../../parts/text.tsx"
import { verifyLink } from "../../route.ts"
import { addresses, ago, count, counted, milliseconds, percent } from "../../words.ts"
import type { Person } from "./person.ts"

/** The result of a search: the best address with its reasons, and the other candidates. */
export function Found({ found, person }: { found: FoundEmail; person: Person }) {
  const [best, ...others] = found.candidates
  const rejected = found.candidates.filter(({ basis }) => basis.exists === false)
  if (found.best_email === null || !best)
    return (
      <div class="stack wide">
        <Notice tone="accept_all" title="No address found">
          <p>{found.reason ? NO_FORMATS_WORDS[found.reason] : outcomeWords(found)}</p>
          <p class="soft small">{`${searchedAs(person)} ${creditsUsed(found.credits_used)}`}</p>
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
            <Link label="Verify" to={verifyLink(best.email)} class="button quiet" />
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

const BasisPanel = ({ found, best }: { found: FoundEmail; best: Candidate }) => (
  <Panel title="Why this confidence">
    <div class="long-words">
      <CheckRows rows={rowsOf(found, best)} />
    </div>
  </Panel>
)

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
const Candidates = ({ title, candidates: given, isCatchAll }: CandidatesProps) => (
  <TablePanel
    title={title}
    first={SHOWN}
    rows={given.toSorted((a, b) => Number(isUnprobed(a)) - Number(isUnprobed(b)))}
    rowKey={({ email }) => email}
    columns={[
      ["Address", ({ email }) => <Address email={email} />, "mono break"],
      ["Confidence", ({ basis, confidence }) => (basis.exists === false ? "0%" : likelihood(confidence)), "num nowrap"],
      [
        "Mailbox",
        (candidate) =>
          isUnprobed(candidate) ? (
            <span class="soft nowrap">not probed</span>
          ) : (
            <StatusBadge status={statusOf(candidate, isCatchAll)} />
          ),
      ],
      ["Format", ({ format_type }) => format_type, "mono soft"],
      ["", ({ email, basis }) => basis.exists !== false && <VerifyLink email={email} />],
    ]}
  />
)

/** Whether neither the mail server nor a stored result says anything about the mailbox. */
const isUnprobed = ({ smtp_status: status, basis }: Candidate): boolean => status === "skipped" && basis.exists === null

/** The confidence that an address is the person's own, in words. @param confidence 0 to 1 */
export function confidenceWords(confidence: number, { first, last }: Person): string {
  const whose = `${first} ${last}'s address`
  if (confidence >= 0.9) return `Almost certainly ${whose}`
  if (confidence >= 0.7) return `Very likely ${whose}`
  if (confidence >= 0.5) return `Likely ${whose}`
  if (confidence >= 0.2) return `Possibly ${whose}`
  return `A guess: probably not ${whose}`
}

export function outcomeWords({ outcome, candidates, is_catch_all: isCatchAll }: FoundEmail): string {
  switch (outcome) {
    case "verified":
      return "The mail server confirmed the mailbox, and rejects unknown ones."
    case "likely":
      return "The mailbox cannot be confirmed, but other addresses of the domain have this format."
    case "guess":
      if (candidates[0]?.verified) return "The mailbox exists, but it may be another person's."
      return isCatchAll
        ? "The domain accepts every address, so the mailbox cannot be confirmed."
        : "The mailbox could not be confirmed, and no known address of the domain has this format."
    case "not_found":
      return "The mail server rejects the most likely addresses of this name."
    case "no_mail":
      return "The domain accepts no mail."
  }
}

export const NO_FORMATS_WORDS: Readonly<Record<NoFormatsReason, string>> = {
  free_provider: "This is a free mailbox provider. Its addresses do not belong to one company.",
  disposable: "This domain gives out disposable addresses. They do not belong to one company.",
  relay: "This domain forwards mail for people of many companies.",
  no_such_domain: "The domain does not exist. Check its spelling.",
  null_mx: "The domain declares that it accepts no mail.",
  no_mail_host: "The domain has no mail host.",
}

export function statusOf(candidate: Candidate, isCatchAll: boolean | null): Status {
  if (candidate.verified) return "valid"
  if (candidate.basis.exists === false) return "invalid"
  return isCatchAll ? "accept_all" : "unknown"
}

export const creditsUsed = (credits: number): string =>
  credits === 0 ? "No credit used." : credits === 1 ? "1 credit used." : `${credits} credits used.`

/** A probability as a percentage. The API rounds a small one to 0, but none is impossible. */
export const likelihood = (share: number): string => percent(Math.max(share, Number.EPSILON))
