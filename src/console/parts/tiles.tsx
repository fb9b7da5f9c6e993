import type { ComponentChildren } from "preact"

export interface TileEntry {
  readonly name: string
  readonly value: ComponentChildren
  readonly note?: ComponentChildren
}

/** A row of key figures. */
export function Tiles({ tiles }: { tiles: readonly TileEntry[] }) {
  return (
    <dl class="tiles">
      {tiles.map(({ name, value, note }) => (
        <div class="tile" key={name}>
          <dt>{name}</dt>
          <dd>
            {value}
            {note && <small>{note}</small>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
