import assert from 'node:assert/strict'
import { signalsOf } from '#api/hook/intake/preview.ts'
import type { HookKind } from '#domain/hook/settings.ts'
import {
  ACCOUNTS,
  bodyOf,
  faultsOf,
  inShort,
  NOW,
  settingsWith,
  notifiedOf,
  TWO_ACCOUNTS,
  understood,
} from './support.ts'

const BUY: Partial<Record<HookKind, object>> = {
  'trade-relay': { action: 'buy', symbol: 'F', quantity: 10 },
  signalstack: { action: 'buy', symbol: 'F', quantity: 10 },
  traderspost: { action: 'buy', ticker: 'F', quantity: 10 },
  tradingview: { action: 'buy', ticker: 'F', contracts: 10 },
  openalgo: { action: 'BUY', symbol: 'F', quantity: 10 },
}
const [FIRST, SECOND] = ACCOUNTS
const OTHER = '7e0d7f43-6a31-4d0b-9d53-4f6f8a0f3d11'

describe('the account that a message names', () => {
  for (const [kind, buy] of Object.entries(BUY) as [HookKind, object][])
    it(`a message that names an account of the hook (${kind}) is for that one alone, and one that names another is refused`, () => {
      const idOf = (name: object) => bodyOf(kind, { ...buy, ...name }, TWO_ACCOUNTS)['accountId']
      const faults = (name: object) => faultsOf(kind, { ...buy, ...name }, TWO_ACCOUNTS)
      assert.equal(idOf({ accountId: SECOND }), SECOND)
      assert.equal(idOf({ Account: ` ${FIRST.toUpperCase()}` }), FIRST)
      assert.equal(idOf({ account: FIRST, account_id: FIRST }), FIRST)
      assert.equal(idOf({ accountIds: [FIRST, SECOND] }), undefined)
      assert.equal(idOf({}), undefined)
      for (const name of ['paper-2', OTHER, 2, [FIRST, 'paper-2']])
        assert.deepEqual(faults({ account: name }), ['not_of_this_hook account'])
      assert.deepEqual(faults({ account: '' }), ['no_value account'])
      assert.deepEqual(faults({ account: FIRST, acct: SECOND }), ['contradiction acct'])
      assert.deepEqual(notifiedOf(kind, { ...buy, account: 'paper-2' }), ['account_not_used'])
      assert.deepEqual(faultsOf(kind, { ...buy, account: OTHER }), ['not_of_this_hook account'])
    })

  it('what is for all accounts of the hook is refused for one of them', () => {
    for (const action of ['flatten', 'cancel_all', 'pause', 'kill'])
      assert.deepEqual(faultsOf('trade-relay', { action, account: FIRST }, TWO_ACCOUNTS), [
        'not_for_one_account account',
      ])
    const cancelled = { ticker: 'F', action: 'exit', cancel: true, account: FIRST }
    assert.deepEqual(faultsOf('traderspost', cancelled, TWO_ACCOUNTS), ['not_for_one_account account'])
  })

  it('a close for one account leaves the entries of the others', () => {
    const message = { action: 'close', symbol: 'F', account: FIRST }
    assert.deepEqual(inShort('trade-relay', message, TWO_ACCOUNTS), ['close all F'])
    assert.deepEqual(notifiedOf('trade-relay', message, TWO_ACCOUNTS), ['entries_not_cancelled'])
    assert.deepEqual(inShort('trade-relay', message), ['cancel F', 'close all F'])
  })

  for (const [size, position, held] of [
    [{ multiplier: null, quantity: null }, '20', '10'],
    [{ multiplier: '0.5', quantity: null }, '10', '5'],
    [{ multiplier: '3', quantity: null }, '60', '30'],
    [{ multiplier: null, quantity: '7' }, '7', '7'],
  ] as const)
    it(`the position that a sender believes to be held is sized as its target is, for an account of ${JSON.stringify(size)}`, () => {
      const settings = settingsWith({ accounts: [{ accountId: FIRST, ...size }] })
      const before = { prev_market_position: 'long', prev_market_position_size: 10 }
      const message = {
        ticker: 'F',
        action: 'buy',
        market_position: 'long',
        market_position_size: 20,
        ...before,
      }
      const [instruction] = understood('tradingview', message).instructions
      assert.ok(instruction?.kind === 'trade')
      const [signal] = signalsOf(instruction, settings, NOW)
      assert.deepEqual(
        [signal!.targetPosition, signal!.senderHolds],
        [position, { side: 'LONG', shares: held }],
      )
    })
})
