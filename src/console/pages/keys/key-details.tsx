import type { Key } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { Copy } from "../../parts/buttons.tsx"
import { Panel } from "../../parts/page.tsx"
import { Ago } from "../../parts/text.tsx"
import { Tiles } from "../../parts/tiles.tsx"
import { count, moment, percent, plain } from "../../words.ts"
import { shortened, stateOf } from "./key-words.ts"

export function KeyState({ of: key }: { of: Key }) {
  const [words, tone] = stateOf(key)
  return <Badge tone={tone}>{words}</Badge>
}

/** What the key has used of the month, and when it was used last. */
export function KeyTiles({ of: key }: { of: Key }) {
  const { credits_this_month: used, monthly_limit: limit } = key
  const ofMonth =
    limit === null
      ? "no limit on your plan"
      : `${percent(used / Math.max(1, limit))} of the plan’s ${count(limit)}, which all keys share`
  return (
    <Tiles
      tiles={[
        { name: "State", value: <KeyState of={key} />, note: `${plain(key.tier)} plan` },
        { name: "Credits this month", value: count(used), note: ofMonth },
        {
          name: "Verifications this month",
          value: count(key.verifications_this_month),
          note: `${count(key.verifications_total)} in total`,
        },
        {
          name: "Last used",
          value: <Ago at={key.last_used === null ? null : key.last_used * 1_000} />,
          note: `created ${moment(key.created_at * 1_000)}`,
        },
      ]}
    />
  )
}

export function KeyDetails({ of: key }: { of: Key }) {
  return (
    <Panel title="Details">
      <dl class="facts">
        <dt>Secret</dt>
        <dd>{key.last4 ? <code>{shortened(key)}</code> : "not stored"}</dd>
        <dt>Key ID</dt>
        <dd class="row">
          <code class="break">{key.key_id}</code>
          <Copy text={key.key_id} />
        </dd>
        <dt>Requests a minute</dt>
        <dd>{key.rate_per_min === null ? "no limit" : count(key.rate_per_min)}</dd>
      </dl>
    </Panel>
  )
}
