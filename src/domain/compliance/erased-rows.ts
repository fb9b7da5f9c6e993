/** What an erasure changed in one table. */
export interface ErasedRows {
  readonly table: string
  readonly removed: number
  /** Rows that stay, without their personal data. */
  readonly blanked: number
}

/** Counts the changed rows. */
export function rowsIn(tables: readonly ErasedRows[]): number {
  return tables.reduce((sum, { removed, blanked }) => sum + removed + blanked, 0)
}
