import assert from 'node:assert/strict'
import { ORDER_REASONS } from '#domain/exit/exit.ts'
import {
  acknowledgeAlert,
  listAlerts,
  raiseAlert,
  resolveAlert,
  resolveManuallyClosed,
  symbolsWithAlert,
  endWhenQuiet,
  signalsWithoutExitForKeys,
} from '#db/alert/alerts.ts'
import type { Database, EntityManager } from '#db/engine/database.ts'
import { decideOnce } from '#db/order/decisions.ts'
import { recordExitCancelled } from '#db/signal/decision-ledger.ts'
import { Alert, Position, type Signal } from '#db/entities/index.ts'
import {
  recordClosed,
  recordAccepted,
  recordExitScheduled,
  recordExitTrouble,
  type SignalEnd,
} from '#db/signal/ledger.ts'
import { noteReopened } from '#db/signal/reopening.ts'
import { forgetReadable } from '#db/watch/overdue-work.ts'
import { exitBegins, type ExitProgress } from '#domain/exit/progress.ts'
import { ALERT_KINDS, ALERTS, type AlertKind } from '#domain/alert/alert.ts'
import { DENIALS, type DenialCode } from '#domain/risk/denial.ts'
import type { ExitTrouble } from '#domain/exit/exit.ts'
import { clientOrderIdFor } from '#domain/order/order.ts'
import { signalIn, timelineOf } from '#test/support/ledger.ts'
import { createAccount, createSignal, orderReport } from '#test/support/factories.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { useDatabase } from '#test/support/database.ts'

const AT = '2026-03-02T15:00:02.000Z'
const PLAN = { submitAt: '2026-03-02T15:30:00.000Z', reason: null } as const

describe('alerts', () => {
  let database: Database
  let em: EntityManager
  let signal: Signal
  useDatabase((opened) => {
    database = opened
    em = database.em
  })
  beforeEach(async () => {
    signal = await createSignal(em, { status: 'executed', exitRule: exitAtOnce, exitStatus: 'waiting' })
  })

  const all = (): Promise<Alert[]> =>
    em.fork().find(Alert, { accountId: signal.accountId }, { orderBy: { raisedAt: 'asc' } })
  const open = async (): Promise<AlertKind[]> =>
    (await all()).filter(({ resolvedAt }) => resolvedAt === null).map(({ kind }) => kind)
  const refused = (generation = 1): ExitTrouble => ({
    generation,
    kind: 'rejected',
    code: 'INVALID_ORDER',
    detail: 'the symbol is halted',
  })
  const trouble = (what: ExitTrouble) => recordExitTrouble(em, signal.id, AT, { ...what, acknowledges: [] })
  const accepted = (generation: number) =>
    recordAccepted(em, orderReport(signal, { role: 'exit', generation }))
  const planned = (generation: number, changes: Partial<ExitProgress> = {}) =>
    recordExitScheduled(em, signal.id, AT, {
      entry: orderReport(signal),
      plan: PLAN,
      progress: { ...exitBegins(generation), ...changes },
    })
  const closed = (end: Partial<SignalEnd> = {}) =>
    recordClosed(em, signal.id, AT, {
      message: 'the end',
      acknowledges: [],
      exit: { generation: 9, status: 'filled', reason: null },
      rejected: false,
      unprotected: null,
      closing: 1,
      entryFilled: '0',
      progress: exitBegins(),
      ...end,
    })
  /** All alerts of the account were raised this long ago. */
  const aged = (age: string) =>
    em.execute(`update alerts set raised_at = now() - ?::interval where account_id = ?`, [
      age,
      signal.accountId,
    ])
  /** The alert is open, or none is, after the account was looked at, if `quiet` is given. */
  const isUnprotected = async (quiet?: number) => {
    if (quiet !== undefined) await resolveManuallyClosed(em, signal.accountId, quiet)
    assert.deepEqual(await open(), ['unprotected_position'])
  }
  const hasEnded = async (quiet?: number) => {
    if (quiet !== undefined) await resolveManuallyClosed(em, signal.accountId, quiet)
    assert.deepEqual(await open(), [])
  }
  const subject = () => ({ accountId: signal.accountId, signalId: signal.id })
  const notice = { kind: 'replaced_order_working', message: 'gone', data: { a: 1 } } as const

  it('alerts of every kind are taken by the database', async () => {
    for (const kind of ALERT_KINDS) {
      const signalId = ALERTS[kind].concerns === 'signal' ? signal.id : null
      await raiseAlert(em, { accountId: signal.accountId, signalId }, { ...notice, kind })
    }
    assert.deepEqual((await open()).toSorted(), [...ALERT_KINDS].toSorted())
  })

  it('raised again, and by many at once, stay a single alert with the last message', async () => {
    await Promise.all(Array.from({ length: 10 }, () => raiseAlert(em, subject(), notice)))
    await raiseAlert(em, subject(), { ...notice, message: 'still gone' })
    const alerts = await all()
    assert.deepEqual(
      alerts.map(({ message, data, userId }) => [message, data, userId]),
      [['still gone', { a: 1 }, signal.userId]],
    )
  })

  it('alerts that were resolved and are raised again are new ones', async () => {
    for (let round = 0; round < 2; round += 1) {
      await raiseAlert(em, subject(), notice)
      await resolveAlert(em, subject(), notice.kind)
    }
    assert.equal((await all()).length, 2)
    assert.deepEqual(await open(), [])
  })

  describe('whose cause comes and goes', () => {
    const account = () => ({ accountId: signal.accountId, signalId: null })
    const refusedKeys = { kind: 'credentials', message: 'refused', data: {} } as const
    const good = (quiet?: number) => endWhenQuiet(em, account(), 'credentials', quiet)

    it('end once it has been gone for the quiet time, and show each time their status', async () => {
      assert.equal(await good(), 'none')
      await raiseAlert(em, account(), refusedKeys)
      assert.deepEqual([await good(), await good()], ['first', 'quiet'])
      await em.execute(`update alerts set healthy_since = now() - interval '61 seconds'`)
      assert.deepEqual([await good(), await good()], ['over', 'none'])
    })

    it('alerts whose cause comes and goes are the same alert when they are raised in the quiet time, which then begins again', async () => {
      await raiseAlert(em, account(), refusedKeys)
      await good()
      await em.execute(`update alerts set healthy_since = now() - interval '59 seconds'`)
      await raiseAlert(em, account(), refusedKeys)
      assert.equal(await good(), 'first')
      assert.equal((await em.fork().find(Alert, { accountId: signal.accountId })).length, 1)
    })

    it('alerts whose cause comes and goes are one for each symbol, and ending one leaves the others', async () => {
      const differs = { kind: 'position_differs', message: 'differs', data: {} } as const
      for (const symbol of ['AAPL', 'NVDA']) await raiseAlert(em, { ...account(), symbol }, differs)
      assert.equal(await endWhenQuiet(em, { ...account(), symbol: 'NVDA' }, 'position_differs', 0), 'over')
      assert.deepEqual(await symbolsWithAlert(em, signal.accountId, 'position_differs'), ['AAPL'])
    })
  })

  it('alerts that a person only has to read end a day later by themselves, and no others', async () => {
    for (const kind of ['ended_unfilled', 'fill_after_end'] as const)
      await raiseAlert(em, subject(), { kind, message: 'read', data: {} })
    await forgetReadable(em)
    assert.deepEqual((await open()).toSorted(), ['ended_unfilled', 'fill_after_end'])
    await aged('25 hours')
    await forgetReadable(em)
    assert.deepEqual(await open(), ['fill_after_end'])
  })

  describe('of an unprotected position', () => {
    it('alerts of an unprotected position are raised by the refusal of an exit, with its words, and resolved by the acceptance of the next', async () => {
      assert.deepEqual(await trouble(refused()), { acknowledged: false })
      await isUnprotected()
      assert.match((await all())[0]!.message, /rejected the exit: the symbol is halted/)
      assert.equal((await signalIn(em, signal.id)).exitReason, 'the symbol is halted')
      await accepted(2)
      await hasEnded()
      assert.equal((await signalIn(em, signal.id)).exitReason, null)
    })

    for (const code of Object.keys(DENIALS) as DenialCode[])
      it(`alerts of an unprotected position are raised by ${code}, and the exit's reason does not repeat that code`, async () => {
        await trouble({ ...refused(), code })
        assert.equal((await signalIn(em, signal.id)).exitReason, 'the symbol is halted')
        for (const { message } of await all()) assert.ok(!message.includes(code), message)
      })

    it('stay one through refusal after refusal, and say to the next one that a person knows', async () => {
      await trouble(refused())
      const [alert] = await all()
      await acknowledgeAlert(em.fork(), signal.userId, alert!.id, 'ann')
      assert.deepEqual(await trouble(refused(2)), { acknowledged: true })
      await isUnprotected()
    })

    for (const [what, end] of [
      ['the position is found closed', () => closed()],
      [
        'a person cancels the exit',
        () => recordExitCancelled(em, signal.id, AT, { by: 'ann', generation: 2 }),
      ],
    ] as const)
      it(`alerts of an unprotected position are resolved when ${what}`, async () => {
        await trouble(refused())
        await end()
        await hasEnded()
      })

    it('alerts of an unprotected position for want of an exit time are resolved when that is known, others not by being planned again', async () => {
      await trouble({ generation: 1, kind: 'unplanned', code: null, detail: 'no calendar' })
      await isUnprotected()
      await planned(1)
      await hasEnded()
      await trouble(refused())
      for (const generation of [1, 2]) {
        await planned(generation)
        await isUnprotected()
      }
    })

    /** The size of an exit is kept that leaves so many shares of its own out. */
    const sized = (generation: number, leaves?: string, changes: object = {}) =>
      decideOnce(em, signal.id, `exit-${generation}`, {
        quantity: '4',
        coversQuantity: '4',
        ...(leaves && { leaves }),
        ...changes,
      })

    for (const [what, leaves, isFraction] of [
      ['for a part of the open shares, until the rest has one too', '6', false],
      ['for the part of a share, until the whole shares are out', '3', true],
    ] as const)
      it(`alerts of an unprotected position stay when an exit is accepted ${what}`, async () => {
        await trouble({ ...refused(), kind: 'held' })
        await sized(2, leaves, isFraction ? { isFraction } : {})
        await accepted(2)
        await isUnprotected()
        if (!isFraction) assert.match((await all())[0]!.message, /for part of the shares/)
        await sized(3)
        await accepted(3)
        await hasEnded()
      })

    for (const [what, leaves, changes, raised] of [
      ['are raised when the first exit is for a part of the open shares', '6', {}, ['unprotected_position']],
      [
        'are not raised by the part of a share that leaves before the whole ones',
        '3',
        { isFraction: true },
        [],
      ],
    ] as const)
      it(`alerts of an unprotected position ${what}`, async () => {
        await sized(1, leaves, changes)
        await accepted(1)
        assert.deepEqual(await open(), raised)
      })

    it('alerts of an unprotected position for shares that no exit follows stay when a late fill has an exit planned and accepted', async () => {
      const uncovered = { quantity: '4', clientOrderId: 'exit' } as const
      await closed({
        unprotected: '4',
        exit: { generation: 1, status: 'partially_filled', reason: 'The exit order ended EXPIRED' },
        progress: { ...exitBegins(), uncovered: [uncovered] },
      })
      await noteReopened(em, signal.id, AT)
      await planned(2, { uncovered: [uncovered] })
      await accepted(2)
      await isUnprotected()
      await closed({ closing: 2, exit: { generation: 3, status: 'filled', reason: null } })
      await hasEnded()
    })

    for (const reason of ORDER_REASONS)
      for (const [order, ends] of [
        ['plan', reason !== 'TIME'],
        ['target', reason !== 'TIME'],
        ['timed', true],
      ] as const)
        it(`alerts of an unprotected position that lacks its ${reason} exit ${ends ? 'end' : 'stay'} with the acceptance of a ${order} order, and are others than those of another exit`, async () => {
          await recordExitTrouble(em, signal.id, AT, { ...refused(), reason, acknowledges: [] })
          await trouble(refused())
          assert.equal((await open()).length, 2)
          await recordAccepted(em, {
            ...orderReport(signal, { role: 'exit', generation: 2 }),
            clientOrderId: clientOrderIdFor(signal.id, order, 2),
          })
          if (ends) return hasEnded()
          await isUnprotected()
          await accepted(3)
          await hasEnded()
        })

    it('alerts of an unprotected position name the exit that is late where its workflow does not', async () => {
      const reason = async () => (await all()).map(({ data }) => data['exitReason'])
      await trouble({ ...refused(), kind: 'unplanned' })
      assert.deepEqual(await reason(), ['TIME'])
    })

    it('alerts of an unprotected position for refused keys alert to the keys as well, and name the signals that wait for them', async () => {
      await trouble({ ...refused(), code: 'BROKER_CREDENTIALS_INVALID' })
      assert.deepEqual((await open()).toSorted(), ['credentials', 'unprotected_position'])
      assert.deepEqual(await signalsWithoutExitForKeys(em, signal.accountId), [signal.id])
      await accepted(2)
      assert.deepEqual(await signalsWithoutExitForKeys(em, signal.accountId), [])
    })

    it('alerts of an unprotected position that no exit follows stay after the end, until the account is flat in the symbol', async () => {
      await closed({
        unprotected: '4',
        exit: { generation: 9, status: 'partially_filled', reason: 'The exit order ended EXPIRED' },
      })
      await isUnprotected()
      await aged('2 minutes')
      await hold('LONG')
      await isUnprotected(0)
      await em.fork().nativeDelete(Position, { accountId: signal.accountId })
      await hasEnded(0)
    })

    it('alerts of an unprotected position that no exit follows stay when the broker shows no position for a moment only', async () => {
      await closed({ unprotected: '4', exit: { generation: 9, status: 'cancelled', reason: 'CANCELLED' } })
      await aged('2 minutes')
      await resolveManuallyClosed(em, signal.accountId)
      assert.ok((await all())[0]!.healthySince)
      await hold('LONG')
      await resolveManuallyClosed(em, signal.accountId)
      assert.equal((await all())[0]!.healthySince, null)
      await isUnprotected(0)
    })

    it('alerts of an unprotected position are not taken for flat while the exit is still tried, or the positions may lag behind', async () => {
      await trouble(refused())
      await aged('2 minutes')
      await isUnprotected(0)
      await closed({ unprotected: '4', exit: { generation: 9, status: 'cancelled', reason: null } })
      await aged('0 minutes')
      await isUnprotected(0)
    })
  })

  describe('and the exit, written late', () => {
    /** Every step of a story, in its order; a write that was given up may finish after any later one. */
    const story: [name: string, write: () => Promise<unknown>][] = [
      ['planned', () => planned(1)],
      ['rejected', () => trouble(refused(1))],
      ['accepted', () => accepted(2)],
      ['ended early', () => trouble({ ...refused(2), kind: 'ended' })],
      ['accepted again', () => accepted(3)],
      ['closed', () => closed({ exit: { generation: 4, status: 'filled', reason: null } })],
    ]
    const standing = async () => {
      const { exitStatus, exitReason, exitOrderId } = await signalIn(em, signal.id)
      return { exitStatus, exitReason, exitOrderId, alerts: await open() }
    }
    for (const [last, [after]] of story.entries())
      for (const [late, [name]] of story.slice(0, last).entries())
        it(`${name}, after ${after}: changes nothing`, async () => {
          for (const [, write] of story.slice(0, last + 1)) await write()
          const before = await standing()
          await story[late]![1]()
          assert.deepEqual(await standing(), before)
        })
  })

  describe('of a fill after the end', () => {
    const keys = async () => (await timelineOf(em, signal.id)).map(({ key }) => key)
    const partly = { generation: 11, status: 'partially_filled', reason: null } as const

    it('alerts of a fill after the end are raised when the signal is opened again, once for each end', async () => {
      await closed()
      for (let run = 0; run < 2; run += 1) await noteReopened(em, signal.id, AT)
      assert.deepEqual(await open(), ['fill_after_end'])
      assert.deepEqual(await keys(), ['closed', 'reopened'])
      await accepted(10)
      await hasEnded()
    })

    it('alerts of a fill after the end of a signal that ends again, and whose first end is written late: the last end counts', async () => {
      await closed()
      await noteReopened(em, signal.id, AT)
      await closed({ closing: 2, entryFilled: '0', progress: exitBegins() })
      await closed()
      await noteReopened(em, signal.id, AT)
      assert.deepEqual(await keys(), ['closed', 'reopened', 'closed-2', 'reopened-2'])
    })

    it('alerts of a fill after the end stay when the end before it is written again, with an exit or without', async () => {
      await closed({ exit: null })
      await raiseAlert(em, subject(), { ...notice, kind: 'fill_after_end' })
      await closed({ exit: null })
      assert.deepEqual(await open(), ['fill_after_end'])
      signal = await createSignal(em, { status: 'executed', exitRule: exitAtOnce, exitStatus: 'waiting' })
      await closed()
      await noteReopened(em, signal.id, AT)
      await closed()
      assert.deepEqual(await open(), ['fill_after_end'])
      await raiseAlert(em, subject(), { kind: 'unprotected_position', message: 'late', data: {} })
      await closed()
      assert.deepEqual((await open()).toSorted(), ['fill_after_end', 'unprotected_position'])
    })

    it('stay when the exit of that fill is for a part of its shares, and when it comes to nothing', async () => {
      await closed()
      await noteReopened(em, signal.id, AT)
      await decideOnce(em, signal.id, 'exit-10', { quantity: '4', coversQuantity: '4', leaves: '6' })
      await accepted(10)
      assert.deepEqual((await open()).toSorted(), ['fill_after_end', 'unprotected_position'])
      await closed({ closing: 2, unprotected: '6', exit: partly })
      assert.deepEqual((await open()).toSorted(), ['fill_after_end', 'unprotected_position'])
    })

    it('end when a person acknowledges them; others only become known', async () => {
      await raiseAlert(em, subject(), { ...notice, kind: 'fill_after_end' })
      await raiseAlert(em, subject(), notice)
      for (const { id } of await all()) {
        const known = await acknowledgeAlert(em.fork(), signal.userId, id, 'ann')
        assert.equal(known?.alert.acknowledgedBy, 'ann')
        assert.equal(known.symbol, 'AAPL')
        const again = await acknowledgeAlert(em.fork(), signal.userId, id, 'bob')
        assert.equal(again?.alert.acknowledgedBy, 'ann')
      }
      assert.deepEqual(await open(), ['replaced_order_working'])
    })
  })

  it('alerts of another user can neither be seen nor acknowledged', async () => {
    await raiseAlert(em, subject(), notice)
    const [alert] = await all()
    const stranger = (await createAccount(em)).userId
    assert.equal(await acknowledgeAlert(em.fork(), stranger, alert!.id, 'eve'), null)
    assert.equal((await all())[0]!.acknowledgedBy, null)
    const list = await listAlerts(em.fork(), stranger, { state: 'all' }, { limit: 10, offset: 0 })
    assert.equal(list.total, 0)
  })

  const hold = (side: 'LONG' | 'SHORT') =>
    em.execute(
      `insert into positions (id, user_id, account_id, symbol, side, quantity, avg_cost, current_price, market_value,
         unrealised_pnl, unrealised_pnl_percent) values (gen_random_uuid(), ?, ?, 'AAPL', ?, 4, 100, 100, 400, 0, 0)`,
      [signal.userId, signal.accountId, side],
    )
})
