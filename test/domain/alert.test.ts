import assert from 'node:assert/strict'
import { setBackNotice } from '#domain/alert.ts'

describe('the alert that a store was set back', () => {
  it('names what is left for a person before what the service has mended, however much that is', () => {
    const mended = Array.from({ length: 30 }, (_, index) => ({
      message: `workflow ${index}`,
      isMended: true,
      advice: null,
    }))
    const left = { message: 'order unknown', isMended: false, advice: 'close it' }
    const { message } = setBackNotice({
      found: 'ledger',
      markedAt: '2026-11-22T10:00:00.000Z',
      differences: [...mended, left],
      failures: [],
    })
    assert.match(
      message,
      /31 differences, 30 mended\. left: order unknown \(close it\)\. mended: workflow 0\./,
    )
    assert.match(message, /11 more$/)
  })
})
