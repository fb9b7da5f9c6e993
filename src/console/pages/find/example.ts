const NAMES: Readonly<Record<string, string>> = { first: "jane", f: "j", last: "doe", l: "d", middle: "ann", m: "a" }

/** Jane (Ann) Doe's address in a format such as `{first}.{last}` or `{f}{last7}`. A number limits the length. */
export function exampleOf(format: string, domain: string): string {
  const local = format.replace(/\{([a-z]+)(\d?)\}/g, (whole, field: string, length: string) => {
    const name = NAMES[field]
    return name === undefined ? whole : length === "" ? name : name.slice(0, Number(length))
  })
  return `${local}@${domain}`
}
