/** [path, title] of the pages of the fleet. */
const TABS = [
  ["fleet", "Nodes"],
  ["fleet/addresses", "Source addresses"],
  ["fleet/canaries", "Canaries"],
  ["fleet/domains", "Sender domains"],
] as const

/** Links between the pages of the fleet. */
export function FleetTabs({ current }: { current: (typeof TABS)[number][0] }) {
  return (
    <nav class="subpages" aria-label="Fleet">
      {TABS.map(([path, title]) => (
        <a key={path} href={`#/${path}`} aria-current={path === current ? "page" : undefined}>
          {title}
        </a>
      ))}
    </nav>
  )
}
