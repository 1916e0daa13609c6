import assert from 'node:assert/strict'
import type { AgendaItem } from '#client/types.ts'
import { problemOf } from '#web/connection/problem.ts'
import { pillOf, type Halt } from '#web/words/halts.ts'
import { releasedBy } from '#web/words/agenda.ts'
import { underStop, type Met } from '#web/words/under-stop.ts'

const NOW = Date.parse('2026-03-02T15:00:00Z')
const item = (fields: Partial<AgendaItem>): AgendaItem => ({
  kind: 'exit',
  at: '2026-03-02T15:15:00Z',
  signalId: 's',
  orderId: null,
  accountId: 'a',
  symbol: 'KO',
  action: 'openLong',
  side: null,
  quantity: 7,
  quantityType: 'fixed',
  heldBy: null,
  ...fields,
})
const halt = (fields: Partial<Halt>): Halt => ({
  id: '1',
  scope: 'user',
  accountId: null,
  level: 'fullStop',
  reason: null,
  setBy: 'me',
  setAt: '2026-03-02T14:36:00Z',
  liftedBy: null,
  liftedAt: null,
  ...fields,
})

const NOTHING: Met = { items: [], isCut: false, plans: [], orders: [] }
const RESTING = { quantity: 10, stopPrice: 95, limitPrice: null, timeInForce: 'gtc' } as const
const plan = (orderType: 'stop' | 'oco' | 'limit' | null, ...keptHere: Met['plans'][number]['keptHere']) => ({
  atBroker: orderType && { ...RESTING, orderType, orderId: `${orderType} ${keptHere.join(' ')}` },
  keptHere,
})

describe('the words of a stop', () => {
  const entry = item({ kind: 'schedule' })
  const close = item({ kind: 'schedule', action: 'closeLong' })

  it('say of a level what it does to the exits and entries that are planned', () => {
    const planned = { ...NOTHING, items: [item({}), close, entry, item({ kind: 'expiry' })] }
    assert.deepEqual(underStop('fullStop', planned, NOW), [
      '2 time exits are planned, the first in 15 min: they wait until you resume.',
      '1 planned entry is refused at its time.',
    ])
    for (const level of ['pauseEntries', 'reduceOnly'] as const)
      assert.deepEqual(underStop(level, planned, NOW), ['1 planned entry is refused at its time.'])
    assert.deepEqual(underStop('fullStop', NOTHING, NOW), [])
  })

  it('say what goes on at the broker under a full stop, and which levels wait here', () => {
    const plans = [
      plan('oco'),
      plan('stop', 'target'),
      plan('stop', 'trail', 'breakEven'),
      plan(null, 'stop', 'target'),
    ]
    const orders = [
      ...plans.flatMap(({ atBroker }) =>
        atBroker ? [{ id: atBroker.orderId, side: 'SELL', role: 'exit' } as const] : [],
      ),
      { id: 'x', side: 'BUY_TO_COVER', role: 'exit' },
      { id: 'e', side: 'BUY', role: 'entry' },
      { id: 'm', side: 'SELL_SHORT', role: 'manual' },
    ] as const
    assert.deepEqual(underStop('fullStop', { ...NOTHING, plans, orders }, NOW), [
      'At the broker, still able to fill: 3 stops or targets, 1 other closing order, 2 orders that open positions.',
      '1 trail or break-even goes on moving the stop at the broker.',
      '3 stops or targets are kept by this service: nothing is sent when they are reached, until you resume.',
    ])
    for (const level of ['pauseEntries', 'reduceOnly'] as const)
      assert.deepEqual(underStop(level, { ...NOTHING, plans, orders }, NOW), [
        'At the broker, still able to fill: 2 orders that open positions.',
      ])
  })

  it('say which overdue items are sent when it is lifted: not those that come later, open, or are held by another stop', () => {
    const due = item({ at: '2026-03-02T14:50:00Z' })
    const mine = halt({})
    const items = [due, item({}), { ...entry, at: due.at }]
    assert.deepEqual(releasedBy(mine, [mine], items, NOW), [due])
    const ofAccount = halt({ id: '2', scope: 'account', accountId: 'a' })
    assert.deepEqual(releasedBy(mine, [mine, ofAccount], items, NOW), [])
    const milder = { ...ofAccount, level: 'reduceOnly' } as const
    assert.deepEqual(releasedBy(mine, [mine, milder], items, NOW), [due])
  })

  it('name in the header the most severe stop, and how many accounts it binds where it does not bind all', () => {
    const one = halt({ scope: 'account', accountId: 'a', level: 'fullStop' })
    assert.equal(pillOf([], ['a', 'b']), null)
    assert.equal(pillOf([one], ['a', 'b']), 'STOPPED 1/2')
    assert.equal(pillOf([one], ['a']), 'STOPPED')
    assert.equal(pillOf([one, halt({ level: 'pauseEntries' })], ['a', 'b']), 'STOPPED 1/2')
    assert.equal(pillOf([halt({ level: 'reduceOnly' })], []), 'REDUCE ONLY')
  })
})

describe('a request too many, in the web app,', () => {
  const words = (message: string, retryAfter?: number) =>
    problemOf(429, { error: 'rate_limited', message, code: 'RATE_LIMIT_EXCEEDED', retryAfter }).message

  it('a request too many, in the web app, is shown with the time after which it may be sent again', () => {
    assert.equal(
      words('Too many requests: wait until the window ends', 12),
      'Too many requests: try again in 12 s',
    )
    assert.equal(words('Too many wrong attempts', 840), 'Too many wrong attempts. Try again in 14 min')
    assert.equal(
      words('Too many requests: wait until the window ends'),
      'Too many requests: wait until the window ends',
    )
  })
})
