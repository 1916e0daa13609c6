import assert from 'node:assert/strict'
import type { Hook, HookRequest } from '#client/types.ts'
import { HOOK_KINDS } from '#domain/hook/settings.ts'
import { asSampleAlert } from '#domain/hook/sample-alert.ts'
import { alertMessage } from '#domain/hook/templates.ts'
import { bodyOf, changeOf, draftOf, newHookDraft, type HookDraft } from '#web/hook/draft.ts'
import { effectsOf, meaningWords } from '#web/hook/meaning.ts'
import { choicesOf } from '#web/hook/message.ts'
import { whyNoOrder } from '#web/hook/outcomes.ts'
import { readSymbolLines, symbolLines } from '#web/hook/symbols-map.ts'
import { accountTrial, trialTitle, type Trial } from '#web/hook/trial-words.ts'

const ACCOUNT = '5c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f'
const OTHER = '6c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f'

const written = (changes: Partial<HookDraft> = {}): HookDraft => ({
  ...newHookDraft(),
  accounts: new Map([[ACCOUNT, { by: 'message', value: '' }]]),
  ...changes,
})

/** A hook as the service answers it after it was made by a draft. */
function answered(draft: HookDraft): Hook {
  const { accountIds, ...choices } = bodyOf(draft)
  const accounts = accountIds.map((each) => {
    const {
      accountId,
      multiplier = null,
      quantity = null,
    } = typeof each === 'string' ? { accountId: each } : each
    const figure = (text: number | string | null) => (text === null ? null : Number(text))
    return { accountId, multiplier: figure(multiplier), quantity: figure(quantity) }
  })
  const size = choices.quantity ?? null
  return { ...choices, accounts, quantity: size === null ? null : Number(size) } as unknown as Hook
}

const TEMPLATE = {
  symbol: 'data.ticker',
  word: 'data.side',
  words: { long: 'buy', flat: 'close' },
  quantity: 'data.size',
  orderType: 'data.type',
  limitPrice: 'data.price',
  id: null,
} as const

describe('the words and forms of hooks', () => {
  it('every choice of a hook survives being read into the form and sent again', () => {
    const draft = written({
      name: 'Opening range',
      kind: 'template',
      accounts: new Map([
        [ACCOUNT, { by: 'multiplier', value: '0.5' }],
        [OTHER, { by: 'quantity', value: '3' }],
      ]),
      executeMode: 'pending',
      approvalMinutes: '',
      quantity: '10',
      exit: { ...newHookDraft().exit, exitTriggerType: 'minutesBeforeClose', exitTriggerMinutes: '5' },
      protection: 'ignore',
      symbols: 'brk-b = brk.b\nGOLD GLD',
      mayShort: true,
      whenSame: 'add',
      whenOpposite: 'reverse',
      template: { ...newHookDraft().template, symbol: 'data.ticker', word: 'side', buy: 'Long, BUY' },
      onlyTradingView: true,
      addresses: '203.0.113.7, 198.51.100.0/24',
      requestsPerMinute: '30',
      silence: 'everySession',
      silentUntil: '10:15',
    })
    const sent = changeOf(draft)
    assert.deepEqual(sent.accountIds, [
      { accountId: ACCOUNT, multiplier: '0.5' },
      { accountId: OTHER, quantity: '3' },
    ])
    assert.deepEqual(sent.exit, { exitTriggerType: 'minutesBeforeClose', exitTriggerMinutes: 5 })
    assert.deepEqual(sent.symbols, { 'BRK-B': 'BRK.B', GOLD: 'GLD' })
    assert.deepEqual(sent.addresses, ['tradingview', '203.0.113.7', '198.51.100.0/24'])
    assert.deepEqual(sent.expects, { everySession: '10:15' })
    assert.equal(sent.approvalMinutes, null)
    // What is no number is for the service to refuse: null would be no end.
    assert.equal(changeOf({ ...draft, approvalMinutes: 'ten' }).approvalMinutes, 'ten')
    assert.deepEqual(sent.template?.words, {
      long: 'buy',
      buy: 'buy',
      sell: 'sell',
      short: 'sell',
      close: 'close',
      exit: 'close',
      flat: 'close',
    })
    assert.deepEqual(changeOf(draftOf(answered(draft))), sent)
  })

  it('a symbol map is read however its lines are written, and its first bad line is named', () => {
    const { symbols, fault } = readSymbolLines('brk-b = brk.b\n\n BF/B -> BF.B\nGOLD,GLD')
    assert.deepEqual(symbols, { 'BRK-B': 'BRK.B', 'BF/B': 'BF.B', GOLD: 'GLD' })
    assert.equal(fault, null)
    assert.deepEqual(readSymbolLines(symbolLines(symbols)).symbols, symbols)
    assert.match(readSymbolLines('A = B\nA B C').fault ?? '', /“A B C”/)
  })

  it('what buy and sell come to is shown for each position that there can be', () => {
    const long = effectsOf({ mayShort: false, whenSame: 'nothing', whenOpposite: 'close' })
    assert.deepEqual(
      long.map(({ held }) => held),
      ['Nothing', 'Long'],
    )
    assert.match(long[0]!.sell, /^Refused/)
    assert.match(long[1]!.sell, /^Sells the quantity/)
    const both = effectsOf({ mayShort: true, whenSame: 'add', whenOpposite: 'reverse' })
    assert.deepEqual(both[1], { held: 'Long', buy: 'Buys more', sell: 'Sells all, then sells short' })
    assert.deepEqual(both[2], { held: 'Short', buy: 'Covers all, then buys', sell: 'Sells more short' })
    assert.match(
      meaningWords({ mayShort: false, whenSame: 'add', whenOpposite: 'close' }),
      /never sells short; .*adds/,
    )
  })

  it('a request says why no order came of it, and nothing where one did', () => {
    const request = (changes: Partial<HookRequest>) =>
      ({ outcome: 'accepted', message: null, signals: [], ...changes }) as HookRequest
    const waiting = { orderId: null, status: 'pending' } as HookRequest['signals'][number]
    assert.equal(whyNoOrder(request({})), null)
    assert.equal(whyNoOrder(request({ outcome: null })), null)
    assert.match(whyNoOrder(request({ signals: [waiting] })) ?? '', /approval/)
    assert.match(whyNoOrder(request({ outcome: 'repeated' })) ?? '', /received before/)
    assert.equal(whyNoOrder(request({ outcome: 'refused', message: 'No quantity' })), 'No quantity')
  })

  it('a trial shows the order of each account, or why there would be none', () => {
    const verdicts = [{ rule: 'size', outcome: 'denied', message: 'More than the limit of 5 shares' }]
    const order = {
      side: 'BUY',
      quantity: 10,
      symbol: 'AAPL',
      orderType: 'market',
      limitPrice: null,
      stopPrice: null,
    }
    const of = (dryRun: object | null, message: string | null = null) =>
      ({ accountId: ACCOUNT, dryRun, code: null, message }) as unknown as Trial['accounts'][number]
    assert.deepEqual(accountTrial(of({ outcome: 'ready', order, verdicts: [] })), {
      text: 'Buy 10 AAPL, at market',
      why: [],
      kind: 'good',
    })
    assert.deepEqual(accountTrial(of({ outcome: 'denied', order, verdicts, code: 'X' })).why, [
      verdicts[0]!.message,
    ])
    assert.deepEqual(accountTrial(of(null, 'No short sales')), {
      text: 'No order',
      why: ['No short sales'],
      kind: 'danger',
    })
    const trial = (changes: Partial<Trial>) =>
      ({ message: '', faults: [], advisories: [], instructions: [{}], accounts: [], ...changes }) as Trial
    assert.equal(trialTitle(trial({ accounts: [of(null)] })), 'It is understood, and no order would be sent')
    assert.equal(
      trialTitle(trial({ accounts: [of({ outcome: 'nothing', order: null, verdicts: [] })] })),
      'It is understood, and there is nothing to do',
    )
    assert.equal(
      trialTitle(trial({ faults: [{ code: 'x', message: '', path: [], field: '' }] })),
      'It would be refused',
    )
  })

  it('every message that is written for an alert can be filled in for its check, and is JSON then', () => {
    const sample = { ticker: 'AAPL', price: '187.50', now: '2026-03-02T15:00:00.000Z' }
    for (const kind of HOOK_KINDS)
      for (const on of ['strategy', 'indicator'] as const)
        for (const size of ['strategy', 'hook', 'fixed'] as const) {
          const choices = choicesOf({
            on,
            word: 'buy',
            order: 'limit',
            size,
            shares: ' 5 ',
            stop: '',
            target: ' 3 ',
          })
          const { text } = alertMessage(kind, choices, kind === 'template' ? TEMPLATE : null)
          const filled = asSampleAlert(text, sample)
          assert.doesNotMatch(filled, /\{\{/, `${kind} ${JSON.stringify(choices)}`)
          assert.ok(filled.includes('AAPL') && typeof JSON.parse(filled) === 'object')
        }
  })
})
