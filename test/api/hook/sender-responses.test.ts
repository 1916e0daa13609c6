import assert from 'node:assert/strict'
import { answerOf } from '#api/hook/sender-responses.ts'
import { fault } from '#contract/errors.ts'
import type { HookOutcome } from '#domain/hook/outcome.ts'
import { HOOK_KINDS, type HookKind } from '#domain/hook/settings.ts'
import { readFor } from './dialects/support.ts'

const SIGNAL = {
  accountId: 'a1',
  id: 's1',
  status: 'executed',
  orderId: 'o1',
  code: null,
  message: null,
} as const
const ACCEPTED: HookOutcome = {
  requestId: 'r1',
  outcome: 'accepted',
  code: null,
  message: 'The signal is accepted',
  faults: [],
  advisories: [],
  groupId: 'g1',
  signals: [SIGNAL],
}
const REFUSED: HookOutcome = { ...ACCEPTED, outcome: 'refused', signals: [] }
const UNREAD: HookOutcome = {
  ...REFUSED,
  code: 'VALIDATION_ERROR',
  message: 'action is required',
  faults: [fault(['action'], 'required', 'action is required')],
  groupId: null,
}
const DENIED: HookOutcome = { ...REFUSED, code: 'INSUFFICIENT_FUNDS', message: 'Too dear' }

const bodyFor = (kind: HookKind, outcome: HookOutcome) =>
  answerOf(kind, outcome).body as Record<string, unknown>

describe('the answer to a request of a hook', () => {
  it('every sender receives 200 for what is done, and 400 for what is refused or late, and nothing that it repeats', () => {
    const statuses = {
      accepted: 200,
      nothing: 200,
      repeated: 200,
      dry_run: 200,
      refused: 400,
      late: 400,
    } as const
    for (const kind of HOOK_KINDS)
      for (const [outcome, status] of Object.entries(statuses))
        assert.equal(
          answerOf(kind, { ...ACCEPTED, outcome: outcome as HookOutcome['outcome'] }).status,
          status,
        )
  })

  it('TradersPost is answered in its own shape', () => {
    const { payload, ...answer } = bodyFor('traderspost', ACCEPTED)
    assert.deepEqual(answer, { success: true, id: 'g1', logId: 'r1' })
    assert.deepEqual((payload as HookOutcome).signals, ACCEPTED.signals)
    const refused = { success: false, logId: 'r1' }
    for (const [outcome, messageCode] of [
      [UNREAD, 'invalid-payload'],
      [DENIED, 'insufficient-funds'],
    ] as const)
      assert.deepEqual(bodyFor('traderspost', outcome), { ...refused, messageCode, message: outcome.message })
  })

  const ONE = { ticker: 'F', action: 'buy', quantity: 1 }
  for (const [message, code] of [
    ['{"ticker":"F"', 'malformed-json'],
    [{ ticker: 'F' }, 'invalid-payload'],
    [{ ...ONE, ticker: '' }, 'empty-ticker-name'],
    [{ ...ONE, action: 'bu' }, 'invalid-action'],
    [{ ...ONE, sentiment: 'happy' }, 'invalid-sentiment'],
    [{ ...ONE, action: 'exit', sentiment: 'bullish' }, 'invalid-sentiment-action'],
    [{ ...ONE, quantity: 'ten' }, 'invalid-quantity'],
    [{ ...ONE, quantityType: 'lots' }, 'invalid-quantity-type'],
    [{ ...ONE, orderType: 'best' }, 'invalid-order-type'],
    [{ ...ONE, ticker: 'F 240510C68' }, 'invalid-asset-class'],
  ] as const)
    it(`TradersPost's code ${code} says what is wrong with ${JSON.stringify(message)}`, () => {
      const read = readFor('traderspost', message)
      assert.ok('faults' in read)
      assert.equal(bodyFor('traderspost', { ...UNREAD, faults: read.faults })['messageCode'], code)
    })

  it('trade-relay is answered with its statuses', () => {
    for (const [outcome, told] of [
      [ACCEPTED, ['g1', 'executed', undefined]],
      [{ ...ACCEPTED, outcome: 'nothing', groupId: null }, ['r1', 'noop', undefined]],
      [UNREAD, ['r1', 'parse_error', undefined]],
      [DENIED, ['g1', 'rejected', 'INSUFFICIENT_FUNDS']],
    ] as const) {
      const { id, status, rejectedBy } = bodyFor('trade-relay', outcome)
      assert.deepEqual([id, status, rejectedBy], told)
    }
  })

  it('OpenAlgo is answered with an order, or with what is wrong', () => {
    const { status, orderid } = bodyFor('openalgo', ACCEPTED)
    assert.deepEqual([status, orderid], ['success', 'o1'])
    const refused = bodyFor('openalgo', UNREAD)
    assert.deepEqual([refused['status'], refused['message']], ['error', 'action is required'])
  })

  it('everybody else is answered as POST /signals answers, with a signal for each account', () => {
    const { success, message, signals, requestId } = bodyFor('tradingview', ACCEPTED)
    assert.deepEqual([success, message, signals, requestId], [true, ACCEPTED.message, ACCEPTED.signals, 'r1'])
    const { error, code, details } = bodyFor('json', UNREAD)
    assert.deepEqual([error, code, details], [UNREAD.message, 'VALIDATION_ERROR', UNREAD.faults])
  })
})
