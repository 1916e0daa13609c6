import assert from 'node:assert/strict'
import type { HookRequest, Signal } from '#client/types.ts'
import { filledToday, reasonsOf, todayTitle, type Day } from '#web/strategy/today.ts'

const NOW = Date.parse('2026-03-02T18:00:00.000Z')

const quiet = (changes: Partial<Day> = {}): Day => ({
  strategy: { status: 'active' },
  signals: [],
  hooks: [],
  halts: [],
  closed: null,
  ...changes,
})
const signal = (changes: Partial<Signal>): Signal =>
  ({
    id: 'one',
    symbol: 'AAPL',
    status: 'executed',
    statusReason: null,
    statusDetail: null,
    filledQuantity: 0,
    ...changes,
  }) as Signal
const request = (changes: Partial<HookRequest>): HookRequest =>
  ({
    id: 'request',
    outcome: 'refused',
    code: 'UNKNOWN',
    message: null,
    signals: [],
    ...changes,
  }) as HookRequest
const hook = { id: 'hook', name: 'Breakout', lastRequestAt: '2026-03-01T18:00:00.000Z' }
const lines = (day: Day): string[] =>
  reasonsOf(day, NOW).map(({ text, count }) => (count === null ? text : `${count} × ${text}`))

describe('why a strategy has not traded today', () => {
  it('why a strategy has not traded today is explained from the day with nothing in it', () => {
    assert.deepEqual(lines(quiet()), [
      'No signal came today, and no hook sends for this strategy: signals name it by its id.',
    ])
    assert.deepEqual(lines(quiet({ hooks: [{ hook, requests: [] }] })), [
      'Breakout: no message came today; the last one came 24 h ago.',
    ])
    assert.deepEqual(lines(quiet({ hooks: [{ hook: { ...hook, lastRequestAt: null }, requests: [] }] })), [
      'Breakout: no message came today; none ever did.',
    ])
  })

  it('why a strategy has not traded today begins with what binds everything', () => {
    const day = quiet({
      strategy: { status: 'paused' },
      halts: [{ account: 'Main', halt: { level: 'pauseEntries', reason: 'earnings' } }],
      closed: 'Market closed, opens in 2:14:05',
      signals: [
        signal({ status: 'rejected', statusReason: 'STRATEGY_PAUSED', statusDetail: 'it is paused' }),
      ],
    })
    assert.deepEqual(lines(day), [
      'The strategy is paused: its signals that open positions are refused.',
      'Entries are paused in Main: earnings',
      'Market closed, opens in 2:14:05.',
      '1 × AAPL rejected: it is paused',
    ])
  })

  it('why a strategy has not traded today counts alike reasons together, with the newest to look at', () => {
    const day = quiet({
      hooks: [
        {
          hook,
          requests: [
            request({ id: 'newest', message: 'No quantity' }),
            request({ message: 'No quantity' }),
            request({ outcome: 'accepted', signals: [{} as HookRequest['signals'][number]] }),
          ],
        },
      ],
      signals: [
        signal({ id: 'newest', status: 'pending' }),
        signal({ status: 'pending' }),
        signal({ status: 'executed', filledQuantity: 10 }),
        signal({ status: 'executed' }),
        signal({ status: 'cancelled', statusReason: 'EXPIRED', statusDetail: 'nobody approved it' }),
      ],
    })
    assert.deepEqual(lines(day), [
      '2 × Breakout: No quantity',
      '2 × AAPL needs approval',
      '1 × AAPL was accepted by the broker and has not filled',
      '1 × AAPL expired: nobody approved it',
    ])
    assert.deepEqual(
      reasonsOf(day, NOW)
        .slice(0, 2)
        .map(({ at }) => at),
      [{ hook: 'hook', request: 'newest' }, { signal: 'newest' }],
    )
    assert.equal(todayTitle(filledToday(day.signals)), '1 signal received today has filled')
    assert.equal(todayTitle(0), 'No signal received today has filled')
  })
})
