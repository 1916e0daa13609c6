import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { ApplicationFailure } from '@temporalio/common'
import type { SubmitOrderResult } from '#activities/contract.ts'
import { recordDue } from '#db/signal/decision-ledger.ts'
import { termsOf } from '#db/signal/terms.ts'
import { clientOrderIdFor, type OrderRequest } from '#domain/order/order.ts'
import { orderRequest } from '#test/brokers/order-requests.ts'
import { createAccount } from '#test/support/factories.ts'
import { entryIdOf } from '#test/support/placed-by-hand.ts'
import { held } from '#test/support/sample-position.ts'
import { decided } from '#test/support/decided.ts'
import { codeOf, useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'
import type { Signal } from '#db/entities/index.ts'

/** Statements by which an authority ends, of a token (first parameter) and its user (second). */
const ENDINGS = {
  'the token was revoked': 'update access_tokens set revoked_at = now() where id = ? and user_id = ?',
  'the token has expired':
    "update access_tokens set expires_at = now() - interval '1 second' where id = ? and user_id = ?",
  'the token has lost its scope':
    "update access_tokens set scopes = '{trading:read,accounts:read,accounts:write}' where id = ? and user_id = ?",
  'the plan holds no tokens any more': "update users set plan = 'BASIC' where ?::uuid is not null and id = ?",
  'the user was disabled': 'update users set disabled_at = now() where ?::uuid is not null and id = ?',
} as const
type Ending = keyof typeof ENDINGS

const MOMENTS = [
  'before it is decided',
  'between decision and sending',
  'between two attempts, the first one lost',
  'after an attempt that the broker took without an answer',
] as const
type Moment = (typeof MOMENTS)[number]

const SUBJECTS = ['signal', 'order by hand'] as const
type Subject = (typeof SUBJECTS)[number]

describe('an authority that has ended', () => {
  let { desk, em, account, broker, mint } = {} as ActivityDesk
  useDesk(
    (opened) => ({ desk, em, account, broker, mint } = opened),
    () => ({ pause: async () => {} }),
  )

  const end = (ending: Ending, tokenId: string | null) =>
    em.execute(ENDINGS[ending], [tokenId ?? randomUUID(), account.userId], 'run')

  interface Order {
    /** The decision, in one word or a code. */
    decide(approvedAt?: string): Promise<string>
    /** One attempt to send it: the outcome in one word or a code. */
    attempt(): Promise<string>
  }
  let unknownSince: string | null
  beforeEach(() => {
    unknownSince = null
  })
  const sending = (request: OrderRequest) => async (): Promise<string> => {
    const askedAt = new Date().toISOString()
    let result: SubmitOrderResult
    try {
      result = await desk.submit(request, { unknownSince })
    } catch (error) {
      assert.ok(error instanceof ApplicationFailure, String(error))
      unknownSince ??= askedAt
      return error.type ?? 'failure'
    }
    return codeOf(result)
  }
  const signal = async (
    fields: { tokenId: string | null } & Partial<Signal>,
  ): Promise<Order & { id: string }> => {
    const stored = await desk.accepted(fields)
    return {
      id: stored.id,
      decide: async (approvedAt) => {
        const terms = { ...termsOf(stored), ...(approvedAt !== undefined && { dueAt: approvedAt }) }
        return codeOf(await desk.activities.prepareEntry(terms))
      },
      attempt: sending(
        orderRequest({
          clientOrderId: clientOrderIdFor(stored.id, 'entry', 1),
          quantity: '10',
          side: stored.action === 'closeLong' ? 'SELL' : 'BUY',
        }),
      ),
    }
  }
  const byHand = async (tokenId: string | null, side: 'BUY' | 'SELL' = 'BUY'): Promise<Order> => {
    const terms = await desk.placedBy(tokenId, { side })
    return {
      decide: async () => codeOf(await desk.activities.prepareEntry(terms)),
      attempt: sending(orderRequest({ clientOrderId: entryIdOf(terms), quantity: '10', side })),
    }
  }
  const opening = (subject: Subject, tokenId: string | null): Promise<Order> =>
    subject === 'signal' ? signal({ tokenId }) : byHand(tokenId)

  /** Lets so many seconds pass since the attempts until now. */
  async function age(seconds: number): Promise<void> {
    await em.execute(
      'update send_permits set permitted_at = permitted_at - make_interval(secs => ?), permitted_before = permitted_before - make_interval(secs => ?)',
      [seconds, seconds],
      'run',
    )
    unknownSince &&= new Date(Date.parse(unknownSince) - seconds * 1_000).toISOString()
  }

  /** Lets attempts follow one another until an outcome is certain. */
  async function settle(order: Order): Promise<string> {
    for (let attempt = 0; attempt < 5; attempt++) {
      await age(20)
      const outcome = await order.attempt()
      if (outcome !== 'OutcomeUnknown') return outcome
    }
    return 'OutcomeUnknown'
  }

  const codeAfter = (ending: Ending) =>
    ending === 'the user was disabled' ? 'USER_DISABLED' : 'SENDER_REVOKED'

  async function endAt(moment: Moment, ending: Ending, order: Order, tokenId: string): Promise<string> {
    if (moment === 'before it is decided') {
      await end(ending, tokenId)
      return order.decide()
    }
    assert.equal(await order.decide(), 'ready')
    if (moment === 'between decision and sending') {
      await end(ending, tokenId)
      return order.attempt()
    }
    broker.script.push(moment.includes('lost') ? 'unknownBefore' : 'acceptThenUnknown')
    assert.equal(await order.attempt(), 'OutcomeUnknown')
    await end(ending, tokenId)
    return settle(order)
  }

  for (const subject of SUBJECTS)
    for (const ending of Object.keys(ENDINGS) as Ending[])
      for (const moment of ending === 'the token was revoked' ? MOMENTS : MOMENTS.slice(0, 2))
        it(`sends no ${subject} that it alone has caused: ${ending}, ${moment}`, async () => {
          const tokenId = await mint()
          const order = await opening(subject, tokenId)
          const outcome = await endAt(moment, ending, order, tokenId)
          const hadLeft = moment === 'after an attempt that the broker took without an answer'
          // What the broker has is told as it is: it needs its exit.
          assert.equal(outcome, hadLeft ? 'accepted' : codeAfter(ending))
          assert.equal(broker.accepted.size, hadLeft ? 1 : 0)
        })

  for (const ending of ['the token was revoked', 'the user was disabled'] as const) {
    const hasEnded = ending === 'the user was disabled'

    it(`lets exits leave: ${ending}`, async () => {
      const tokenId = await mint()
      const { id } = await signal({ tokenId })
      await end(ending, tokenId)
      const exit = orderRequest({ clientOrderId: clientOrderIdFor(id, 'timed', 1), side: 'SELL' })
      await decided(em, exit)
      assert.equal(await sending(exit)(), 'accepted')
    })

    it(`leaves what a person has approved, as long as they are not disabled themselves: ${ending}`, async () => {
      const tokenId = await mint()
      const order = await signal({ tokenId, executeMode: 'pending', status: 'pending' })
      const approval = { by: 'ada@example.com', quantity: null, limitPrice: null, sendBefore: null }
      const approvedAt = new Date().toISOString()
      await recordDue(em, order.id, approvedAt, approval)
      await end(ending, tokenId)
      const outcome = [await order.decide(approvedAt), await order.attempt()]
      assert.deepEqual(outcome, hasEnded ? ['held', 'void'] : ['ready', 'accepted'])
    })

    for (const subject of SUBJECTS) {
      it(`lets a ${subject} close a position: ${ending}`, async () => {
        broker.positions = [held('10', 'LONG')]
        const tokenId = await mint()
        const order =
          subject === 'signal'
            ? await signal({ tokenId, action: 'closeLong' })
            : await byHand(tokenId, 'SELL')
        await end(ending, tokenId)
        assert.deepEqual([await order.decide(), await order.attempt()], ['ready', 'accepted'])
      })

      it(`an authority that has ended is no matter of a ${subject} that a person has sent, unless they are disabled: ${ending}`, async () => {
        const tokenId = await mint()
        const order = await opening(subject, null)
        await end(ending, tokenId)
        const outcome = [await order.decide(), await order.attempt()]
        assert.deepEqual(outcome, hasEnded ? ['USER_DISABLED', 'void'] : ['ready', 'accepted'])
      })
    }
  }

  it('an authority that has ended of one token stops nothing of another one', async () => {
    const [ended, other] = [await mint(), await mint()]
    const order = await signal({ tokenId: other })
    await end('the token was revoked', ended)
    assert.deepEqual([await order.decide(), await order.attempt()], ['ready', 'accepted'])
  })

  it('an authority that has ended may be given back before the signal is due: a plan, or a user who is not disabled any more', async () => {
    const order = await signal({ tokenId: await mint() })
    await end('the plan holds no tokens any more', null)
    await end('the user was disabled', null)
    await em.execute(`update users set plan = 'PRO', disabled_at = null where id = ?`, [account.userId])
    assert.deepEqual([await order.decide(), await order.attempt()], ['ready', 'accepted'])
  })

  it('an authority that has ended is asked of the token of its own user only: the schema takes none of another user', async () => {
    const tokenId = await mint()
    desk.account = await createAccount(em)
    await assert.rejects(signal({ tokenId }), /foreign key/)
    await assert.rejects(byHand(tokenId), /foreign key/)
  })
})
