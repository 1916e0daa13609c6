import assert from 'node:assert/strict'
import { manualClientOrderId } from '#domain/manual-order.ts'
import type { OrderRun } from '#workflows/manual-order/run.ts'
import { loadBare } from '../../support/bare-signal-workflow.ts'
import { manualOrderTerms } from '../../support/sample-order.ts'
import { filled, reportOf } from '../../support/sample-signal.ts'

const AT = '2026-03-02T15:00:05.000Z'

describe('what a run of the workflow of a manual order knows', () => {
  let Run: typeof OrderRun
  before(async () => {
    ;({ OrderRun: Run } = await loadBare<{ OrderRun: typeof OrderRun }>('manual-order/run.ts'))
  })

  const terms = manualOrderTerms()
  const clientOrderId = manualClientOrderId(terms.orderId)
  const report = reportOf({ ...terms, clientOrderId }, AT, { status: 'PARTIALLY_FILLED', ...filled('4', AT) })
  const cancel = { clientOrderId, by: 'ann', at: AT }

  it('goes over whole into the next run, which has the broker asked again for a cancel', () => {
    const resumeState = { phase: 'working', report, cancel } as const
    const next = new Run(terms, resumeState)
    assert.deepEqual(next.continueAsNewInput(), { terms, resumeState })
    assert.equal(next.orderCancel?.isAsked, false)
  })

  it('what a run of the workflow of a manual order knows is not changed by a report of another order', () => {
    const one = new Run(terms, { phase: 'working', report, cancel: null })
    one.note({ ...report, clientOrderId: manualClientOrderId(manualOrderTerms().orderId), status: 'FILLED' })
    assert.deepEqual([one.status, one.filled, one.endedOrders], ['PARTIALLY_FILLED', '4', []])
  })

  it('what a run of the workflow of a manual order knows is stopped before it is sent by a cancel, unless that came too late', () => {
    const one = new Run(terms)
    assert.equal(one.isStopped, false)
    one.orderCancel = { ...cancel, isAsked: false }
    assert.equal(one.isStopped, true)
    one.isTooLateToStop = true
    assert.equal(one.isStopped, false)
  })
})
