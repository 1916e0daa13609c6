import assert from 'node:assert/strict'
import type { EntityManager } from '#db/engine/database.ts'
import { Alert, type Account, type Signal } from '#db/entities/index.ts'
import { decideOnce } from '#db/order/decisions.ts'
import { recordCancelled } from '#db/signal/decision-ledger.ts'
import { recordExitScheduled, recordNotPlaced } from '#db/signal/ledger.ts'
import { loadSignal } from '#activities/load.ts'
import type { OpenSignal } from '#db/signal/record.ts'
import { exitBegins } from '#domain/exit/progress.ts'
import { signalIn } from '#test/support/ledger.ts'
import { createAccount, createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { loggerInMemory } from '#test/support/log-lines.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { useDatabase } from '#test/support/database.ts'
import { OrderReconciler } from '#worker/feed/order-reconciler.ts'

const AT = '2026-03-02T15:00:02.000Z'

describe('a signal recorded as refused whose order fills all the same', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  let account: Account
  let reopened: OpenSignal[]
  let woken: string[]
  let reconciler: OrderReconciler
  beforeEach(async () => {
    account = await createAccount(em)
    reopened = []
    woken = []
    const announcer = {
      announce: async () => false,
      ensureRunning: async (signal: OpenSignal) => void reopened.push(signal),
      retryExit: async (signalId: string) => void woken.push(signalId),
    }
    reconciler = new OrderReconciler(em, new ScriptedBroker(), announcer, account.id, loggerInMemory().log)
  })
  const alerts = async () => (await em.fork().find(Alert, { accountId: account.id })).map(({ kind }) => kind)

  async function refused(
    status: 'rejected' | 'error' = 'rejected',
    fields: Partial<Signal> = { exitRule: exitAtOnce },
  ): Promise<Signal> {
    const signal = await createSignal(em, { accountId: account.id, ...fields })
    await decideOnce(em, signal.id, 'entry', { outcome: 'ready', quantity: '10', advisories: [] })
    const outcome = status === 'rejected' ? 'rejected' : 'not_placed'
    await recordNotPlaced(em, signal.id, AT, {
      outcome,
      code: 'INSUFFICIENT_FUNDS',
      detail: 'no',
    })
    return signal
  }

  for (const status of ['rejected', 'error'] as const)
    it(`(${status}) is adopted again, with its exit and an alert`, async () => {
      const signal = await refused(status)
      const report = withFill(orderReport(signal), '10')
      await reconciler.apply(report)
      assert.deepEqual(
        reopened.map(({ terms }) => [terms.signalId, terms.exit]),
        [[signal.id, exitAtOnce]],
      )
      const state = await loadSignal(em, signal.id, AT)
      assert.deepEqual([state.phase, state.status, state.exit.coveredQuantity], ['working', status, '0'])
      assert.deepEqual(await alerts(), ['fill_after_end'])
      const plan = { submitAt: AT, reason: null }
      const { generation } = state.exit
      await recordExitScheduled(em, signal.id, AT, { entry: report, plan, progress: exitBegins(generation) })
      assert.equal((await signalIn(em, signal.id)).exitStatus, 'scheduled')
    })

  it('a signal recorded as refused whose order fills all the same is not adopted for an order in another symbol or on another side', async () => {
    const signal = await refused()
    for (const other of [{ symbol: 'MSFT' }, { side: 'SELL' }] as const)
      await reconciler.apply(withFill(orderReport(signal, other), '10'))
    assert.deepEqual([reopened, await alerts()], [[], []])
  })

  it('a signal recorded as refused whose order fills all the same is left to a person when it wanted no exit', async () => {
    const signal = await refused('rejected', {})
    await reconciler.apply(withFill(orderReport(signal), '10'))
    assert.deepEqual([reopened, await alerts()], [[], ['fill_after_end']])
  })

  for (const [what, end] of [
    [
      'withdrawn by a person',
      async (signal: Signal) =>
        void (await recordCancelled(em, signal.id, AT, {
          reason: 'WITHDRAWN',
          detail: 'Withdrawn by ann',
        })),
    ],
    [
      'declined before anything was decided',
      async ({ id }: Signal) =>
        void (await em.execute(`update signals set status = 'rejected' where id = ?`, [id], 'run')),
    ],
  ] as const)
    it(`a signal that was ${what}, and whose order fills all the same, gets its exit: the order that exists was decided`, async () => {
      const signal = await createSignal(em, { accountId: account.id, exitRule: exitAtOnce })
      await end(signal)
      await reconciler.apply(withFill(orderReport(signal), '10'))
      assert.deepEqual(
        reopened.map(({ terms }) => terms.signalId),
        [signal.id],
      )
      assert.equal((await loadSignal(em, signal.id, AT)).phase, 'working')
      assert.deepEqual(await alerts(), ['fill_after_end'])
    })

  it('a signal recorded as refused is not adopted when its order ends without a fill, or an exit of it has filled', async () => {
    const target = { position: '10', exit: exitAtOnce, at: null } as const
    const signal = await refused('rejected', { exitRule: exitAtOnce, target })
    await reconciler.apply({ ...orderReport(signal), status: 'CANCELLED' })
    await reconciler.apply(withFill(orderReport(signal, { role: 'exit' }), '10'))
    assert.deepEqual(reopened, [])
  })
})
