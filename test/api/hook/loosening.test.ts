import assert from 'node:assert/strict'
import { loosenedTerms } from '#api/hook/commands.ts'
import type { HookTerms } from '#db/hook/hooks.ts'
import type { AccountSize } from '#domain/account/size.ts'
import type { HookAccount, HookSettings } from '#domain/hook/settings.ts'
import { settingsWith } from './dialects/support.ts'

type Pairs<Terms> = { [Name in keyof Terms]: [tighter: Terms[Name], looser: Terms[Name]][] }

const NONE = { quantity: null, orderType: null, limitPrice: null, id: null }
const TEMPLATE = { symbol: 'ticker', word: 'side', words: { long: 'buy' as const }, ...NONE }
const UNSIZED = { multiplier: null, quantity: null }
const account = (accountId: string, size: Partial<AccountSize> = {}): HookAccount => ({
  accountId,
  ...UNSIZED,
  ...size,
})

const FLAT = { minutes: 10, includeManual: true }
/** For each term a tighter value and a looser one; none for a term that decides about no trade. */
const TERMS: Pairs<Omit<HookTerms, 'settings'>> = {
  name: [],
  kind: [],
  requestsPerMinute: [[1, 2]],
  addresses: [
    [['192.0.2.1'], []],
    [['192.0.2.1'], ['192.0.2.1', '192.0.2.2']],
    [['52.89.214.238'], ['tradingview']],
  ],
  expects: [],
}
const SETTINGS: Pairs<HookSettings> = {
  accounts: [
    [[account('a')], [account('a'), account('b')]],
    [[account('a')], [account('a', { multiplier: '1.5' })]],
    [[account('a', { multiplier: '2' })], [account('a', { multiplier: '100' })]],
    [[account('a', { multiplier: '0.5' })], [account('a')]],
    [[account('a', { quantity: '9' })], [account('a', { quantity: '10' })]],
  ],
  executeMode: [['pending', 'immediate']],
  approvalMinutes: [
    [10, 11],
    [10, null],
  ],
  strategyId: [['one', null]],
  quantity: [
    ['9', '10'],
    [null, '1'],
  ],
  quantityType: [],
  exit: [[{ stopPrice: 1 }, null]],
  protection: [['refuse', 'ignore']],
  symbols: [],
  manages: [['own', 'position']],
  mayShort: [[false, true]],
  whenSame: [['nothing', 'add']],
  whenOpposite: [['close', 'reverse']],
  template: [],
  flatByClose: [
    [FLAT, null],
    [{ ...FLAT, minutes: 11 }, FLAT],
    [FLAT, { ...FLAT, includeManual: false }],
  ],
}

/** Values of which neither is known to be the safer one. */
const EITHER_TERMS: Partial<typeof TERMS> = {
  addresses: [
    [['192.0.2.1'], ['192.0.2.0/24']],
    [['192.0.2.1'], ['tradingview']],
  ],
}
const EITHER_SETTINGS: Partial<Pairs<HookSettings>> = {
  accounts: [
    [[account('a')], [account('b')]],
    [[account('a', { quantity: '1' })], [account('a', { multiplier: '2' })]],
  ],
  strategyId: [['one', 'another']],
  quantityType: [
    ['fixed', 'percentEquity'],
    ['riskDollars', 'dollarAmount'],
  ],
  exit: [[{ stopPrice: 1 }, { stopPrice: 2 }]],
  symbols: [
    [{}, { AAPL: 'TSLA' }],
    [{ 'BTC.P': 'MSTR' }, { 'BTC.P': 'COIN' }],
  ],
  template: [[TEMPLATE, { ...TEMPLATE, words: { flat: 'buy' } }]],
}

const CAREFUL: Partial<HookSettings> = {
  accounts: [account('a')],
  executeMode: 'pending',
  approvalMinutes: 10,
  quantity: '10',
  whenOpposite: 'close',
}
const terms = (changes: Partial<HookTerms>, settings: Partial<HookSettings> = {}): HookTerms => ({
  name: 'Alerts',
  kind: 'json',
  requestsPerMinute: 60,
  addresses: [],
  expects: null,
  settings: settingsWith({ ...CAREFUL, ...settings }),
  ...changes,
})

type Case = readonly [name: string, of: (value: unknown) => HookTerms, first: unknown, second: unknown]
const each = (ofTerms: object, ofSettings: object): Case[] =>
  [ofTerms, ofSettings].flatMap((table) =>
    Object.entries(table).flatMap(([name, pairs]: [string, [unknown, unknown][]]) =>
      pairs.map(([first, second]): Case => {
        const of = (value: unknown) =>
          table === ofTerms ? terms({ [name]: value }) : terms({}, { [name]: value })
        return [name, of, first, second]
      }),
    ),
  )

describe('loosened terms of a hook', () => {
  for (const [name, of, tighter, looser] of each(TERMS, SETTINGS))
    it(`loosened terms of a hook have ${name} from ${JSON.stringify(tighter)} to ${JSON.stringify(looser)}, and not the way back`, () => {
      assert.deepEqual(loosenedTerms(of(tighter), of(looser)), [name])
      assert.deepEqual(loosenedTerms(of(looser), of(tighter)), [])
      assert.deepEqual(loosenedTerms(of(looser), of(looser)), [])
    })

  for (const [name, of, one, other] of each(EITHER_TERMS, EITHER_SETTINGS))
    it(`loosened terms of a hook have ${name} between ${JSON.stringify(one)} and ${JSON.stringify(other)}, both ways`, () => {
      assert.deepEqual(loosenedTerms(of(one), of(other)), [name])
      assert.deepEqual(loosenedTerms(of(other), of(one)), [name])
    })

  it('loosened terms of a hook have nothing of a new name, and of what is expected of it', () => {
    assert.deepEqual(loosenedTerms(terms({}), terms({ name: 'x', expects: { atLeastEvery: 'day' } })), [])
    assert.deepEqual(loosenedTerms(terms({ expects: { atLeastEvery: 'day' } }), terms({})), [])
  })

  it('loosened terms of a hook are each that is loosened, with any others tightened beside it', () => {
    const before = terms({ addresses: [] }, { mayShort: false, quantity: '10' })
    const after = terms(
      { addresses: ['192.0.2.1'] },
      { mayShort: true, quantity: '1', executeMode: 'immediate' },
    )
    assert.deepEqual(loosenedTerms(before, after).toSorted(), ['executeMode', 'mayShort'])
  })
})
