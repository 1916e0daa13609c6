import assert from 'node:assert/strict'
import { z } from 'zod'
import { presentAs } from '#api/http/presentation.ts'
import { decimal, type Decimal } from '#domain/money/decimal.ts'

const answer = z.strictObject({
  at: z.iso.datetime(),
  note: z.string().nullable(),
  price: z.number().nullable(),
  digits: z.string(),
  size: z.number().exactOptional(),
  total: z.number(),
})

describe('a record as its answer shows it', () => {
  interface Row {
    at: Date
    note?: string | null
    price: Decimal | null
    digits: string
    secret: string
  }
  const row: Row = { at: new Date(0), price: decimal('1.50'), digits: '12', secret: 'kept' }

  it('a record is shown in the order of the contract, a decimal as a number, text of digits as text, and nothing else', () => {
    const shown = presentAs(answer, row, { total: 3 })
    assert.equal(
      JSON.stringify(shown),
      '{"at":"1970-01-01T00:00:00.000Z","note":null,"price":1.5,"digits":"12","total":3}',
    )
    assert.deepEqual(answer.parse(shown), shown)
  })

  it('a record that lacks a price shows null, and what is derived takes the place of a column', () => {
    const free: Row = { ...row, price: null }
    const shown = presentAs(answer, free, { total: 3, size: 2 })
    assert.deepEqual([shown.price, shown.size], [null, 2])
  })
})
