import assert from 'node:assert/strict'
import fc from 'fast-check'
import { clientOrderIdFor } from '#domain/order/order.ts'
import { workflowIdFor } from '#domain/signal/signal.ts'
import { traceOf } from '#tracing/trace-id.ts'

const ID = '0b9e1c1e-6f4e-4d0f-9d3a-6a1d6f1f0a11'

describe('the trace of a signal', () => {
  it('the trace of a signal has its id without the hyphens, and begins with a span of half of it', () => {
    assert.deepEqual(traceOf(ID), {
      traceId: '0b9e1c1e6f4e4d0f9d3a6a1d6f1f0a11',
      rootSpanId: '9d3a6a1d6f1f0a11',
    })
  })

  it('the trace of a signal is the same by the id, the workflow, and every order of the signal', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer({ min: 1, max: 999 }), (id, generation) => {
        const names = [
          workflowIdFor(id),
          clientOrderIdFor(id, 'entry', generation),
          clientOrderIdFor(id, 'timed', generation),
        ]
        for (const name of names) assert.deepEqual(traceOf(name), traceOf(id), name)
      }),
    )
  })

  it('begins with a span of the other half where the last one is all zeros', () => {
    assert.equal(traceOf('0b9e1c1e-6f4e-4d0f-0000-000000000000')!.rootSpanId, '0b9e1c1e6f4e4d0f')
  })

  for (const name of [
    '',
    '00000000-0000-0000-0000-000000000000',
    'my-own-order',
    ID.toUpperCase(),
    `${ID}-e0`,
    `${ID}-z1`,
    `${ID} `,
    `account-sync-${ID}`,
    `order-${ID}`,
    ID.replaceAll('-', ''),
  ])
    it(`the trace of a signal is not there for ${JSON.stringify(name)}`, () => {
      assert.equal(traceOf(name), null)
    })
})
