/** "1 row", "2,000 rows", "0 rows". @param plural by default the noun with an s */
export function counted(amount: number, noun: string, plural = `${noun}s`): string {
  return `${amount.toLocaleString("en")} ${amount === 1 ? noun : plural}`
}
