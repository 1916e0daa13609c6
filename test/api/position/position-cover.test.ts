import assert from 'node:assert/strict'
import { createMetrics } from '#api/metrics/metrics.ts'
import { readCovers, presentPosition } from '#api/position/present.ts'
import { readLevels } from '#api/exit/present.ts'
import { presentSignal } from '#api/signal/present.ts'
import { listPositions } from '#db/position/positions.ts'
import { saveAccountSnapshot } from '#db/account/sync.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { actAs } from '#db/engine/row-security.ts'
import { Signal, type Account } from '#db/entities/index.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { noteResting, noteSeen, trackProtection } from '#db/exit/protections.ts'
import { readLedgerNumbers } from '#db/watch/ledger-numbers.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { clientOrderIdFor } from '#domain/order/order.ts'
import type { Protection } from '#domain/exit/protection.ts'
import { createAccount, createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { held } from '#test/support/sample-position.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { useDatabase } from '#test/support/database.ts'
import { rowsOf } from '#test/support/pluck.ts'

const PLAN: Protection = {
  stop: { percent: '5' },
  target: { price: '112' },
  trail: { amount: '3', after: { percent: '2' } },
  breakEven: null,
  until: 'closed',
}

describe('what protects a position', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  let account: Account
  beforeEach(async () => {
    account = await createAccount(em)
  })
  const shows = async (quantity: Decimal): Promise<void> => {
    const owner = { accountId: account.id, userId: account.userId }
    const positions = [held(quantity, 'LONG')]
    await saveAccountSnapshot(em.fork(), owner, { ...new ScriptedBroker().balances, positions })
  }
  const filledSignal = async (fields: Partial<Signal>): Promise<Signal> => {
    const signal = await createSignal(em, { accountId: account.id, ...fields })
    await recordAccepted(em, orderReport(signal))
    await applyOrderReport(em, account.id, withFill(orderReport(signal), '10'))
    return signal
  }
  /** As the owner sees it. */
  const asOwner = () => {
    const own = em.fork()
    actAs(own, account.userId)
    return own
  }
  const position = async () => {
    const [found] = await listPositions(asOwner(), account.userId, {})
    return presentPosition(found!, await readCovers(asOwner(), account.userId)).protection!
  }

  it('a position is protected by levels, exits that wait and orders that work, and shares of none of them are shown', async () => {
    const planned = await filledSignal({ protection: PLAN })
    await trackProtection(em, planned.id)
    const exitSubmitAt = new Date('2026-03-02T20:45:00.000Z')
    const timed = await filledSignal({ exitStatus: 'scheduled', exitSubmitAt })
    const exiting = await filledSignal({})
    await applyOrderReport(em, account.id, orderReport(exiting, { role: 'exit', quantity: '4' }))
    await shows('34')
    const { protectedBy, closing, unprotected } = await position()
    assert.deepEqual(rowsOf(protectedBy, 'signalId', 'quantity'), [[planned.id, 10]])
    assert.deepEqual(
      closing
        .toSorted((a, b) => b.quantity - a.quantity)
        .map(({ signalId, quantity, at }) => [signalId, quantity, at]),
      [
        [timed.id, 10, exitSubmitAt.toISOString()],
        [exiting.id, 4, null],
      ],
    )
    assert.equal(unprotected, 10)
    const { scrape } = createMetrics({
      readLedger: () => readLedgerNumbers(em.fork(), 'signals'),
      probeDependencies: async () => null,
    })
    assert.match(await scrape(), /^durable_trader_positions_unprotected\{accounts="demo"\} 1$/m)
    await shows('24')
    assert.equal((await position()).unprotected, 0)
    assert.match(await scrape(), /^durable_trader_positions_protected\{accounts="demo"\} 1$/m)
  })

  it('an exit is shown with its levels as they are now, what lies at the broker and what is kept here', async () => {
    const { id } = await filledSignal({ protection: PLAN })
    await trackProtection(em, id)
    await applyOrderReport(em, account.id, {
      ...orderReport({ id }, { role: 'exit', orderType: 'stop', stopPrice: '101', timeInForce: 'gtc' }),
      clientOrderId: clientOrderIdFor(id, 'plan', 1),
    })
    // Noted before it was moved there at the broker's own site.
    await noteResting(em, id, { orderType: 'stop', limitPrice: null, stopPrice: '95', timeInForce: 'gtc' }, 0)
    const at = '2026-03-02T15:10:00.000Z'
    await noteSeen(em, [{ signalId: id, best: '105', price: '104', at }])
    const signal = await em.fork().findOneOrFail(Signal, { id })
    const { protection, plan } = presentSignal(signal, {
      plans: await readLevels(asOwner(), signal.userId, [signal]),
    })
    const levels = {
      stop: { percent: 5 },
      target: { price: 112 },
      trail: { amount: 3, after: { percent: 2 } },
    }
    assert.deepEqual(protection, { ...levels, breakEven: null, until: 'closed' })
    assert.deepEqual(plan, {
      side: 'LONG',
      quantity: 10,
      average: 100,
      best: 105,
      stop: { price: 102, by: 'trail' },
      target: 112,
      trailing: true,
      breakEven: false,
      atBroker: {
        ...plan!.atBroker,
        orderType: 'stop',
        quantity: 10,
        stopPrice: 101,
        limitPrice: null,
        timeInForce: 'gtc',
      },
      keptHere: ['target', 'trail'],
      price: { price: 104, at },
      risk: -20,
      worksInExtendedHours: false,
    })
  })
})
