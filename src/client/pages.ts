/** The place of a page. The first page has no cursor. */
export interface Place {
  readonly cursor?: string
}

/** Yields pages until the last one. */
export async function* pages<Page extends { readonly next_cursor?: string | null }>(
  read: (place: Place) => Promise<Page>,
): AsyncGenerator<Page, void> {
  let cursor: string | null = null
  do {
    const page: Page = await read(cursor === null ? {} : { cursor })
    yield page
    cursor = page.next_cursor ?? null
  } while (cursor !== null)
}
