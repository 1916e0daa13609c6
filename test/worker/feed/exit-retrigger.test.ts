import assert from 'node:assert/strict'
import type { EntityManager } from '#db/engine/database.ts'
import type { Account, Signal } from '#db/entities/index.ts'
import { recordAccepted, recordExitTrouble } from '#db/signal/ledger.ts'
import { createAccount, createSignal, orderReport } from '#test/support/factories.ts'
import { loggerInMemory } from '#test/support/log-lines.ts'
import { held } from '#test/support/sample-position.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { useDatabase } from '#test/support/database.ts'
import { ExitRetrigger } from '#worker/feed/exit-retrigger.ts'
import { OrderReconciler } from '#worker/feed/order-reconciler.ts'

describe('exits that wait because something blocks them', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  let account: Account
  let waiting: Signal
  let woken: string[]
  let waker: ExitRetrigger
  const retryExit = async (signalId: string) => void woken.push(signalId)
  beforeEach(async () => {
    account = await createAccount(em)
    waiting = await blocked('AAPL')
    await blocked('MSFT')
    woken = []
    waker = new ExitRetrigger(em, { retryExit }, account.id)
  })
  async function blocked(symbol: string): Promise<Signal> {
    const signal = await createSignal(em, { accountId: account.id, symbol, exitRule: exitAtOnce })
    const trouble = { kind: 'held', code: null, detail: 'another order holds the shares' } as const
    await recordExitTrouble(em, signal.id, '2026-03-02T15:00:00.000Z', {
      ...trouble,
      generation: 1,
      acknowledges: [],
    })
    return signal
  }

  it('exits that wait because something blocks them are tried when an order of their symbol has ended', async () => {
    assert.equal(await waker.orderEnded({ symbol: 'AAPL', clientOrderId: 'placed-in-the-app' }), 1)
    assert.deepEqual(woken, [waiting.id])
  })

  it('exits that wait because something blocks them are not tried because an order of their own signal has ended', async () => {
    assert.equal(await waker.orderEnded({ symbol: 'AAPL', clientOrderId: `${waiting.id}-x1` }), 0)
    assert.deepEqual(woken, [])
  })

  const changes: [
    what: string,
    before: ReturnType<typeof held>[],
    now: ReturnType<typeof held>[],
    wakes: boolean,
  ][] = [
    ['shares are free again', [held('10', 'LONG', { availableQuantity: '0' })], [held('10', 'LONG')], true],
    ['the position is shown again', [], [held('10', 'LONG')], true],
    ['other shares are shown', [held('100', 'LONG')], [held('10', 'LONG')], true],
    ['the position is gone', [held('10', 'LONG')], [], true],
    ['nothing has changed', [held('10', 'LONG')], [held('10', 'LONG')], false],
  ]
  for (const [what, before, now, wakes] of changes)
    it(`exits that wait because something blocks them are ${wakes ? '' : 'not '}tried when a sync finds that ${what}`, async () => {
      await waker.positionsSynced(before)
      assert.deepEqual(woken, [])
      await waker.positionsSynced(now)
      assert.deepEqual(woken, wakes ? [waiting.id] : [])
    })

  it('exits that wait because something blocks them are tried when a comparison finds the end of an order of ours', async () => {
    const broker = new ScriptedBroker()
    const announcer = { announce: async () => true, ensureRunning: async () => {}, retryExit }
    const reconciler = new OrderReconciler(em, broker, announcer, account.id, loggerInMemory().log)
    const other = await createSignal(em, { accountId: account.id })
    const report = orderReport(other)
    await recordAccepted(em, report)
    broker.put({ ...report, status: 'CANCELLED' })
    await reconciler.reconcile(Date.now() + 4_000)
    assert.ok(woken.includes(waiting.id))
  })
})
