import type { Price } from "../../api/shapes.ts"

/** "€9.00 a month", "€5.00". */
export function priceInWords({ unit_amount, currency, interval }: Price): string {
  const format = new Intl.NumberFormat(undefined, { style: "currency", currency: currency.toUpperCase() })
  // The number of decimals of the currency: 2 for euro, 0 for yen.
  const { maximumFractionDigits: decimals = 2 } = format.resolvedOptions()
  const amount = format.format(unit_amount / 10 ** decimals)
  return interval === null ? amount : `${amount} a ${interval}`
}
