/** A moment as the interface writes it (RFC 3339); null where there is none. @param at Unix milliseconds */
export function iso(at: number): string
export function iso(at: number | null | undefined): string | null
export function iso(at: number | null | undefined): string | null {
  return at == null ? null : new Date(at).toISOString()
}
