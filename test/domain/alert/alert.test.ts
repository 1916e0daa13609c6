import assert from 'node:assert/strict'
import { unprotectedByTrouble } from '#domain/alert/alert.ts'
import { rollbackNotice } from '#domain/alert/rollback-notice.ts'

describe('the alert that a store was rolled back', () => {
  it('names what is left for a person before what the service has mended, however much that is', () => {
    const mended = Array.from({ length: 30 }, (_, index) => ({
      message: `workflow ${index}`,
      isMended: true,
      advice: null,
    }))
    const left = { message: 'order unknown', isMended: false, advice: 'close it' }
    const { message } = rollbackNotice({
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

describe('the alert that an exit cannot be sent', () => {
  const trouble = { generation: 1, kind: 'held', code: null, detail: 'the broker shows 100' } as const

  it('says that it is tried again, and asks its owner for nothing', () => {
    const { message } = unprotectedByTrouble(trouble)
    assert.equal(message, 'The exit cannot be sent: the broker shows 100. It is tried again')
  })

  it('asks its owner for a size where it waits for that, and does not say that it is tried again', () => {
    const { message, data } = unprotectedByTrouble({ ...trouble, beyond: { shown: '100', own: '10' } })
    assert.match(message, /shows 100\. Nothing is sent until its size is chosen/)
    assert.doesNotMatch(message, /tried again/)
    assert.deepEqual(data['beyond'], { shown: '100', own: '10' })
  })
})
