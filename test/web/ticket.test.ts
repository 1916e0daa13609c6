import assert from 'node:assert/strict'
import type { Account, OrderDetail, Quote } from '#client/types.ts'
import { Problem } from '#web/connection/problem.ts'
import { noProtection } from '#web/exit/draft.ts'
import { offered } from '#web/symbol/offered.ts'
import { faultIn, refusalOf, type Checked } from '#web/trade/checked.ts'
import { completed, emptyDraft, firstAccount, ofOrder, ofSearch, type Draft } from '#web/trade/draft.ts'
import { NO_EXIT, type ExitDraft } from '#web/trade/exit.ts'
import { figuresOf } from '#web/trade/figures.ts'
import { effectOf, limitWarning, sentenceOf, sharesOfPart, verbOf } from '#web/trade/scene.ts'
import { sentOf } from '#web/trade/sent.ts'

describe('the symbols that are offered', () => {
  const found = [
    { symbol: 'AAPL', name: 'Apple Inc.' },
    { symbol: 'APLE', name: 'Apple Hospitality REIT' },
  ]
  const lines = (...given: Parameters<typeof offered>) =>
    offered(...given).map(({ symbol, name, isHeld }) => `${symbol} ${name}${isHeld ? ' held' : ''}`)

  it('symbols that are held are offered before those that are found, each once', () => {
    assert.deepEqual(lines('', ['APLE', 'MSFT', 'APLE'], []), ['APLE  held', 'MSFT  held'])
    assert.deepEqual(lines('apple', ['APLE', 'MSFT'], found), [
      'APLE Apple Hospitality REIT held',
      'AAPL Apple Inc.',
    ])
    assert.deepEqual(lines('ms', ['APLE', 'MSFT'], []), ['MSFT  held'])
  })
})

/** How a field is filled in, the choices that show it, and what is then in the request. */
interface Filling {
  filled: Partial<Draft>
  shown?: Partial<Draft>
  found?: readonly (string | number | boolean)[]
  /** It is asked for where a position is opened alone. */
  opensOnly?: true
}

const percent = (value: string) => ({ by: 'percent', value }) as const
const exiting = (changes: Partial<ExitDraft>): Pick<Draft, 'exit'> => ({
  exit: { ...NO_EXIT, exitTriggerType: 'minutesAfterEntry', ...changes },
})
const protecting = (changes: Partial<Draft['protection']>): Pick<Draft, 'protection'> => ({
  protection: { ...noProtection(), stop: percent('3'), trail: percent('4'), ...changes },
})

/** Every field of the form: one that is added and is not here does not compile. */
const FIELDS: Record<Exclude<keyof Draft, 'exit' | 'protection'>, Filling> = {
  side: { filled: { side: 'SELL' } },
  effect: { filled: { effect: 'close' } },
  symbol: { filled: { symbol: 'zebra' }, found: ['ZEBRA'] },
  accountId: { filled: { accountId: 'second' }, found: ['second'] },
  alsoIn: { filled: { alsoIn: ['third'] }, found: ['account', 'third'] },
  strategyId: { filled: { strategyId: 'strategy' }, found: ['strategy'] },
  quantity: { filled: { quantity: '1,234' }, found: [1234] },
  quantityType: { filled: { quantityType: 'percentEquity' }, found: ['percentEquity'] },
  targetPosition: { filled: { targetPosition: '-20' }, found: ['-20'] },
  orderType: { filled: { orderType: 'stopLimit' } },
  limitPrice: { filled: { limitPrice: '99.5' }, shown: { orderType: 'limit' }, found: [99.5] },
  stopPrice: { filled: { stopPrice: '101.5' }, shown: { orderType: 'stop' }, found: [101.5] },
  executeMode: { filled: { executeMode: 'pending' }, found: ['pending'] },
  scheduledProcessAt: {
    filled: { scheduledProcessAt: '2026-03-02T15:45' },
    shown: { executeMode: 'scheduled' },
    found: ['2026-03-02T15:45'],
  },
  timezone: { filled: { timezone: 'UTC' }, shown: { validUntil: '2026-03-02T15:45' }, found: ['UTC'] },
  validUntil: { filled: { validUntil: '2026-03-02T16:45' }, found: ['2026-03-02T16:45'] },
  timeInForce: { filled: { timeInForce: 'gtc' } },
  expiresAt: {
    filled: { expiresAt: '2026-03-05T15:45' },
    shown: { timeInForce: 'gtd' },
    found: ['2026-03-05T15:45'],
  },
  extendedHours: { filled: { extendedHours: true }, found: [true] },
  isSignal: { filled: { isSignal: true }, found: ['signal'] },
  sourceId: { filled: { sourceId: 'mine' }, found: ['mine'] },
  metadata: { filled: { metadata: '{"note":"kept"}' }, found: ['kept'] },
}

const EXIT_FIELDS: Record<keyof ExitDraft, Filling> = {
  exitTriggerType: { filled: exiting({ exitTriggerType: 'immediate' }), found: ['immediate'] },
  exitTriggerMinutes: {
    filled: exiting({ exitTriggerMinutes: '47' }),
    shown: exiting({}),
    found: [47],
  },
  exitTriggerTime: {
    filled: exiting({ exitTriggerType: 'atClockTime', exitTriggerTime: '11:11' }),
    shown: exiting({ exitTriggerType: 'atClockTime' }),
    found: ['11:11'],
  },
  exitOrderType: { filled: exiting({ exitOrderType: 'moc' }), shown: exiting({}), found: ['moc'] },
  exitLimitPrice: {
    filled: exiting({ exitOrderType: 'limit', exitLimitPrice: '130.5' }),
    shown: exiting({ exitOrderType: 'limit' }),
    found: [130.5],
  },
  exitStopPrice: {
    filled: exiting({ exitOrderType: 'stop', exitStopPrice: '88.5' }),
    shown: exiting({ exitOrderType: 'stop' }),
    found: [88.5],
  },
}

const PROTECTION_FIELDS: Record<keyof Draft['protection'], Filling> = {
  stop: { filled: protecting({ stop: percent('3.25') }), found: [3.25] },
  limitOffset: { filled: protecting({ limitOffset: '0.55' }), found: [0.55] },
  target: { filled: protecting({ target: { by: 'price', value: '120.5' } }), found: [120.5] },
  trail: { filled: protecting({ trail: { by: 'amount', value: '4.5' } }), found: [4.5] },
  trailAfter: { filled: protecting({ trailAfter: percent('2.5') }), found: [2.5] },
  breakEven: { filled: protecting({ breakEven: percent('1.5') }), found: [1.5] },
  until: { filled: protecting({ until: 'session' }), found: ['session'] },
}

const ALL_FIELDS: [name: string, filling: Filling][] = [
  ...Object.entries(FIELDS),
  ...Object.entries(EXIT_FIELDS).map(([name, filling]): [string, Filling] => [
    name,
    { ...filling, opensOnly: true },
  ]),
  ...Object.entries(PROTECTION_FIELDS).map(([name, filling]): [string, Filling] => [
    name,
    { shown: protecting({}), ...filling, opensOnly: true },
  ]),
]

describe('the form of a request to trade', () => {
  const quote = { symbol: 'AAPL', bid: 99.9, ask: 100.1, last: 100 } as Quote
  const scene = (held: number | null = 0) => ({ held, quote, buyingPower: 10_000 })
  const draft = (changes: Partial<Draft> = {}): Draft =>
    emptyDraft({ symbol: 'AAPL', accountId: 'account', quantity: '10', sourceId: 'web-1', ...changes })

  it('a field that is filled in is in what is sent, each alone, for any holding and on either side', () => {
    for (const side of ['BUY', 'SELL'] as const)
      for (const held of [-7, 0, 7])
        for (const [name, { filled, shown = {}, found = [], opensOnly }] of ALL_FIELDS) {
          const opens = held === 0 || (side === 'BUY') === held > 0
          if (opensOnly === true && !opens) continue
          const of = (changes: Partial<Draft>) =>
            JSON.stringify(sentOf(draft({ side, ...shown, ...changes }), held))
          const body = of(filled)
          if (name !== 'side' || side === 'BUY')
            assert.notEqual(body, of({}), `${name} is not in the request of a ${side} with ${held} held`)
          for (const value of found)
            assert.ok(body.includes(JSON.stringify(value)), `${name}: ${value} is not in ${body}`)
        }
  })

  it('a target that grows a position is sent with its exit, for any side that its person has chosen', () => {
    const target = draft({ side: 'SELL', targetPosition: '20', ...protecting({}) })
    const sent = sentOf(target, 10)
    assert.equal(sent.as, 'signal')
    assert.ok('protection' in sent.body)
    assert.equal(verbOf(target, 10), 'Trade')
    assert.ok(!('protection' in sentOf(draft({ ...target, targetPosition: '0' }), 10).body))
  })

  it('names a side by what it does to what is held', () => {
    const cases: [side: 'BUY' | 'SELL', held: number, verb: string][] = [
      ['BUY', 0, 'Buy'],
      ['BUY', 5, 'Buy'],
      ['BUY', -5, 'Buy to cover'],
      ['SELL', 5, 'Sell'],
      ['SELL', 0, 'Sell short'],
      ['SELL', -5, 'Sell short'],
    ]
    for (const [side, held, verb] of cases) assert.equal(verbOf(emptyDraft({ side }), held), verb)
    assert.equal(
      verbOf(emptyDraft({ side: 'SELL', effect: 'close' }), 0),
      'Sell',
      'its person says what it does',
    )
    assert.equal(
      verbOf(emptyDraft({ side: 'SELL' }), null),
      'Sell',
      'nothing is called short before it is known',
    )
    assert.equal(sentenceOf(draft({ side: 'SELL' }), 0, 5), 'Sell short 5 AAPL at market')
    const risked = draft({ quantity: '1', quantityType: 'riskPercent' })
    assert.equal(sentenceOf(risked, 0, Number.NaN), 'Buy 1 % of equity at risk in AAPL at market')
    assert.equal(sentenceOf(draft({ targetPosition: '-5' }), 0, 5), 'Target -5 AAPL at market')
    assert.equal(effectOf(0, -5), 'nothing → 5 short: it opens a short position')
    assert.equal(effectOf(26, 0), '26 long → nothing: the position is closed')
  })

  it('counts parts of the position or of the buying power in shares', () => {
    const sell = draft({ side: 'SELL' })
    assert.deepEqual(
      [0.25, 0.5, 1].map((part) => sharesOfPart(part, sell, scene(11))),
      ['2', '5', '11'],
    )
    assert.equal(sharesOfPart(0.5, sell, scene(0.3)), '0.15')
    assert.equal(sharesOfPart(1, sell, scene(0.123456789)), '0.123456789')
    assert.equal(sharesOfPart(0.25, sell, scene(1)), null)
    const all = sharesOfPart(1, draft(), scene())
    assert.ok(Number(all) * 100.1 <= 10_000 && Number(all) >= 97, String(all))
  })

  it('a limit far through the market is worth a warning, on either side', () => {
    const limit = (side: 'BUY' | 'SELL', limitPrice: string) =>
      limitWarning(draft({ side, orderType: 'limit', limitPrice }), quote)
    assert.match(limit('BUY', '105.1')!, /^The limit is 5.1 % above the market/)
    assert.match(limit('SELL', '94')!, /^The limit is 6 % below the market/)
    assert.equal(limit('BUY', '104'), null)
    assert.equal(limit('BUY', ''), null)
  })

  it('the form is sent as an order by hand as long as an order says it all, and a signal otherwise', () => {
    const { as, body } = sentOf(draft({ orderType: 'limit', limitPrice: '99', extendedHours: true }), 0)
    assert.deepEqual(
      [as, body],
      [
        'order',
        {
          accountId: 'account',
          symbol: 'AAPL',
          side: 'BUY',
          orderType: 'LIMIT',
          quantity: 10,
          limitPrice: 99,
          timeInForce: 'DAY',
          extendedHours: true,
          reduceOnly: false,
        },
      ],
    )
    const closing = sentOf(draft({ side: 'SELL', executeMode: 'pending', ...exiting({}) }), 12)
    assert.deepEqual(closing.body, {
      symbol: 'AAPL',
      action: 'closeLong',
      accountId: 'account',
      quantity: 10,
      executeMode: 'pending',
      sourceId: 'web-1',
    })
  })

  it('an address, and an order that works, begin the form with what they say', () => {
    const begun = { symbol: 'AAPL', account: 'account', side: 'SELL', shares: '7' } as const
    const exit = ofSearch({ ...begun, plan: 'exit' })
    const { as, body } = sentOf({ ...exit, stopPrice: '90' }, 7)
    assert.deepEqual(
      [as, body],
      [
        'order',
        {
          accountId: 'account',
          symbol: 'AAPL',
          side: 'SELL',
          orderType: 'STOP',
          quantity: 7,
          stopPrice: 90,
          timeInForce: 'GTC',
          extendedHours: false,
          reduceOnly: true,
        },
      ],
    )
    const outside = ofSearch({ ...begun, plan: 'extended' })
    assert.deepEqual([outside.orderType, outside.extendedHours], ['limit', true])
    const order = {
      symbol: 'AAPL',
      accountId: 'account',
      side: 'BUY_TO_COVER',
      orderType: 'STOP_LIMIT',
      quantity: 9,
      filledQuantity: 2,
      limitPrice: 101.5,
      stopPrice: 101,
      timeInForce: 'GTC',
      extendedHours: false,
    } as OrderDetail
    const changed = sentOf(ofOrder(order), -9).body as Record<string, unknown>
    assert.deepEqual(
      ['side', 'orderType', 'quantity', 'limitPrice', 'stopPrice', 'timeInForce', 'reduceOnly'].map(
        (name) => changed[name],
      ),
      ['BUY', 'STOP_LIMIT', 7, 101.5, 101, 'GTC', true],
    )
  })

  it('the form is refused by what is denied, unless that is excused, and by a signal of its name, and not by a check that failed', () => {
    const denied = (...rules: string[]) =>
      ({
        outcome: 'denied',
        verdicts: rules.map((rule) => ({ rule, outcome: 'denied', message: rule })),
      }) as Checked['dryRun']
    const refusal = (checked: Partial<Checked>, waits = false) =>
      refusalOf({ of: '', figures: null, ...checked }, waits, 'buyingPower')
    assert.equal(refusal({ dryRun: denied('buyingPower', 'symbol')! }), 'symbol')
    assert.equal(refusal({ dryRun: denied('buyingPower')! }), null)
    assert.equal(refusal({ dryRun: denied('symbol')! }, true), null, 'it is judged again at its time')
    assert.match(refusal({ dryRun: { outcome: 'existing' } as never }, true)!, /^Already sent/)
    assert.equal(refusal({ problem: new Problem(503, 'TOO_MANY_AT_ONCE', 'busy', null) }), null)
    assert.equal(
      refusal({ problem: new Problem(404, 'ACCOUNT_NOT_FOUND', 'no account', null) }),
      'no account',
    )
    assert.equal(refusalOf(null, false), 'It is being checked.')
    const fault = { code: 'INVALID', message: 'must be JSON', path: ['metadata'], field: 'metadata.note' }
    const problem = new Problem(400, 'VALIDATION_ERROR', 'invalid', null, [fault])
    const checked: Checked = { of: '', figures: null, dryRun: denied('size')!, problem }
    assert.deepEqual(
      ['metadata', 'quantity', 'symbol'].map((field) => faultIn(checked, field, null)),
      ['must be JSON', 'size', undefined],
    )
  })

  it('takes an account of paper where none is chosen, and no other account beside real money', () => {
    const account = (id: string, changes: Partial<Account>) =>
      [id, { id, name: id, isActive: true, isDemo: true, isPrimary: false, ...changes } as Account] as const
    const accounts = new Map([
      account('real', { isDemo: false, isPrimary: true }),
      account('paper', {}),
      account('other', {}),
    ])
    assert.equal(firstAccount(accounts)?.id, 'paper')
    assert.equal(firstAccount(new Map([account('real', { isDemo: false })]))?.id, 'real')
    const meant = completed(draft({ accountId: '', alsoIn: ['real', 'other'] }), accounts, true)
    assert.deepEqual([meant.accountId, meant.alsoIn], ['paper', ['other']])
    assert.equal(completed(draft({ accountId: '' }), accounts, false).accountId, '')
  })

  it('reckons by what the service says, and by the market until then', () => {
    const { cost, after, opens } = figuresOf(draft(), scene(5), null)
    assert.deepEqual([cost, after, opens], [1001, 15, true])
    const order = { side: 'SELL', quantity: 20, symbol: 'AAPL' }
    const dryRun = { order, follows: { side: 'SELL_SHORT', quantity: 5 } } as Checked['dryRun']
    const turned = figuresOf(draft({ side: 'SELL' }), scene(20), { of: '', figures: null, dryRun: dryRun! })
    assert.equal(turned.after, -5, 'the order that follows a reversal counts')
  })
})
