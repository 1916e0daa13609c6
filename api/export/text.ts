import { stringify } from 'csv-stringify/sync'
import type { z } from 'zod'
import { EXPORTS, type Exported } from '#contract/export.ts'
import { ORDER_TYPES_OUT } from '#contract/order/shapes.ts'
import type { ExportRow } from '#db/export/rows.ts'
import { presentAs } from '../http/presentation.ts'

export const MEDIA_TYPES = { csv: 'text/csv', jsonl: 'application/jsonl' } as const

/** Cells that are stored in other words. */
const DERIVED: Partial<Record<Exported, (row: ExportRow) => object>> = {
  orders: ({ orderType }) => ({ orderType: ORDER_TYPES_OUT[orderType as keyof typeof ORDER_TYPES_OUT] }),
}

/** A text for each page; the first one begins with the names of the columns. */
export async function* textOf(
  records: Exported,
  format: keyof typeof MEDIA_TYPES,
  pages: AsyncIterable<readonly ExportRow[]>,
): AsyncGenerator<string> {
  const schema: z.ZodObject = EXPORTS[records]
  const columns = Object.keys(schema.shape)
  let header = true
  for await (const page of pages) {
    const rows = page.map((row) => presentAs(schema, row, DERIVED[records]?.(row) ?? {}))
    yield format === 'csv' ? csvOf(rows, columns, header) : linesOf(rows)
    header = false
  }
}

const csvOf = (rows: object[], columns: string[], header: boolean): string =>
  stringify(rows, {
    columns,
    header,
    record_delimiter: 'windows',
    quote_record_delimiter: true,
    // Numbers remain numbers, also below 0.
    escape_formulas: true,
    cast: { boolean: String },
  })

const linesOf = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
