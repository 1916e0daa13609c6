import assert from 'node:assert/strict'
import type { Account, Position, Signal } from '#client/types.ts'
import { companyIn, found, type Known } from '#web/shell/choices.ts'
import { GoKeys } from '#web/shell/keys.ts'

const ID = '2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e'
const signal = {
  id: ID,
  symbol: 'AAPL',
  action: 'openLong',
  quantity: 10,
  quantityType: 'fixed',
  orderType: 'market',
  limitPrice: null,
  stopPrice: null,
  status: 'pending',
  sourceId: 'breakout-7',
  exit: null,
} as unknown as Signal

const known = (changes: Partial<Known> = {}): Known => ({
  me: { role: 'member' },
  pages: [
    { to: '/approvals', name: 'Approvals' },
    { to: '/orders', name: 'Orders' },
  ],
  positions: [{ symbol: 'AMD' } as Position],
  signals: [signal],
  accounts: [{ id: 'account-1', name: 'Paper account' } as Account],
  assets: [],
  ...changes,
})
/** What is found, as kind: label -> where it leads. */
const linesOf = (text: string, changes?: Partial<Known>) =>
  found(text, known(changes)).flatMap(({ value, items }) =>
    items.map(({ label, leadsTo }) => `${value}: ${label} -> ${leadsTo}`),
  )

describe('what the command palette finds', () => {
  it('what the command palette finds is every action and page before anything is typed', () => {
    const [actions, pages, ...others] = found('', known())
    assert.deepEqual([actions?.value, pages?.value, others], ['Actions', 'Pages', []])
    assert.ok(
      actions!.items.some(({ label, leadsTo }) => label === 'New signal' && leadsTo === '/signals/new'),
    )
    assert.ok(pages!.items.some(({ label }) => label === 'Limits'))
  })

  it('what the command palette finds are pages of the administration for administrators alone', () => {
    assert.deepEqual(linesOf('administration'), ['Symbols: ADMINISTRATION -> /symbols/ADMINISTRATION'])
    assert.deepEqual(linesOf('administration', { me: { role: 'admin' } }), [
      'Pages: Log of all users -> /administration/log',
      'Pages: Service -> /administration/service',
      'Symbols: ADMINISTRATION -> /symbols/ADMINISTRATION',
    ])
  })

  it('what the command palette finds is a question that asks first where something would be stopped', () => {
    assert.ok(linesOf('kill switch').includes('Actions: Stop trading… -> stop'))
  })

  it('what the command palette finds are symbols that are held or of signals first, and any other that is typed', () => {
    assert.deepEqual(
      linesOf('a').filter((line) => line.startsWith('Symbols')),
      ['Symbols: AMD -> /symbols/AMD', 'Symbols: AAPL -> /symbols/AAPL', 'Symbols: A -> /symbols/A'],
    )
    assert.equal(linesOf('amd')[0], 'Symbols: AMD -> /symbols/AMD')
    assert.equal(linesOf('orders')[0], 'Pages: Orders -> /orders')
    assert.equal(linesOf('brk/b')[0], 'Symbols: BRK/B -> /symbols/BRK%2FB')
    assert.ok(!linesOf('what is this').some((line) => line.startsWith('Symbols')))
  })

  it('what the command palette finds are symbols by the name of the company, after one’s own and before a guess', () => {
    const assets = [
      { symbol: 'AAPL', name: 'Apple Inc.', exchange: 'NASDAQ' },
      { symbol: 'APLE', name: 'Apple Hospitality REIT', exchange: 'NYSE' },
    ]
    const [symbols, ...others] = found('apple', known({ assets }))
    assert.deepEqual(
      symbols?.items.map(({ label, hint }) => `${label} ${hint}`),
      ['AAPL Apple Inc.', 'APLE Apple Hospitality REIT', 'APPLE symbol'],
    )
    assert.deepEqual(others, [])
    assert.deepEqual(linesOf('apple hosp', { assets }).at(-1), 'Symbols: APLE -> /symbols/APLE')
    assert.equal(linesOf('aapl', { assets })[0], 'Symbols: AAPL -> /symbols/AAPL')
    assert.deepEqual(['buy 10 apple hosp', 'sell aapl 5', 'Coca-Cola ', 'buy 10'].map(companyIn), [
      'apple hosp',
      'aapl',
      'Coca-Cola',
      'buy 10',
    ])
  })

  it('what the command palette finds are signals by the beginning of their id, by their source and their words', () => {
    const line = `Signals: Buy 10 AAPL at market -> /signals/${ID}`
    for (const text of [ID, ID.toUpperCase(), ID.slice(0, 8), 'breakout', 'buy 10', 'aapl'])
      assert.ok(linesOf(text).includes(line), text)
  })

  it('what the command palette finds are orders as they are said, which open the ticket, and questions', () => {
    assert.deepEqual(linesOf('buy 10 nvda'), [
      'Actions: Buy 10 NVDA… -> /orders/new?symbol=NVDA&side=BUY&shares=10',
    ])
    assert.deepEqual(linesOf('SELL tsla 2.5'), [
      'Actions: Sell 2.5 TSLA… -> /orders/new?symbol=TSLA&side=SELL&shares=2.5',
    ])
    assert.ok(linesOf('sell short 5 tsla').every((line) => !line.startsWith('Actions: Sell')))
    assert.ok(!linesOf('buy 10').some((line) => line.includes('/orders/new?')))
    assert.ok(linesOf('close all').includes('Actions: Close all positions… -> flatten'))
    assert.ok(linesOf('resume').includes('Actions: Resume trading… -> resume'))
  })
})

describe('the keys G and a letter', () => {
  it('lead to a page, and let the letter do nothing else, such as approve', () => {
    const keys = new GoKeys()
    assert.equal(keys.press('a', 0), undefined)
    assert.equal(keys.press('g', 10), 'begun')
    assert.equal(keys.press('a', 20), '/approvals')
    assert.equal(keys.press('a', 30), undefined)
  })
})
