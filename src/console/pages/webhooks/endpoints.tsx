import { useState } from "preact/hooks"
import type { Load } from "../../api/load.ts"
import type { AccountEndpoints } from "../../api/shapes.ts"
import { Empty } from "../../parts/notice.tsx"
import { Loaded, Panel } from "../../parts/page.tsx"
import { EndpointForm } from "./endpoint-form.tsx"
import { EndpointItem } from "./endpoint-item.tsx"

interface EndpointsProps {
  readonly of: Load<AccountEndpoints>
  readonly onDeliveries: (endpointId: string) => void
  /** Called after a change of a webhook, and after a test. */
  readonly onChange: () => void
}

/** The account's webhooks, and the form that adds one. */
export function Endpoints({ of: load, onDeliveries, onChange }: EndpointsProps) {
  const [isAdding, setAdding] = useState(false)
  function changed() {
    load.reload()
    onChange()
  }
  return (
    <Panel title="Your webhooks">
      <Loaded of={load}>
        {({ endpoints, max_endpoints }) => (
          <>
            {endpoints.length === 0 ? (
              <Empty title="No webhooks yet">
                <p>
                  Add the URL of your server once. It gets the events that you choose, for every list and every key.
                </p>
                <AddButton onAdd={() => setAdding(true)} />
              </Empty>
            ) : (
              <>
                <ul class="endpoints">
                  {endpoints.map((endpoint) => (
                    <EndpointItem
                      key={endpoint.endpoint_id}
                      of={endpoint}
                      onChange={changed}
                      onDeliveries={() => onDeliveries(endpoint.endpoint_id)}
                    />
                  ))}
                </ul>
                {endpoints.length < max_endpoints ? (
                  <div>
                    <AddButton onAdd={() => setAdding(true)} />
                  </div>
                ) : (
                  <p class="soft small">An account has at most {max_endpoints} webhooks. Remove one to add another.</p>
                )}
              </>
            )}
          </>
        )}
      </Loaded>
      {isAdding && <EndpointForm endpoint={null} onSaved={load.reload} onClose={() => setAdding(false)} />}
    </Panel>
  )
}

function AddButton({ onAdd }: { onAdd: () => void }) {
  return (
    <button type="button" class="button primary" onClick={onAdd}>
      Add webhook
    </button>
  )
}
