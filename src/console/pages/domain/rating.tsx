import type { Status } from "../../../../schema/vocabulary.ts"
import type { DomainRating } from "../../api/shapes.ts"
import { Copy } from "../../parts/buttons.tsx"
import { Score } from "../../parts/ring.tsx"
import { Ago } from "../../parts/text.tsx"
import { domainLink, findLink } from "../../route.ts"
import { counted } from "../../words.ts"
import type { Advice, DomainState } from "./advice.ts"

type Grade = NonNullable<DomainState["rating"]["grade"]>

const GRADES: Readonly<Record<Grade, readonly [Status, string]>> = {
  A: ["valid", "Well set up for mail"],
  B: ["valid", "Set up for mail, with gaps"],
  C: ["accept_all", "Partly set up for mail"],
  D: ["accept_all", "Poorly set up for mail"],
  F: ["invalid", "Not ready for mail"],
}

/** Headlines of domains whose mail route decides everything. */
const BY_ROUTE: Readonly<Record<string, readonly [Status, string]>> = {
  null_mx: ["unknown", "The domain declares that it accepts no mail"],
  no_such_domain: ["invalid", "The domain does not exist"],
  no_mail_host: ["invalid", "The domain has no mail host"],
}

/** The grade of a domain in words, with a link to share. */
export function Rating({ state, advice }: { state: DomainState; advice: readonly Advice[] }) {
  const { domain, grade, deliverability_score: score } = state.rating
  const { dns } = state.intel
  const byRoute = BY_ROUTE[dns.route]
  const [tone, words] = byRoute ??
    (grade === null ? null : GRADES[grade]) ?? ["unknown", "DNS gave no answer, so there is no grade"]
  return (
    <section class={`panel verdict tone-${tone}`}>
      <div class="stack">
        <p class="mono break">{domain}</p>
        <h2 class="verdict-words">{words}</h2>
        <p>{summaryOf(advice)}</p>
        {!byRoute && <LostPoints rating={state.rating} />}
        <p class="soft small">
          DNS checked <Ago at={dns.checked_at} />. Changes of MX and SPF show here within an hour, other changes within
          a day. No credit used.
        </p>
        <div class="row">
          <Copy text={new URL(domainLink(domain), location.href).href} label="Copy link" />
          {dns.mx_valid && (
            <a class="button quiet" href={findLink("", domain)}>
              Address formats
            </a>
          )}
        </div>
      </div>
      {!byRoute && score !== null && grade !== null && <Score score={score} grade={grade} />}
    </section>
  )
}

/** The signals that give no points, although the score is below 100. */
function LostPoints({ rating: { deliverability_score: score, reasons } }: { rating: DomainRating }) {
  const without = reasons.filter(({ points, code }) => points <= 0 && code !== "limit")
  if (score === null || score === 100 || without.length === 0) return null
  return (
    <div class="soft">
      <p>No points for:</p>
      <ul class="bullets">
        {without.map(({ code, message }) => (
          <li key={code}>{message}</li>
        ))}
      </ul>
    </div>
  )
}

function summaryOf(advice: readonly Advice[]): string {
  const amount = (level: Advice["level"]) => advice.filter((one) => one.level === level).length
  const [fixes, improvements] = [amount("fix"), amount("improve")]
  const parts = [
    fixes > 0 && `${counted(fixes, "thing")} to fix`,
    improvements > 0 && `${counted(improvements, "thing")} to improve`,
  ].filter(Boolean)
  return parts.length === 0 ? "Nothing to fix." : `${parts.join(", ")}.`
}
