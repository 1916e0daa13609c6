/** One page of a list, as far as the way to the next one. */
interface PageOfList {
  total: number
  nextCursor: string | null
}

/** Rows of a list as the service hands them out at most at once. */
export const MOST_ROWS = 500

/**
 * All rows of a list, page by page through its cursors.
 *
 * @param read the page of a place; without a cursor the first
 * @param progress told after each page: rows so far, and how many there are
 * @param most no more rows than these are read
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
