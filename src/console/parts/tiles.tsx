import type { ComponentChildren } from "preact"

export type TileEntry = readonly [name: string, value: ComponentChildren, note?: ComponentChildren]

/** A row of key figures. */
export function Tiles({ tiles }: { tiles: readonly TileEntry[] }) {
  return (
    <dl class="tiles">
      {tiles.map(([name, value, note]) => (
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

/** Facts with their names. Absent ones are left out. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, words: ComponentChildren] | false)[] }) {
  return (
    <dl class="facts">
      {facts
        .filter((fact) => fact !== false)
        .map(([name, words]) => [
          <dt key={name}>{name}</dt>,
          <dd key={`${name}-words`} class="break">
            {words}
          </dd>,
        ])}
    </dl>
  )
}
