interface PageOfList {
  total: number
  nextCursor: string | null
}

export const MOST_ROWS = 500

/**
 * All rows of a list, page by page through its cursors.
 *
 * @param read the page at a cursor; the first one without it
 * @param progress called after each page
 * @param most rows after which reading stops
 */
export async function everyPage<Row, Page extends PageOfList>(
  read: (place: { limit: number; cursor?: string }) => Promise<Page>,
  rowsOf: (page: Page) => readonly Row[],
  {
    progress,
    most = Number.POSITIVE_INFINITY,
  }: { progress?: (rows: number, total: number) => void; most?: number } = {},
): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | undefined
  for (;;) {
    const page = await read({ limit: MOST_ROWS, ...(cursor !== undefined && { cursor }) })
    rows.push(...rowsOf(page))
    progress?.(rows.length, page.total)
    if (page.nextCursor === null || rows.length >= most) return rows
    cursor = page.nextCursor
  }
}
