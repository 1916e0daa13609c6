import assert from 'node:assert/strict'
import { answerOf } from '#api/hooks/answers-of-senders.ts'
import { fault } from '#api/http/errors.ts'
import type { HookOutcome } from '#domain/hook/outcome.ts'
import { HOOK_KINDS, type HookKind } from '#domain/hook/settings.ts'
import { readFor } from './dialects/support.ts'

const ACCEPTED: HookOutcome = {
  requestId: 'r1',
  outcome: 'accepted',
  code: null,
  message: 'The signal is accepted',
  faults: [],
  advisories: [],
  groupId: 'g1',
  signals: [{ accountId: 'a1', id: 's1', status: 'executed', orderId: 'o1', code: null, message: null }],
}
const UNREAD: HookOutcome = {
  ...ACCEPTED,
  outcome: 'refused',
  code: 'VALIDATION_ERROR',
  message: 'action is required',
  faults: [fault(['action'], 'required', 'action is required')],
  groupId: null,
  signals: [],
}
const DENIED: HookOutcome = {
  ...ACCEPTED,
  outcome: 'refused',
  code: 'INSUFFICIENT_FUNDS',
  message: 'Too dear',
}

const bodyFor = (kind: HookKind, outcome: HookOutcome) =>
  answerOf(kind, outcome).body as Record<string, unknown>

describe('the answer to a request of a hook', () => {
  it('every sender is told 200 of what is done, and 400 of what is refused or late, and nothing that it repeats', () => {
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
    const refused = {
      success: false,
      logId: 'r1',
      messageCode: 'invalid-payload',
      message: 'action is required',
    }
    assert.deepEqual(bodyFor('traderspost', UNREAD), refused)
    assert.deepEqual(bodyFor('traderspost', DENIED), {
      ...refused,
      messageCode: 'insufficient-funds',
      message: 'Too dear',
    })
  })

  for (const [message, code] of [
    ['{"ticker":"F"', 'malformed-json'],
    [{ ticker: 'F' }, 'invalid-payload'],
    [{ ticker: '', action: 'buy' }, 'empty-ticker-name'],
    [{ ticker: 'F', action: 'bu' }, 'invalid-action'],
    [{ ticker: 'F', action: 'buy', sentiment: 'happy' }, 'invalid-sentiment'],
    [{ ticker: 'F', action: 'exit', sentiment: 'bullish' }, 'invalid-sentiment-action'],
    [{ ticker: 'F', action: 'buy', quantity: 'ten' }, 'invalid-quantity'],
    [{ ticker: 'F', action: 'buy', quantity: 1, quantityType: 'lots' }, 'invalid-quantity-type'],
    [{ ticker: 'F', action: 'buy', quantity: 1, orderType: 'best' }, 'invalid-order-type'],
    [{ ticker: 'F 240510C68', action: 'buy', quantity: 1 }, 'invalid-asset-class'],
  ] as const)
    it(`TradersPost's code ${code} tells what is wrong with ${JSON.stringify(message)}`, () => {
      const read = readFor('traderspost', message)
      assert.ok('faults' in read)
      assert.equal(bodyFor('traderspost', { ...UNREAD, faults: read.faults })['messageCode'], code)
    })

  it('trade-relay is answered with its statuses', () => {
    const statusOf = (outcome: HookOutcome) => {
      const { id, status, rejectedBy } = bodyFor('trade-relay', outcome)
      return [id, status, rejectedBy]
    }
    assert.deepEqual(statusOf(ACCEPTED), ['g1', 'executed', undefined])
    assert.deepEqual(statusOf({ ...ACCEPTED, outcome: 'nothing', groupId: null }), ['r1', 'noop', undefined])
    assert.deepEqual(statusOf(UNREAD), ['r1', 'parse_error', undefined])
    assert.deepEqual(statusOf(DENIED), ['g1', 'rejected', 'INSUFFICIENT_FUNDS'])
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
