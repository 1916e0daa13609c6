import assert from 'node:assert/strict'
import type { Activities } from '#activities/contract.ts'
import { createActivities } from '#activities/index.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Account, Signal } from '#db/entities/index.ts'
import { recordExitCancelled } from '#db/signals/decision-ledger.ts'
import { recordAccepted, recordCancelRequested, recordExitTrouble } from '#db/signals/ledger.ts'
import { termsOf } from '#db/signals/terms.ts'
import type { Decimal } from '#domain/decimal.ts'
import { exitBegins } from '#domain/exit-progress.ts'
import type { OrderReport } from '#domain/order.ts'
import { EXIT_SIDE } from '#domain/signal.ts'
import { useDatabase } from '#test/support/database.ts'
import { ExitsInLedger, filledNow, takeProfit, untouched } from '#test/support/exits-in-ledger.ts'
import { createAccount, createSignal, orderReport } from '#test/support/factories.ts'
import { timelineOf } from '#test/support/ledger.ts'
import { letPass } from '#test/support/let-pass.ts'
import { held } from '#test/support/sample-position.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { secretKeys } from '#test/support/secret-keys.ts'

/** Milliseconds after which the broker shows every fill. */
const LAG = 60_000

describe('an exit that was cancelled for another order of ours, told from the ledger', function () {
  this.timeout(60_000)
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })
  let account: Account
  let broker: ScriptedBroker
  let activities: Activities
  let exits: ExitsInLedger
  beforeEach(async () => {
    account = await createAccount(em)
    exits = new ExitsInLedger(em, account.id)
    broker = new ScriptedBroker()
    broker.sessions = [-1, 0, 1].map((days) => {
      const date = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
      const opensAt = `${date}T00:00:00.000Z`
      return { date, opensAt, closesAt: new Date(Date.parse(opensAt) + 86_400_000).toISOString() }
    })
    activities = createActivities({ em, secretKeys, connectBroker: () => broker, requestTimeoutMs: 4_000 })
  })

  const at = () => new Date().toISOString()
  const holds = ({ action }: Signal, quantity: Decimal, availableQuantity = quantity) => {
    broker.positions = [held(quantity, action === 'openLong' ? 'LONG' : 'SHORT', { availableQuantity })]
  }

  for (const action of ['openLong', 'openShort'] as const)
    describe(`of an ${action} signal`, () => {
      const side = EXIT_SIDE[action]
      const close = (fields: Partial<Signal> = {}) =>
        createSignal(em, {
          accountId: account.id,
          action: action === 'openLong' ? 'closeLong' : 'closeShort',
          quantity: '4',
          ...fields,
        })
      const resting = {
        orderType: 'limit',
        limitPrice: action === 'openLong' ? '140' : '70',
        timeInForce: 'gtc',
      } as const
      const sizing = async (signal: Signal, generation: number) => {
        await letPass(em, LAG)
        return activities.sizeExit({
          signalId: signal.id,
          generation,
          accountId: account.id,
          symbol: 'AAPL',
          side,
          filledQuantity: '10',
          rule: takeProfit,
          coveredQuantity: '0',
          failures: 1,
        })
      }
      const prepare = async (signal: Signal) => {
        await letPass(em, LAG)
        return activities.prepareEntry(termsOf(signal))
      }
      async function withRestingExit(): Promise<{ signal: Signal; exit: OrderReport }> {
        const signal = await exits.opened({ action })
        holds(signal, '10')
        assert.equal((await sizing(signal, 1)).quantity, '10')
        const exit = exits.exitOrder(signal, 1)
        broker.put(exit)
        await recordAccepted(em, account.id, exit)
        holds(signal, '10', '0')
        broker.onCancelled = () => holds(signal, '10')
        return { signal, exit }
      }

      it(`an exit that was cancelled for another order of ours, told from the ledger of an ${action} signal is sent again for the shares that a resting close leaves, also once the close was called off`, async () => {
        const { signal, exit } = await withRestingExit()
        const closing = await close(resting)
        assert.equal((await prepare(closing)).outcome, 'ready')
        const expected = {
          ...untouched,
          generation: 2,
          coveredQuantity: '0',
          working: null,
          ended: [exit.clientOrderId],
        }
        assert.deepEqual(await exits.exitOf(signal), expected)
        await recordAccepted(em, account.id, orderReport(closing, { side, quantity: '4', ...resting }))
        assert.deepEqual(await exits.exitOf(signal), expected)
        await exits.ended(orderReport(closing, { side, quantity: '4', ...resting }), 'CANCELLED')
        assert.deepEqual(await exits.exitOf(signal), expected)
      })

      it(`an exit that was cancelled for another order of ours, told from the ledger of an ${action} signal is followed where it was sent again already`, async () => {
        const { signal } = await withRestingExit()
        const closing = await close()
        assert.equal((await prepare(closing)).outcome, 'ready')
        await recordAccepted(em, account.id, filledNow(orderReport(closing, { side, quantity: '4' })))
        holds(signal, '6')
        assert.equal((await sizing(signal, 2)).quantity, '6')
        await recordAccepted(em, account.id, exits.exitOrder(signal, 2, { quantity: '6' }))
        const { working, generation, exitCancelledBy } = await exits.exitOf(signal)
        assert.deepEqual([working, generation, exitCancelledBy], [exits.idOf(signal, 2), 3, null])
      })

      it('works on where the cancel came to nothing: the broker is not asked again on nobody’s behalf', async () => {
        const { signal, exit } = await withRestingExit()
        broker.cancels = 'pending'
        const closing = await close()
        await assert.rejects(prepare(closing))
        await em.execute(`update signals set status = 'error', status_reason = 'STALE' where id = ?`, [
          closing.id,
        ])
        assert.deepEqual(await exits.exitOf(signal), {
          ...untouched,
          generation: 2,
          coveredQuantity: '0',
          working: exit.clientOrderId,
          ended: [],
        })
      })

      it('counts only the shares that it has closed', async () => {
        const signal = await exits.opened({ action })
        await exits.gaveWay(signal, 1, '10', '4')
        assert.deepEqual(await exits.exitOf(signal), {
          ...untouched,
          generation: 2,
          coveredQuantity: '4',
          working: null,
          ended: [exits.idOf(signal, 1)],
        })
      })

      it('goes on from the second order that was cancelled for another', async () => {
        const signal = await exits.opened({ action })
        await exits.gaveWay(signal, 1, '10', '1')
        await exits.gaveWay(signal, 2, '9', '2')
        assert.deepEqual(await exits.exitOf(signal), {
          ...untouched,
          generation: 3,
          coveredQuantity: '3',
          working: null,
          ended: [exits.idOf(signal, 1), exits.idOf(signal, 2)],
        })
      })

      it('waits for the next try that was planned', async () => {
        const signal = await exits.opened({ action })
        await exits.gaveWay(signal, 1, '10')
        const later = new Date(Date.now() + 60_000).toISOString()
        await recordExitTrouble(em, signal.id, at(), {
          generation: 2,
          kind: 'held',
          code: null,
          detail: 'a close is to close these shares',
          acknowledges: [],
          nextTry: { usual: later, acknowledged: later },
          progress: { ...exitBegins(2), failures: 3, notBefore: later },
        })
        const { notBefore, failures } = (await exits.resumed(signal)).exit
        assert.deepEqual([notBefore, failures], [later, 3])
      })

      it(`an exit that was cancelled for another order of ours, told from the ledger of an ${action} signal is over when a person cancels it meanwhile`, async () => {
        const signal = await exits.opened({ action })
        await exits.gaveWay(signal, 1, '10')
        assert.equal(await recordExitCancelled(em, signal.id, at(), { by: 'ann', generation: 2 }), 'stopped')
        const { phase, exit } = await exits.resumed(signal)
        assert.deepEqual([phase, exit.cancelledBy], ['exiting', 'ann'])
      })

      it(`an exit that was cancelled for another order of ours, told from the ledger of an ${action} signal is over when a person wants the same order cancelled, before or after`, async () => {
        for (const comesFirst of [true, false]) {
          const signal = await exits.opened({ action })
          const order = await exits.sent(signal, 1)
          const ask = () =>
            recordCancelRequested(em, { signalId: signal.id }, at(), {
              clientOrderId: order.clientOrderId,
              by: 'ann',
            })
          if (comesFirst) await ask()
          await exits.isToGiveWay(order, signal)
          if (!comesFirst) await ask()
          assert.equal((await exits.exitOf(signal)).asked, 'ann')
          const told = (await timelineOf(em, signal.id)).filter(({ kind }) => kind === 'cancel_requested')
          assert.equal(told.length, 2, 'the owner reads of both')
          await exits.ended(order, 'CANCELLED')
          assert.equal((await exits.exitOf(signal)).exitCancelledBy, 'ann')
        }
      })

      it('leaves the rest to its owner when it has expired instead', async () => {
        const signal = await exits.opened({ action })
        const order = await exits.sent(signal, 1)
        await exits.isToGiveWay(order, signal)
        await exits.ended(order, 'EXPIRED', '4')
        const { uncovered, coveredQuantity, exitCancelledBy } = await exits.exitOf(signal)
        assert.deepEqual([uncovered, coveredQuantity, exitCancelledBy], ['6', '10', null])
      })
    })

  it('leaves the rest to its owner where no order of ours was the reason', async () => {
    const signal = await exits.opened()
    await exits.ended(await exits.sent(signal, 1), 'CANCELLED', '4')
    const { uncovered, coveredQuantity, exitCancelledBy } = await exits.exitOf(signal)
    assert.deepEqual([uncovered, coveredQuantity, exitCancelledBy], ['6', '10', null])
  })

  it('an exit that was cancelled for another order of ours, told from the ledger is told from an entry that works on: nobody asks again to cancel that', async () => {
    const signal = await createSignal(em, {
      accountId: account.id,
      exitRule: takeProfit,
      exitStatus: 'waiting',
    })
    const entry = orderReport(signal)
    await recordAccepted(em, account.id, entry)
    await exits.isToGiveWay(entry, signal)
    const { phase, orderCancel } = await exits.resumed(signal)
    assert.deepEqual([phase, orderCancel], ['working', undefined])
  })
})
