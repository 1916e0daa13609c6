import assert from 'node:assert/strict'
import { flatVerdict, nextFlatWindow, type FlatSettings } from '#domain/exit/flat-by-close.ts'
import {
  isOpenAt,
  mustClose,
  pauseAfterRound,
  stepOf,
  type ClosingOrder,
  type FlattenLineStatus,
  type HeldLine,
  type Opening,
} from '#domain/position/flatten.ts'

const at = (time: string): number => Date.parse(`2026-11-27 ${time}Z`)
/** The day after Thanksgiving, which ends at 13:00 in New York, and the Monday after it. */
const sessions = [
  { date: '2026-11-27', opensAt: '2026-11-27T14:30:00.000Z', closesAt: '2026-11-27T18:00:00.000Z' },
  { date: '2026-11-30', opensAt: '2026-11-30T14:30:00.000Z', closesAt: '2026-11-30T21:00:00.000Z' },
]
const none: FlatSettings = { account: null, strategy: null, hook: null }

describe('flat by the close', () => {
  it('counts from the close of the calendar, on a half day too, and is alarmed at half of the time', () => {
    const window = nextFlatWindow(sessions, { minutes: 10 }, at('15:00'))!
    assert.deepEqual(
      [window.session.date, window.from, window.alarmAt, window.until],
      ['2026-11-27', at('17:50'), at('17:55'), at('18:00')],
    )
    assert.equal(nextFlatWindow(sessions, { minutes: 10 }, at('18:00'))?.session.date, '2026-11-30')
    assert.equal(nextFlatWindow([], { minutes: 10 }, at('18:00')), null)
  })

  it('knows when the exchange is open, from the opening on and not at the close', () => {
    assert.deepEqual(
      ['14:29:59.999', '14:30', '17:59:59.999', '18:00'].map((time) => isOpenAt(at(time), sessions)),
      [false, true, true, false],
    )
  })

  it('opens nothing from then on until the session has ended, and closes at any time', () => {
    const account = { minutes: 10, includeManual: false }
    const judge = (time: string, { action = 'openLong', isManual = false } = {}) =>
      flatVerdict({ action: action as 'openLong' }, { ...none, account }, isManual, {
        at: at(time),
        sessions,
      }).outcome
    assert.deepEqual(
      [judge('17:49'), judge('17:50'), judge('17:59'), judge('18:00')],
      ['passed', 'denied', 'denied', 'passed'],
    )
    assert.equal(judge('17:55', { action: 'closeLong' }), 'skipped')
    assert.equal(judge('17:55', { isManual: true }), 'skipped', 'manual orders are not chosen')
  })

  it('says whose setting is against an order, and until when', () => {
    const settings = { ...none, strategy: { minutes: 10, includeManual: false } }
    const verdict = flatVerdict({ action: 'openShort' }, settings, false, { at: at('17:55'), sessions })
    assert.match(verdict.message, /^the strategy is flat by the close.* until 2026-11-27T18:00:00\.000Z$/)
  })
})

describe('a position that must be closed', () => {
  it('a request to close everything takes what it found, and what may still be opened from before it', () => {
    const opening = { symbol: 'F', detail: 'an entry' }
    const judge = (status: FlattenLineStatus | null, openings: Opening[] | null) =>
      mustClose('request', 'F', status && { status, order: null }, openings)
    assert.deepEqual([judge(null, null), judge(null, []), judge(null, [opening])], [true, false, true])
    assert.deepEqual(
      [judge('held', []), judge('closed', []), judge('closed', [opening])],
      [true, false, true],
    )
    const closed = { status: 'closed', order: null } as const
    assert.ok(mustClose('close', 'F', closed, []), 'the close of a session takes all')
  })

  it('a request to close everything takes no shares that are held after the order for all of its own has filled', () => {
    const judge = (order: ClosingOrder, openings: Opening[] = []) =>
      mustClose('request', 'F', { status: 'closing', order }, openings)
    const filled = ended(null, 'FILLED')
    assert.equal(judge(filled), false)
    assert.ok(judge({ ...filled, isWhole: false }), 'it was for a part')
    assert.ok(judge(ended(null, 'EXPIRED')))
    assert.ok(judge(filled, [{ symbol: 'F', detail: 'an entry' }]))
  })

  const line: HeldLine = { accountId: 'a', symbol: 'F', side: 'LONG', held: '10', tries: 1, order: null }
  const ended = (code: string | null, status: 'REJECTED' | 'EXPIRED' | 'FILLED' = 'REJECTED') => ({
    signalId: 'signal',
    clientOrderId: 'signal-e1',
    status,
    isPlaced: true,
    isWhole: true,
    code,
    reason: 'no',
    changedAt: new Date(at('15:00')).toISOString(),
  })

  it('a position that must be closed has one order at a time, and the next one after a pause that grows', () => {
    assert.equal(stepOf(line, at('15:00')).next, at('15:00'))
    const working = { ...ended(null), status: 'OPEN' as const }
    assert.deepEqual(stepOf({ ...line, order: working }, at('15:00')), {
      status: 'closing',
      detail: null,
      next: null,
    })
    const pauses = [1, 2, 3, 9].map(
      (tries) => stepOf({ ...line, tries, order: ended('STALE') }, at('15:00')).next! - at('15:00'),
    )
    assert.deepEqual(pauses, [2_000, 5_000, 15_000, 300_000])
  })

  it('a position that must be closed is given up after six refusals for good, and never for what can pass', () => {
    const statusOf = (code: string | null, status?: 'EXPIRED') =>
      stepOf({ ...line, tries: 6, order: ended(code, status) }, at('15:00')).status
    assert.deepEqual(
      [statusOf('BROKER_ERROR'), statusOf('POSITION_HELD'), statusOf('STALE'), statusOf(null, 'EXPIRED')],
      ['failed', 'held', 'held', 'held'],
    )
  })

  it('waits for the broker to show a fill, and goes on where it does not', () => {
    const order = ended(null, 'FILLED')
    for (const time of ['15:00', '15:00:14.999'])
      assert.equal(stepOf({ ...line, order }, at(time)).next, null)
    assert.equal(stepOf({ ...line, order }, at('15:00:15')).next, at('15:00:15'))
    assert.equal(stepOf({ ...line, order }, at('15:01')).next, at('15:01'))
  })

  it('a position that must be closed is looked at again in time for an alarm', () => {
    const pauses = [10, 11, 40, 41].map((round) =>
      pauseAfterRound(round, { isOpen: true, now: at('15:00'), before: ['2026-11-27T15:00:00.000Z'] }),
    )
    assert.deepEqual(pauses, [1_000, 5_000, 5_000, 15_000], 'an instant that has come is none to wait for')
    const before = ['2026-11-27T15:00:03.000Z', null]
    assert.equal(pauseAfterRound(90, { isOpen: true, now: at('15:00'), before }), 3_000)
    assert.equal(pauseAfterRound(90, { isOpen: false, now: at('15:01'), before }), 60_000)
  })
})
