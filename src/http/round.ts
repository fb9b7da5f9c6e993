/** Rounds to a number of decimal places; null stays null. */
export function round(value: number, digits?: number): number
export function round(value: number | null, digits?: number): number | null
export function round(value: number | null, digits = 3): number | null {
  return value === null ? null : Math.round(value * 10 ** digits) / 10 ** digits
}
