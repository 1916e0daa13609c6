import assert from 'node:assert/strict'
import { ApplicationFailure } from '@temporalio/common'
import { SessionCalendar } from '#activities/plan-exit.ts'
import { sizeExit, type KeptDecisions } from '#activities/size-exit.ts'
import type { BrokerPosition } from '#brokers/port.ts'
import { held } from '#test/support/sample-position.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'

const ENTRY_ENDED = Date.parse('2026-03-02T15:00:00.000Z')

const AT_ANY_TIME = [
  { date: '2026-03-02', opensAt: '2026-03-02T00:00:00.000Z', closesAt: '2026-03-03T00:00:00.000Z' },
]
const MONDAY = [
  { date: '2026-03-02', opensAt: '2026-03-02T14:30:00.000Z', closesAt: '2026-03-02T15:00:30.000Z' },
  { date: '2026-03-03', opensAt: '2026-03-03T14:30:00.000Z', closesAt: '2026-03-03T21:00:00.000Z' },
]

/** Decisions kept in memory, the first of each key. */
function keptInMemory(): KeptDecisions {
  const kept = new Map<string, unknown>()
  return {
    recall: async <T>(signalId: string, key: string) =>
      (kept.get(`${signalId} ${key}`) as T | undefined) ?? null,
    keep: async <T>(signalId: string, key: string, decision: T) => {
      const found = kept.get(`${signalId} ${key}`)
      if (found === undefined) kept.set(`${signalId} ${key}`, decision)
      return (found ?? decision) as T
    },
  }
}

/** The size of an exit of 10 filled shares, so many milliseconds after the entry has ended. */
function size(
  position: BrokerPosition | null,
  side: 'SELL' | 'BUY_TO_COVER',
  { after = 60_000, sessions = AT_ANY_TIME, generation = 1, decisions = keptInMemory() } = {},
) {
  const broker = new ScriptedBroker()
  broker.positions = position ? [position] : []
  const now = () => ENTRY_ENDED + after
  const calendar = new SessionCalendar(
    async () => Object.assign(broker, { listSessions: async () => sessions }),
    now,
  )
  return sizeExit(
    { decisions, brokerFor: async () => broker, calendar, zoneOf: async () => 'America/New_York', now },
    {
      signalId: 'signal',
      generation,
      accountId: 'account',
      symbol: 'AAPL',
      side,
      filledQuantity: '10',
      entryEndedAt: new Date(ENTRY_ENDED).toISOString(),
      rule: exitAtOnce,
    },
  )
}

describe('the size of an exit', () => {
  const table: [string, BrokerPosition | null, 'SELL' | 'BUY_TO_COVER', string][] = [
    ['what was filled, when that is held', held('10', 'LONG'), 'SELL', '10'],
    ['what was filled, when more is held', held('25', 'LONG'), 'SELL', '10'],
    ['what is held, when a person has sold a part', held('4', 'LONG'), 'SELL', '4'],
    ['a fraction, when a fraction is held', held('0.5', 'LONG'), 'SELL', '0.5'],
    ['nothing, when the position was closed', null, 'SELL', '0'],
    ['nothing, when the position was turned around', held('10', 'SHORT'), 'SELL', '0'],
    ['what was filled, of a short position', held('10', 'SHORT'), 'BUY_TO_COVER', '10'],
    ['nothing, when a short position was turned around', held('10', 'LONG'), 'BUY_TO_COVER', '0'],
  ]
  for (const [name, position, side, quantity] of table)
    it(`is ${name}`, async () => {
      assert.deepEqual(await size(position, side), { quantity, answersFor: '10', notBefore: null })
    })

  it('is not decided while the broker may not show the fill yet', async () => {
    for (const position of [null, held('4', 'LONG')])
      await assert.rejects(size(position, 'SELL', { after: 4_999 }), (error: unknown) => {
        assert.ok(error instanceof ApplicationFailure)
        assert.deepEqual([error.type, error.nonRetryable ?? false], ['OutcomeUnknown', false])
        return true
      })
    assert.equal((await size(held('4', 'LONG'), 'SELL', { after: 5_000 })).quantity, '4')
  })

  it('is decided at once when all that was filled is held', async () => {
    assert.equal((await size(held('10', 'LONG'), 'SELL', { after: 0 })).quantity, '10')
  })

  it('is the first answer whenever it is asked for again, though the exit itself has moved the position', async () => {
    const decisions = keptInMemory()
    await size(held('10', 'LONG'), 'SELL', { decisions })
    assert.equal((await size(null, 'SELL', { decisions })).quantity, '10')
    assert.equal((await size(held('3', 'LONG'), 'SELL', { decisions, generation: 2 })).quantity, '3')
  })

  it('waits for the next session when the exchange is closed by now', async () => {
    const decisions = keptInMemory()
    const closed = await size(held('10', 'LONG'), 'SELL', { sessions: MONDAY, decisions })
    assert.deepEqual(closed, { quantity: null, answersFor: null, notBefore: '2026-03-03T14:30:00.000Z' })
    const nextDay = 24 * 3_600_000
    const open = await size(held('10', 'LONG'), 'SELL', { sessions: MONDAY, decisions, after: nextDay })
    assert.equal(open.quantity, '10')
  })
})
