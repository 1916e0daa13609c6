import assert from 'node:assert/strict'
import { loadSignal } from '#activities/load.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Account, Signal } from '#db/entities/index.ts'
import { readCancelMarks, recordCancelledFor } from '#db/exit/exits.ts'
import { recordExitCancelled } from '#db/signal/decision-ledger.ts'
import { decideOnce } from '#db/order/decisions.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import {
  recordAccepted,
  recordCancelRequested,
  recordExitScheduled,
  recordExitTrouble,
  recordNotPlaced,
} from '#db/signal/ledger.ts'
import { findOpenSignal } from '#db/signal/record.ts'
import { listStarted } from '#db/watch/open-work.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { useDatabase } from '#test/support/database.ts'
import { ExitsInLedger, filledNow, takeProfit, untouched } from '#test/support/exits-in-ledger.ts'
import { createAccount, createSignal, orderReport } from '#test/support/factories.ts'
import { timelineOf } from '#test/support/ledger.ts'
import { acceptanceOf, placedByHand } from '#test/support/placed-by-hand.ts'
import { afterUnsent, exitBegins } from '#domain/exit/progress.ts'

describe('a signal that is started again from the ledger, after its workflow was lost,', function () {
  this.timeout(60_000)
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })
  let account: Account
  let exits: ExitsInLedger
  beforeEach(async () => {
    account = await createAccount(em)
    exits = new ExitsInLedger(em, account.id)
  })
  const at = () => new Date().toISOString()

  describe('whose exits’ numbers have a gap,', () => {
    /** Closed ten of fifteen shares, ended, and opened again for the other five. */
    async function reopened(): Promise<Signal> {
      const signal = await exits.opened({}, { quantity: '15', status: 'CANCELLED' })
      await exits.closes(signal, 1, 2, await exits.sent(signal, 1))
      await exits.reopens(signal, '15')
      return signal
    }

    /** What was written, and what is told: the number of the next exit, what is covered, the exit that works, and those that ended. */
    const NOTIFIED: [
      what: string,
      write: () => Promise<Signal>,
      told: [number, Decimal, number | null, number[]],
    ][] = [
      [
        'follows the exit that works after a late fill has opened it again',
        async () => {
          const signal = await reopened()
          await exits.sent(signal, 3, '5')
          return signal
        },
        [4, '10', 3, [1]],
      ],
      [
        'counts every exit of a signal that was opened again twice',
        async () => {
          const signal = await reopened()
          await exits.closes(signal, 2, 4, await exits.sent(signal, 3, '5'))
          await exits.reopens(signal, '17')
          await exits.sent(signal, 5, '2')
          return signal
        },
        [6, '15', 5, [1, 3]],
      ],
      [
        'passes over an exit removed between two others',
        async () => {
          const signal = await exits.opened()
          await exits.wasCancelledFor(signal, 1, '10', '4')
          await exits.sized(signal, 2, '6')
          await exits.voided(signal, 2)
          await exits.sent(signal, 3, '5')
          return signal
        },
        [4, '4', 3, [1]],
      ],
      [
        'goes on from the second order that was cancelled for another, and counts the shares that each has closed',
        async () => {
          const signal = await exits.opened({ action: 'openShort' })
          await exits.wasCancelledFor(signal, 1, '10', '1')
          await exits.wasCancelledFor(signal, 2, '9', '2')
          return signal
        },
        [3, '3', null, [1, 2]],
      ],
    ]
    for (const [what, write, [generation, coveredQuantity, working, ended]] of NOTIFIED)
      it(what, async () => {
        const signal = await write()
        const idOf = (number: number) => exits.idOf(signal, number)
        assert.deepEqual(await exits.exitOf(signal), {
          ...untouched,
          generation,
          coveredQuantity,
          working: working && idOf(working),
          ended: ended.map(idOf),
        })
      })

    it('plans the exit of a late fill under a number that no exit has used', async () => {
      const signal = await reopened()
      const { phase, exit, closings } = await exits.resumed(signal)
      assert.deepEqual([phase, exit.generation, exit.time.at, closings], ['exiting', 3, null, 1])
    })

    it('keeps the number and the time of an exit that was planned for a late fill', async () => {
      const signal = await reopened()
      const submitAt = new Date(Date.now() + 60_000).toISOString()
      const entry = { ...orderReport(signal), filledQuantity: '15' } as const
      await recordExitScheduled(em, signal.id, at(), {
        entry,
        plan: { submitAt, reason: null },
        progress: { ...exitBegins(3), time: { at: submitAt, lookAt: null } },
      })
      const { phase, exit } = await exits.resumed(signal)
      assert.deepEqual([phase, exit.generation, exit.time.at], ['exiting', 3, submitAt])
    })

    it('follows an exit at the broker whose size the ledger does not hold, as after its rollback', async () => {
      const signal = await exits.opened()
      await exits.reported(exits.exitOrder(signal, 2, { quantity: '7' }))
      const { exit } = await exits.resumed(signal)
      assert.partialDeepStrictEqual(exit.workingOrder, {
        clientOrderId: exits.idOf(signal, 2),
        quantity: '7',
        coversUpTo: '7',
        reason: 'TIME',
      })
      assert.equal(exit.generation, 3)
    })

    it('follows an exit that is at the broker although its permit was removed', async () => {
      const signal = await exits.opened()
      await exits.sized(signal, 1, '8', '10')
      await exits.voided(signal, 1)
      await exits.reported(exits.exitOrder(signal, 1, { quantity: '8' }))
      const { exit } = await exits.resumed(signal)
      assert.equal(exit.workingOrder?.coversUpTo, '10')
      assert.equal(exit.generation, 2)
    })
  })

  describe('whose exit was cancelled,', () => {
    it('waits for the next try that was planned', async () => {
      const signal = await exits.opened()
      await exits.wasCancelledFor(signal, 1, '10')
      const later = new Date(Date.now() + 60_000).toISOString()
      const wait = { why: 'obstacle', tries: 3, until: later, detail: 'another try' } as const
      await recordExitTrouble(em, signal.id, at(), {
        generation: 2,
        kind: 'held',
        code: null,
        detail: 'a close is to close these shares',
        acknowledges: [],
        nextTry: { usual: later, acknowledged: later },
        progress: { ...exitBegins(2), waits: { TIME: wait } },
      })
      assert.deepEqual((await exits.resumed(signal)).exit.waits, { TIME: wait })
    })

    it('an exit that was cancelled for another order of ours has ended when a person cancels it meanwhile', async () => {
      const signal = await exits.opened()
      await exits.wasCancelledFor(signal, 1, '10')
      assert.equal(await recordExitCancelled(em, signal.id, at(), { by: 'ann', generation: 2 }), 'stopped')
      const { phase, exit } = await exits.resumed(signal)
      assert.deepEqual([phase, exit.cancelledBy], ['exiting', 'ann'])
    })

    it('an exit that was cancelled for another order of ours has ended when a person wants the same order cancelled, before or after', async () => {
      for (const comesFirst of [true, false]) {
        const signal = await exits.opened()
        const order = await exits.sent(signal, 1)
        const { clientOrderId } = order
        const ask = () => recordCancelRequested(em, signal.id, at(), { clientOrderId, by: 'ann' })
        if (comesFirst) await ask()
        await exits.isToGiveWay(order)
        if (!comesFirst) await ask()
        assert.equal((await exits.exitOf(signal)).asked, 'ann')
        const told = (await timelineOf(em, signal.id)).filter(({ kind }) => kind === 'cancel_requested')
        assert.equal(told.length, 2, 'the owner reads of both')
        await exits.ended(order, 'CANCELLED')
        assert.equal((await exits.exitOf(signal)).exitCancelledBy, 'ann')
      }
    })

    for (const [what, cancelledFor, status] of [
      ['it has expired instead', true, 'EXPIRED'],
      ['no order of ours was the reason', false, 'CANCELLED'],
    ] as const)
      it(`leaves the rest to its owner where ${what}`, async () => {
        const signal = await exits.opened()
        const order = await exits.sent(signal, 1)
        if (cancelledFor) await exits.isToGiveWay(order)
        await exits.ended(order, status, '4')
        const { uncovered, coveredQuantity, exitCancelledBy } = await exits.exitOf(signal)
        assert.deepEqual([uncovered, coveredQuantity, exitCancelledBy], ['6', '10', null])
      })

    it('an exit that was cancelled for another order differs from an entry that works on: no workflow asks again to cancel that', async () => {
      const signal = await createSignal(em, {
        accountId: account.id,
        exitRule: takeProfit,
        exitStatus: 'waiting',
      })
      const entry = orderReport(signal)
      await recordAccepted(em, entry)
      await exits.isToGiveWay(entry)
      const { phase, orderCancel } = await exits.resumed(signal)
      assert.deepEqual([phase, orderCancel], ['working', null])
    })
  })

  for (const kind of ['rejected', 'taken_back'] as const)
    it(`sizes an exit again that was ${kind === 'rejected' ? 'rejected by its broker' : 'taken back before it was sent'}`, async () => {
      const signal = await exits.opened()
      await exits.sized(signal, 1, '10')
      await recordExitTrouble(em, signal.id, at(), {
        generation: 1,
        kind,
        code: kind === 'rejected' ? 'BROKER_ERROR' : null,
        detail: 'no',
        acknowledges: [],
        progress: afterUnsent(exitBegins()),
      })
      const { exit, phase } = await exits.resumed(signal)
      assert.deepEqual([phase, exit.generation, exit.coveredQuantity], ['exiting', 2, '0'])
    })

  describe('which was recorded as rejected, filled all the same and was opened again,', () => {
    async function filledAllTheSame(status: 'PARTIALLY_FILLED' | 'FILLED' = 'FILLED'): Promise<Signal> {
      const signal = await createSignal(em, {
        accountId: account.id,
        exitRule: takeProfit,
        exitStatus: 'waiting',
      })
      await decideOnce(em, signal.id, 'entry', { outcome: 'ready', quantity: '10', advisories: [] })
      await recordNotPlaced(em, signal.id, at(), {
        outcome: 'rejected',
        code: 'INSUFFICIENT_FUNDS',
        detail: 'no',
      })
      const report = { ...filledNow(orderReport(signal), status === 'FILLED' ? '10' : '4'), status }
      await applyOrderReport(em, account.id, report)
      return signal
    }

    it('a signal that is started again from the ledger, after its workflow was lost, which was recorded as rejected, filled all the same and was opened again, is missed when its workflow is lost again', async () => {
      const signal = await filledAllTheSame()
      assert.ok(await findOpenSignal(em, signal.id))
      const missed = await listStarted(em, new Date(Date.now() + 60_000).toISOString(), 1_000)
      assert.ok(missed.some(({ id }) => id === signal.id))
    })

    it('a signal that is started again from the ledger, after its workflow was lost, which was recorded as rejected, filled all the same and was opened again, is left alone once it has ended again', async () => {
      const signal = await filledAllTheSame()
      await exits.closes(signal, 1, 2, await exits.sent(signal, 1))
      assert.equal(await findOpenSignal(em, signal.id), null)
    })
  })

  describe('of an order by hand,', () => {
    const working = async () => {
      const terms = await placedByHand(em, account, { orderType: 'limit', limitPrice: '90' })
      const report = acceptanceOf(terms)
      await applyOrderReport(em, account.id, report)
      return { signalId: terms.signalId, clientOrderId: report.clientOrderId }
    }
    const cancel = async (signalId: string) => (await loadSignal(em, signalId, at())).orderCancel

    it('a signal that is started again from the ledger, after its workflow was lost, of an order by hand, is cancelled for no person where another order should replace it', async () => {
      const { signalId, clientOrderId } = await working()
      await recordCancelledFor(em, { clientOrderId }, 'closer-e1', at())
      assert.equal((await readCancelMarks(em, clientOrderId)).cancelledFor, 'closer-e1')
      assert.equal(await cancel(signalId), null)
    })

    it('a signal that is started again from the ledger, after its workflow was lost, of an order by hand, is cancelled for the person who wants that, whether or not it should be replaced as well', async () => {
      for (const givesWayToo of [false, true]) {
        const { signalId, clientOrderId } = await working()
        if (givesWayToo) await recordCancelledFor(em, { clientOrderId }, 'closer-e1', at())
        await recordCancelRequested(em, signalId, at(), { clientOrderId, by: 'ann' })
        await recordCancelRequested(em, signalId, at(), { clientOrderId, by: 'bob' })
        assert.deepEqual(await cancel(signalId), { clientOrderId, by: 'ann' })
      }
    })
  })
})
