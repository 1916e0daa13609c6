import assert from 'node:assert/strict'
import { bodyOf, changeOf, noBreakEven, outlookOf, removalBody, removalWords } from '#web/exit/change.ts'
import { protectionBody, protectionDraft, protectionIn } from '#web/exit/draft.ts'
import {
  awayWords,
  basisWords,
  expectedOf,
  openingOf,
  plannedKeepers,
  resolvedLines,
  resultWords,
} from '#web/exit/levels.ts'
import { effect, exitSchedule, legsWords, sideOpened } from '#web/words/signal.ts'
import { chartLevels, keepers, levelChips, openLines } from '#web/exit/state.ts'
import type { Plan, ProtectionTerms } from '#web/exit/terms.ts'
import { protectionStep } from '#web/exit/timeline.ts'
import { flattenWords, holdingsOf, lineWords, underWay } from '#web/position/flatten.ts'
import type { Account, Flatten, Position } from '#client/types.ts'

const TERMS: ProtectionTerms = {
  stop: { percent: 5 },
  target: { price: 120 },
  trail: { percent: 4, after: { percent: 3 } },
  breakEven: { percent: 2 },
  until: 'closed',
}
const LONG = { side: 'LONG', entry: 100, by: 'market', shares: 10 } as const

const plan = (changes: Partial<Plan> = {}): Plan => ({
  side: 'LONG',
  quantity: 10,
  average: 100,
  best: 101,
  stop: { price: 95, by: 'stop' },
  target: 120,
  trailing: false,
  breakEven: false,
  atBroker: {
    orderId: 'order',
    orderType: 'oco',
    quantity: 10,
    stopPrice: 95,
    limitPrice: 120,
    timeInForce: 'gtc',
  },
  keptHere: ['trail', 'breakEven'],
  price: { price: 101, at: '2026-03-02T15:00:00Z' },
  risk: 50,
  worksInExtendedHours: false,
  ...changes,
})

/** A part that a person changes to a price. */
const to = (part: 'stop' | 'target', value: string, now = plan()) => ({
  ...changeOf(part, TERMS, now),
  level: { by: 'price' as const, value },
})

describe('words of exit plans', () => {
  it('a plan that is written is sent as the service takes it, and is read back from what was sent', () => {
    const draft = protectionDraft({ ...TERMS, stop: { percent: 5, limitOffset: 0.5 }, until: 'session' })
    const body = protectionBody(draft)
    assert.deepEqual(body, {
      stop: { percent: 5, limitOffset: 0.5 },
      target: { price: 120 },
      trail: { percent: 4, after: { percent: 3 } },
      breakEven: { percent: 2 },
      until: 'session',
    })
    assert.deepEqual(protectionIn(JSON.stringify({ protection: { stop: { price: '95.5' } } })), {
      stop: { price: 95.5 },
    })
    assert.equal(protectionBody(protectionDraft(null)), undefined)
    assert.equal(protectionIn('{}'), null)
  })

  it('levels before the fill lie by the position that results, whichever order comes first', () => {
    const order = (side: 'BUY' | 'SELL' | 'SELL_SHORT' | 'BUY_TO_COVER', quantity: number) => ({
      side,
      quantity,
      limitPrice: null,
      stopPrice: null,
    })
    const terms: ProtectionTerms = { stop: { percent: 3 }, target: { percent: 6 }, until: 'closed' }
    const ofAnAmount = { ...order('SELL_SHORT', 1), quantity: null }
    for (const [targetPosition, first, follows, side, shares] of [
      [20, order('BUY', 20), null, 'LONG', 20],
      [-20, order('SELL_SHORT', 20), null, 'SHORT', 20],
      [-20, order('SELL', 30), order('SELL_SHORT', 20), 'SHORT', 20],
      [20, order('BUY_TO_COVER', 30), order('BUY', 20), 'LONG', 20],
      [null, order('SELL', 30), ofAnAmount, 'SHORT', null],
      [10, order('SELL', 20), null, null, null],
      [0, order('BUY_TO_COVER', 30), null, null, null],
    ] as const)
      for (const action of ['openLong', 'closeShort'] as const) {
        const name = `${action} to ${targetPosition}, first ${first.side}`
        const opening = openingOf({ order: first, follows })
        assert.equal(opening === null, side === null, name)
        if (side === null) continue
        const signal = { action, targetPosition, limitPrice: null, stopPrice: null }
        const expected = expectedOf(signal, opening, 100)
        assert.deepEqual([expected.side, expected.shares], [side, shares], name)
        const isLong = side === 'LONG'
        const levels = isLong ? ['about $97.00', 'about $106.00'] : ['about $103.00', 'about $94.00']
        const lines = resolvedLines(terms, expected).map(({ at }) => at)
        assert.deepEqual(lines, levels, name)
        if (targetPosition === null) continue
        assert.equal(expectedOf(signal, null, 100).side, side, `${name}, before its order is known`)
        assert.equal(sideOpened(signal), side, name)
        const exitRule = { triggerType: 'immediate', orderType: 'market' } as never
        const exit = exitSchedule({ ...signal, exitRule })!.what
        assert.match(exit, isLong ? /^Sell what was bought/ : /^Buy to cover what was sold/)
        assert.equal(effect({ ...signal, orderId: null }), `leads to a ${side.toLowerCase()} position`)
      }
    assert.equal(legsWords(order('SELL', 20), order('SELL_SHORT', 20)), 'Sells 20, then sells 20 short')
    assert.equal(
      legsWords(order('BUY_TO_COVER', 5), { ...order('BUY', 1), quantity: null }),
      'Buys 5 to cover, then buys',
    )
  })

  it('a plan before the fill shows each level, its distance, and what it risks and may bring', () => {
    assert.deepEqual(
      resolvedLines(TERMS, LONG).map(({ at, away, note }) => [at, away, note].filter(Boolean).join(' | ')),
      [
        'about $95.00 | $5.00 (5.00 %) below the entry | about $50.00 at risk',
        '$120.00 | $20.00 (20.00 %) above the entry | about $200.00 to gain',
        '4 % behind the best price | from a profit of 3 % on',
        'from a profit of 2 % | the stop then moves to the entry, plus fees',
      ],
    )
    const both = resolvedLines({ stop: { percent: 5 }, trail: { percent: 3 } }, LONG)
    assert.deepEqual(
      both.map(({ note }) => note),
      ['the trailing stop is closer at first', 'from the fill on; about $30.00 at risk'],
    )
    const [stop] = resolvedLines(
      { stop: { percent: 5 } },
      { side: 'SHORT', entry: null, by: 'market', shares: null },
    )
    assert.equal(stop!.at, '5 % above the entry')
    assert.deepEqual(plannedKeepers(TERMS, LONG), {
      atBroker: 'Stop loss and take profit, as one order: the one that trades cancels the other',
      keptHere: 'Trailing stop and break-even',
    })
    assert.equal(
      plannedKeepers(TERMS, { ...LONG, shares: 1.5 }).keptHere,
      'Take profit, trailing stop and break-even',
    )
  })

  it('a plan is reckoned by the likely fill: the market, no worse than a limit, and no better than a stop', () => {
    const by = (limitPrice: number | null, stopPrice: number | null, last: number | null) =>
      basisWords(expectedOf({ action: 'openLong', limitPrice, stopPrice }, null, last))
    assert.deepEqual(
      [by(null, null, 190), by(200, null, 190), by(180, null, 190), by(null, 195, 190), by(null, null, null)],
      [
        'Based on the last price, $190.00',
        'Based on the last price, $190.00',
        'Based on the limit price, $180.00',
        'Based on the stop price, $195.00',
        '',
      ],
    )
    const order = { side: 'SELL_SHORT', quantity: 4, limitPrice: 200, stopPrice: null } as const
    const short = expectedOf({ action: 'openLong', limitPrice: null, stopPrice: null }, order, 190)
    assert.deepEqual(short, { side: 'SHORT', entry: 200, by: 'limit', shares: 4 })
  })

  it('an exit names what it risks and gains in dollars and in R, as far as prices and shares are known', () => {
    const both = { stop: { percent: 2 }, target: { amount: 4 } }
    assert.equal(resultWords(both, LONG), 'Risks $20.00 · gains $40.00 · 2 R')
    assert.equal(resultWords({ stop: { price: 97 } }, LONG), 'Risks $30.00')
    assert.equal(resultWords({ target: { price: 103 } }, { ...LONG, shares: null }), 'Gains $3.00 a share')
    const trailed = { stop: { percent: 5 }, trail: { percent: 2 }, target: { percent: 3 } }
    assert.equal(
      resultWords(trailed, { ...LONG, side: 'SHORT' }),
      'Risks $20.00 · gains $30.00 · 1.5 R',
      'the trail is the closer stop',
    )
    assert.equal(resultWords({ breakEven: { percent: 1 } }, LONG), '')
    assert.equal(resultWords(both, { ...LONG, entry: null }), '')
  })

  it('a plan in force shows where its levels are, and where each is kept', () => {
    const lines = openLines(TERMS, plan(), 101)
    assert.deepEqual(
      lines.map(({ part, at }) => `${part} ${at}`),
      ['stop $95.00', 'target $120.00', 'trail 4 % behind the best price', 'breakEven from a profit of 2 %'],
    )
    assert.equal(lines[0]!.away, '$6.00 (5.94 %) below the price')
    assert.equal(lines[0]!.note, 'loses about $50.00')
    assert.equal(lines[1]!.note, 'gains about $200.00')
    assert.match(lines[2]!.note, /at \$103\.00$/)
    assert.equal(keepers(plan()).keptHere, 'Trailing stop and break-even')
    const trailing = plan({ stop: { price: 105.6, by: 'trail' }, best: 110, trailing: true, breakEven: true })
    const [stop] = openLines(TERMS, trailing, 109)
    assert.equal(stop!.note, 'keeps about $56.00 of gain; 4 % behind the best price of $110.00')
    assert.deepEqual(levelChips(trailing, 109), [
      'Trailing stop $105.60 (−3.1 %)',
      'Take profit $120.00 (+10.1 %)',
    ])
    assert.deepEqual(
      chartLevels(trailing).map(({ title, price }) => `${title} ${price}`),
      ['Entry 100', 'Trailing stop 105.6', 'Take profit 120'],
    )
    assert.equal(awayWords(101, 101), 'at the price')
  })

  it('a change says in one sentence what it leads to, and refuses a level on the wrong side of the price', () => {
    assert.equal(
      outlookOf(to('stop', '98'), plan(), 101)?.sentence,
      'Stop loss from $95.00 to $98.00: there the position closes with a loss of about $20.00.',
    )
    assert.deepEqual(outlookOf(to('stop', '98'), plan(), 101)?.away, [
      '$3.00 (2.97 %) below the price',
      '$2.00 (2.00 %) below the entry',
      '10.0 R to the target',
    ])
    assert.doesNotMatch(outlookOf(to('stop', '100.5'), plan(), 101)!.away.join(), / R /)
    for (const [part, value] of [
      ['stop', '101'],
      ['stop', '105'],
      ['target', '100.5'],
    ] as const)
      assert.equal(outlookOf(to(part, value), plan(), 101)?.isSenseless, true, `${part} ${value}`)
    const short = plan({ side: 'SHORT', stop: { price: 105, by: 'stop' }, target: 90, price: null })
    assert.equal(outlookOf(to('stop', '103', short), short, 99)?.isSenseless, false)
    assert.equal(outlookOf(to('stop', '98', short), short, 99)?.isSenseless, true)
    assert.equal(outlookOf(to('stop', 'x'), plan(), 101), null)
    const trailing = plan({ stop: { price: 105, by: 'trail' }, best: 110 })
    assert.match(outlookOf(to('stop', '98', trailing), trailing, 109)!.sentence, /^The trailing stop keeps/)
  })

  it('a price that no broker takes is refused before it is sent, in any part', () => {
    for (const part of ['stop', 'target'] as const)
      for (const [value, nearest] of [
        ['130.123', '130.12 or 130.13'],
        ['130.12', null],
        ['95.001', '95 or 95.01'],
        ['95', null],
      ] as const) {
        const outlook = outlookOf(to(part, value), plan(), null)
        const refused =
          outlook?.sentence === `A price must have at most 2 decimals, or 4 below a dollar: ${nearest}.`
        assert.equal(refused, nearest !== null, `${part} ${value}`)
        if (refused) assert.equal(outlook?.isSenseless, true)
      }
  })

  it('a trailing stop that is changed says from when on it follows, and where it would be now', () => {
    const sentence = (percent: string, after: string, now = plan()) =>
      outlookOf(
        {
          part: 'trail',
          level: { by: 'percent', value: percent },
          after: { by: after === '' ? '' : 'percent', value: after },
        },
        now,
        101,
      )
    assert.equal(
      sentence('4', '3')?.sentence,
      'Once the profit has been 3 %, the stop follows 4 % behind the best price.',
    )
    assert.match(sentence('4', '')!.sentence, /, now at \$96\.96: there the position closes with a loss/)
    assert.match(sentence('8', '1')!.sentence, /once that is closer than \$95\.00, where it stays/)
    assert.equal(sentence('4', '', plan({ best: 110 }))?.isSenseless, true)
  })

  it('a change sends its part alone and keeps what else that has', () => {
    const terms: ProtectionTerms = { stop: { price: 95, limitOffset: 0.5 } }
    assert.deepEqual(bodyOf(to('stop', '96'), terms), { stop: { price: 96, limitOffset: 0.5 } })
    assert.deepEqual(bodyOf(changeOf('trail', TERMS, plan()), TERMS), {
      trail: { percent: 4, after: { percent: 3 } },
    })
    assert.deepEqual(bodyOf(changeOf('stop', terms, plan(), 97.5), terms), {
      stop: { price: 97.5, limitOffset: 0.5 },
    })
    assert.deepEqual(removalBody('stop', { stop: { price: 95 }, breakEven: { percent: 2 } }), {
      stop: null,
      breakEven: null,
    })
    assert.match(removalWords('stop', { stop: { price: 95 } }), /^The position then has no protection/)
    assert.match(
      removalWords('stop', { stop: { price: 95 }, target: { price: 120 } }),
      /no stop limits a loss/,
    )
  })

  it('the stop goes to break-even by one press only where the price is on the good side of the entry', () => {
    assert.equal(noBreakEven(plan({ price: null }), 101), null)
    assert.match(noBreakEven(plan(), 99)!, /not above your entry/)
    assert.match(noBreakEven(plan(), null)!, /No price/)
    assert.match(noBreakEven(plan({ breakEven: true }), 101)!, /is at break-even/)
    assert.match(noBreakEven(plan({ stop: null }), 101)!, /no stop/)
  })

  it('steps of a plan in the timeline say what was changed by whom, and why a stop has moved', () => {
    assert.equal(
      protectionStep('protection_changed', {
        by: 'ann@example.com',
        protection: { stop: { price: '95' }, target: null, trail: null, breakEven: { percent: '2' } },
      }),
      'ann@example.com changed the protection: stop loss at $95.00, break-even 2 %',
    )
    assert.equal(
      protectionStep('protection_changed', { by: 'ann@example.com', protection: null }),
      'ann@example.com removed the protection; the position stays open',
    )
    assert.equal(
      protectionStep('protection_moved', { by: 'trail', from: '95', to: '96.5', best: '100' }),
      'Trailing stop moved from $95.00 to $96.50, behind the best price of $100.00',
    )
    assert.equal(protectionStep('exit_planned', {}), null)
  })

  it('closing all names what is held in the accounts of the mode, and reports the outcome of each line', () => {
    const account = (id: string, isDemo: boolean) => ({ id, name: id, isDemo }) as Account
    const position = (accountId: string, side: Position['side']) =>
      ({ accountId, side, quantity: 2, avgCost: 10, currentPrice: 11 }) as Position
    const held = [position('real', 'LONG'), position('paper', 'SHORT'), position('gone', 'LONG')]
    const accounts = new Map([account('real', false), account('paper', true)].map((one) => [one.id, one]))
    const told = (isLive: boolean) =>
      holdingsOf(held, accounts, { isLive }).map(
        ({ account: { id }, value, gain }) => `${id} ${value} ${gain}`,
      )
    assert.deepEqual(told(false), ['paper 22 -2'])
    assert.deepEqual(told(true), ['real 22 2'])
    const named = holdingsOf(held, accounts, 'real')
    assert.deepEqual(
      named.map(({ account: { id } }) => id),
      ['real'],
    )
    const line = { accountId: '', symbol: 'AMD', side: 'LONG', quantity: 2, orderId: null } as const
    const failed = { ...line, status: 'failed', detail: 'no shares to borrow' } as const
    const closed = { ...line, status: 'closed', detail: null } as const
    assert.equal(lineWords(failed), 'not closed: no shares to borrow')
    const words = (status: Flatten['status'], lines: Flatten['lines'], left: Flatten['left'] = []) =>
      flattenWords({ status, lines, left })
    assert.equal(words('failed', [failed, closed]), '1 of 2 positions not closed')
    assert.equal(words('done', [closed, closed]), 'All 2 positions are closed')
    const left = { accountId: '', symbol: 'AMD', detail: 'BUY 5 AMD limit was not placed here' }
    assert.equal(words('failed', [closed], [left]), 'An order may still open a position')
  })

  it('what runs, or was sent without an answer, is shown instead of the question to close all', () => {
    const flatten = (changes: Partial<Flatten>): Flatten => ({
      id: 'f',
      status: 'done',
      cause: 'request',
      reason: null,
      createdAt: '2026-03-02T15:00:00Z',
      endedAt: null,
      lines: [],
      left: [],
      ...changes,
    })
    const sentAt = Date.parse('2026-03-02T15:00:01Z')
    assert.equal(underWay([flatten({})], null, null), null)
    assert.equal(underWay([flatten({})], null, sentAt)?.id, 'f')
    assert.equal(underWay([flatten({ cause: 'close' })], null, sentAt), null)
    assert.equal(underWay([flatten({ createdAt: '2026-03-02T14:00:00Z' })], null, sentAt), null)
    const line = { accountId: 'a', symbol: 'F', side: 'LONG', quantity: 1, status: 'held' } as const
    const runs = flatten({ id: 'runs', status: 'working', lines: [{ ...line, orderId: null, detail: null }] })
    const found = [null, 'a', 'b'].map((accountId) => underWay([flatten({}), runs], accountId, null)?.id)
    assert.deepEqual(found, ['runs', 'runs', undefined], 'of an account what is closed of it')
  })
})
