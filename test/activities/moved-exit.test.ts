import assert from 'node:assert/strict'
import { Alert, Signal, SignalEvent } from '#db/entities/index.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { exitBegins } from '#domain/exit/progress.ts'
import type { ExitRule } from '#domain/exit/exit.ts'
import type { OrderReport } from '#domain/order/order.ts'
import type { TradingSession } from '#domain/time/session.ts'
import { instantToLocal } from '#domain/time/wall-time.ts'
import { orderReport, withFill } from '#test/support/factories.ts'
import { exitAfter } from '#test/support/sample-signal.ts'
import { useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

const MINUTE = 60_000
const instant = (at: number): string => new Date(at).toISOString()
const beforeClose: ExitRule = { ...exitAfter(28), trigger: 'minutesBeforeClose' }

/** The open session, which closes when it is said to, or is none; and a session of six hours on each of the days after it. */
function sessionsFrom(now: number, firstCloses: number | null): TradingSession[] {
  // A day and an hour apart, so that clocks which are put back bring no two of them onto one date.
  const days = [0, 1, 2, 3].map((days) => {
    const opens = now - 60 * MINUTE + days * 25 * 60 * MINUTE
    return {
      date: instantToLocal(instant(opens), 'America/New_York').date,
      opensAt: instant(opens),
      closesAt: instant(days === 0 && firstCloses !== null ? firstCloses : opens + 360 * MINUTE),
    }
  })
  return firstCloses === null ? days.slice(1) : days
}

describe('an exit that waits, in the ledger', function () {
  this.timeout(30_000)
  let { em, account, broker, activities, accepted } = {} as ActivityDesk
  useDesk((opened) => ({ em, account, broker, activities, accepted } = opened))
  async function opened(exitRule: ExitRule, filledAt = instant(Date.now())) {
    const signal = await accepted({ exitRule, exitStatus: 'waiting' })
    const filled = withFill(orderReport(signal), '10')
    const entry: OrderReport = { ...filled, filledAt, endedAt: filledAt }
    await recordAccepted(em, entry)
    return { signal, entry, rule: exitRule }
  }
  const planning = ({ signal, entry, rule }: Awaited<ReturnType<typeof opened>>) => ({
    signalId: signal.id,
    accountId: account.id,
    rule,
    entry,
    entryEndedAt: entry.endedAt!,
    heardAt: instant(Date.now()),
    progress: exitBegins(),
  })
  const record = async ({ id }: Signal) => {
    const books = em.fork()
    const { exitSubmitAt, exitReason } = await books.findOneOrFail(Signal, { id })
    const events = await books.find(
      SignalEvent,
      { signalId: id, kind: 'exit_planned' },
      { orderBy: { sequence: 'asc' } },
    )
    const alerts = await books.find(Alert, { signalId: id, resolvedAt: null })
    return {
      submitAt: exitSubmitAt?.toISOString(),
      reason: exitReason,
      told: events.map(({ message }) => message),
      alerts: alerts.map(({ kind, message }) => `${kind}: ${message}`),
    }
  }

  it('an exit that waits, in the ledger whose day falls away is moved in its record, its timeline and an alert, which ends when it is moved back', async () => {
    const now = Date.now()
    const closesAt = now + 300 * MINUTE
    broker.sessions = sessionsFrom(now, closesAt)
    const one = await opened(beforeClose)
    const first = await activities.scheduleExit(planning(one))
    assert.equal(first.submitAt, instant(closesAt - 28 * MINUTE))

    broker.sessions = sessionsFrom(now, null)
    const again = { ...planning(one), scheduledFor: first.submitAt, plannedAt: instant(now) }
    const moved = await activities.scheduleExit(again)
    assert.equal(moved.submitAt, instant(Date.parse(broker.sessions[0]!.closesAt) - 28 * MINUTE))
    const told = await record(one.signal)
    assert.deepEqual([told.submitAt, told.reason], [moved.submitAt, 'exit_rolled_to_next_session'])
    assert.equal(told.told.length, 2)
    assert.ok(told.told[1]!.includes(`is moved from ${first.submitAt} to ${moved.submitAt}`))
    assert.match(told.alerts.join(), /unprotected_position: .*The position stays open until then/)

    // A repetition of the same step, as after the death of a worker, says nothing more.
    await activities.scheduleExit(again)
    assert.deepEqual(await record(one.signal), told)

    broker.sessions = sessionsFrom(now, closesAt)
    const back = { ...planning(one), scheduledFor: moved.submitAt, plannedAt: instant(now + 1) }
    assert.equal((await activities.scheduleExit(back)).submitAt, first.submitAt)
    const after = await record(one.signal)
    assert.deepEqual([after.submitAt, after.reason, after.alerts], [first.submitAt, null, []])
    assert.equal(after.told.length, 3)
  })

  it('an exit that waits, in the ledger that is tried again later shows the time of that, and not one that has passed', async () => {
    const now = Date.now()
    broker.sessions = sessionsFrom(now, now + 300 * MINUTE)
    const one = await opened(exitAfter(0))
    await activities.scheduleExit(planning(one))
    const nextTry = { usual: instant(now + 6_000), acknowledged: instant(now + 15 * MINUTE) }
    const trouble = {
      generation: 1,
      progress: exitBegins(),
      kind: 'held',
      code: null,
      detail: 'another order holds the shares',
    } as const
    const input = { signalId: one.signal.id, acknowledges: [], nextTry, ...trouble }
    await activities.recordExitTrouble({ ...input, at: instant(now) })
    assert.equal((await record(one.signal)).submitAt, nextTry.usual)
    await em.execute(
      `update alerts set acknowledged_at = now(), acknowledged_by = 'a person' where signal_id = ?`,
      [one.signal.id],
    )
    await activities.recordExitTrouble({ ...input, at: instant(now + 1) })
    assert.equal((await record(one.signal)).submitAt, nextTry.acknowledged)
  })
})
