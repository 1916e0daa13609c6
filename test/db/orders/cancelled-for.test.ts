import assert from 'node:assert/strict'
import type { EntityManager } from '#db/engine/database.ts'
import { readCancelledFor, recordCancelledFor } from '#db/orders/cancelled-for.ts'
import { applyOrderReport } from '#db/orders/reports.ts'
import { recordAccepted } from '#db/signals/ledger.ts'
import { createSignal, orderReport } from '#test/support/factories.ts'
import { useDatabase } from '#test/support/database.ts'
import { timelineOf } from '#test/support/ledger.ts'

const AT = '2026-03-02T15:00:02.000Z'

describe('an order that is cancelled for another one', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  it('is so while it works, and not when it has ended by itself before', async () => {
    const signal = await createSignal(em, { status: 'executed' })
    const [works, ended] = [1, 2].map((generation) => orderReport(signal, { role: 'exit', generation }))
    for (const report of [works!, ended!]) {
      await recordAccepted(em, signal.accountId, report)
      if (report === ended) await applyOrderReport(em, signal.accountId, { ...report, status: 'CANCELLED' })
      await recordCancelledFor(em, { ...report, signalId: signal.id }, 'closer-e1', AT)
    }
    assert.equal(await readCancelledFor(em, works!.clientOrderId), 'closer-e1')
    assert.equal(await readCancelledFor(em, ended!.clientOrderId), null)
    const requests = (await timelineOf(em, signal.id)).filter(({ kind }) => kind === 'cancel_requested')
    assert.equal(requests.length, 1)
  })
})
