import assert from 'node:assert/strict'
import fc from 'fast-check'
import { clientOrderIdFor, parseClientOrderId, type OrderPurpose } from '#domain/order/order.ts'

const purposes = fc.constantFrom<OrderPurpose>('entry', 'timed', 'plan', 'target')
const generations = fc.integer({ min: 1, max: 999_999 })

describe('the client order id', () => {
  it('the client order id leads back to signal, purpose, role and generation, in the 48 characters that every broker takes', () => {
    fc.assert(
      fc.property(fc.uuid(), purposes, generations, (signalId, purpose, generation) => {
        const id = clientOrderIdFor(signalId, purpose, generation)
        const role = purpose === 'entry' ? 'entry' : 'exit'
        assert.deepEqual(parseClientOrderId(id), { signalId, role, purpose, generation })
        assert.ok(id.length <= 48)
      }),
    )
  })

  it('differs whenever signal, purpose or generation differ', () => {
    const signals = ['0b9e1c1e-6f4e-4d0f-9d3a-6a1d6f1f0a11', '0b9e1c1e-6f4e-4d0f-9d3a-6a1d6f1f0a12']
    const ids = signals.flatMap((signalId) =>
      (['entry', 'timed', 'plan', 'target'] as const).flatMap((purpose) =>
        [1, 2, 11].map((generation) => clientOrderIdFor(signalId, purpose, generation)),
      ),
    )
    assert.equal(new Set(ids).size, ids.length)
  })

  const SIGNAL = '0b9e1c1e-6f4e-4d0f-9d3a-6a1d6f1f0a11'
  const foreign = ['', 'my-own-order', SIGNAL, ` ${SIGNAL}-e1`].concat(
    ['e', 'z1', 'e1x', 'e1\n', 'e01', 'e0'].map((end) => `${SIGNAL}-${end}`),
  )
  for (const id of foreign) {
    it(`the client order id is of no known form when it reads ${JSON.stringify(id)}`, () => {
      assert.equal(parseClientOrderId(id), null)
    })
  }
})
