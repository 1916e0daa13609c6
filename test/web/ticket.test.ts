import assert from 'node:assert/strict'
import type { Quote } from '#client/types.ts'
import { Problem } from '#web/connection/problem.ts'
import {
  effectOf,
  emptyTicket,
  middleOf,
  missingIn,
  sentenceOf,
  sentOf,
  sharesOf,
  sharesOfPart,
  verbOf,
  type Ticket,
} from '#web/orders/ticket/ticket.ts'
import { offered } from '#web/symbol/offered.ts'
import { refusalOf, type DryRun, type Tried } from '#web/signals/tried.ts'

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

describe('the order ticket', () => {
  const quote = { symbol: 'AAPL', bid: 99.9, ask: 100.1, last: 100 } as Quote
  const scene = (held: number | null = 0) => ({ held, quote, countedAt: quote, buyingPower: 10_000 })
  const ticket = (changes: Partial<Ticket> = {}, draft: Partial<Ticket['draft']> = {}): Ticket => {
    const empty = emptyTicket({ symbol: 'AAPL', accountId: 'account' })
    return { ...empty, amount: '10', ...changes, draft: { ...empty.draft, ...draft } }
  }

  it('names a side by what it does to what is held', () => {
    const cases: [side: 'BUY' | 'SELL', held: number, verb: string][] = [
      ['BUY', 0, 'Buy'],
      ['BUY', 5, 'Buy'],
      ['BUY', -5, 'Buy to cover'],
      ['SELL', 5, 'Sell'],
      ['SELL', 0, 'Sell short'],
      ['SELL', -5, 'Sell short'],
    ]
    for (const [side, held, verb] of cases) assert.equal(verbOf(side, held), verb)
    assert.equal(sentenceOf(ticket({ side: 'SELL' }), 0, 5), 'Sell short 5 AAPL at market')
    assert.equal(effectOf(0, -5), 'nothing → 5 short: it opens a short position')
    assert.equal(effectOf(26, 0), '26 long → nothing: the position is closed')
  })

  it('counts dollars as whole shares, and parts of the position or of the buying power', () => {
    assert.equal(sharesOf(ticket({ unit: 'dollars', amount: '1000' }), scene()), '9')
    assert.equal(sharesOf(ticket({ unit: 'dollars', amount: '50' }), scene()), '')
    const dearer = { ...scene(), quote: { ...quote, ask: 200 } }
    assert.equal(sharesOf(ticket({ unit: 'dollars', amount: '1000' }), dearer), '9', 'changed by a price')
    const sell = ticket({ side: 'SELL' })
    assert.deepEqual(
      [0.25, 0.5, 1].map((part) => sharesOfPart(part, sell, scene(11))),
      ['2', '5', '11'],
    )
    assert.equal(sharesOfPart(0.5, sell, scene(0.3)), '0.15')
    assert.equal(sharesOfPart(1, sell, scene(0.123456789)), '0.123456789')
    assert.equal(sharesOfPart(0.25, sell, scene(1)), null)
    const all = sharesOfPart(1, ticket(), scene())
    assert.ok(Number(all) * 100.1 <= 10_000 && Number(all) >= 97, String(all))
    assert.equal(middleOf(quote), 100)
  })

  it('becomes a signal where it has an exit, a time, an approval or several accounts, and the fields that do not apply are left out', () => {
    const opening = sentOf(ticket({}, { exitTriggerType: 'minutesAfterEntry' }), scene())
    assert.deepEqual(
      [opening.as, opening.body],
      [
        'signal',
        {
          symbol: 'AAPL',
          action: 'openLong',
          accountId: 'account',
          quantity: 10,
          executeMode: 'immediate',
          exitTriggerType: 'minutesAfterEntry',
          exitTriggerMinutes: 15,
          sourceId: (opening.body as { sourceId: string }).sourceId,
        },
      ],
    )
    const at = { executeMode: 'scheduled', scheduledProcessAt: '2026-03-02T15:45' } as const
    const closing = sentOf(ticket({ side: 'SELL' }, { ...at, exitTriggerType: 'immediate' }), scene(12))
    assert.ok(closing.as === 'signal')
    assert.deepEqual(
      [closing.body.action, closing.body.executeMode, closing.body.exitTriggerType],
      ['closeLong', 'scheduled', undefined],
    )
    for (const draft of [at, { executeMode: 'pending' }, { alsoIn: ['other'] }] as const)
      assert.equal(sentOf(ticket({}, draft), scene()).as, 'signal', JSON.stringify(draft))
    const inBoth = sentOf(ticket({}, { alsoIn: ['account', 'other'] }), scene()).body
    assert.deepEqual(
      ['accountId' in inBoth, 'accountIds' in inBoth && inBoth.accountIds],
      [false, ['account', 'other']],
    )
  })

  it('the ticket is refused by what is denied, unless that is excused, and by a signal of its name, and not by a check that failed', () => {
    const denied = (...rules: string[]) =>
      ({
        outcome: 'denied',
        verdicts: rules.map((rule) => ({ rule, outcome: 'denied', message: rule })),
      }) as DryRun
    const refusal = (tried: Partial<Tried>, waits = false) =>
      refusalOf({ of: '', at: 0, ...tried }, true, waits, 'buyingPower')
    assert.equal(refusal({ dryRun: denied('buyingPower', 'symbol') }), 'symbol')
    assert.equal(refusal({ dryRun: denied('buyingPower') }), null)
    assert.equal(refusal({ dryRun: denied('symbol') }, true), null, 'it is judged again at its time')
    assert.match(refusal({ dryRun: { outcome: 'existing' } as DryRun }, true)!, /holds this sourceId/)
    assert.equal(refusal({ problem: new Problem(503, 'TOO_MANY_AT_ONCE', 'busy', null) }), null)
    assert.equal(
      refusal({ problem: new Problem(404, 'ACCOUNT_NOT_FOUND', 'no account', null) }),
      'no account',
    )
  })

  it('says what is missing', () => {
    assert.equal(missingIn(ticket(), scene()), null)
    assert.match(missingIn(ticket({ amount: '' }), scene())!, /shares/)
    assert.match(missingIn(ticket({}, { orderType: 'stopLimit' }), scene())!, /stop/)
    assert.match(missingIn(ticket({ unit: 'dollars', amount: '5' }), scene())!, /whole share/)
    const unpriced = { ...scene(), countedAt: undefined }
    assert.match(missingIn(ticket({ unit: 'dollars', amount: '5' }), unpriced)!, /No price/)
    assert.match(missingIn(ticket({ side: 'SELL' }), scene(null))!, /positions are not read/)
    assert.equal(verbOf('SELL', null), 'Sell', 'nothing is called short before it is known')
  })
})
