import assert from 'node:assert/strict'
import { ApplicationFailure } from '@temporalio/common'
import type { Activities, SubmitOrderResult } from '#activities/contract.ts'
import { openDatabase, type Database, type EntityManager } from '#db/engine/database.ts'
import { liftHalt, setHalt } from '#db/risk/halts.ts'
import type { HaltLevel } from '#domain/risk/halt.ts'
import { ORDER_CAPS } from '#domain/risk/buying-power.ts'
import { clientOrderIdFor, type OrderRequest } from '#domain/order/order.ts'
import type { Failure } from '#domain/async/step-failure.ts'
import { orderRequest } from '#test/brokers/order-requests.ts'
import { decided } from '#test/support/decided.ts'
import { codeOf, useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

const CAP = 20

describe('requests to a broker', () => {
  let { desk, em, account, broker } = {} as ActivityDesk
  const orderCaps = { ...ORDER_CAPS, perMinute: CAP }
  useDesk(
    (opened) => ({ desk, em, account, broker } = opened),
    () => ({ orderCaps }),
  )
  afterEach(() => liftHalt(em, { scope: 'global' }, 'test'))

  const activitiesOn = (books: EntityManager, now: () => number = Date.now): Activities =>
    desk.activitiesWith({ em: books, orderCaps, now })
  const entryOf = (signalId: string, generation = 1): OrderRequest =>
    orderRequest({ clientOrderId: clientOrderIdFor(signalId, 'entry', generation) })
  const exitOf = (signalId: string, generation = 1): OrderRequest =>
    orderRequest({ clientOrderId: clientOrderIdFor(signalId, 'timed', generation), side: 'SELL' })
  const newSignal = async (): Promise<string> => (await desk.accepted()).id
  const submit = async (request: OrderRequest, by = desk.activities): Promise<SubmitOrderResult> => {
    // Made-up signals have no decision to keep.
    await decided(em, request).catch(() => {})
    return by.submitOrder({ accountId: account.id, request, unknownSince: null, sendBefore: null })
  }
  const halt = (level: HaltLevel) =>
    setHalt(em, { scope: 'user', userId: account.userId }, { level, reason: 'drill', by: 'test' })
  const lift = () => liftHalt(em, { scope: 'user', userId: account.userId }, 'test')
  /** That nothing was sent and the step asks to be repeated. */
  async function keptBack(
    attempt: Promise<SubmitOrderResult>,
    by: Failure = 'Halted',
  ): Promise<ApplicationFailure> {
    const before = broker.submissions.length
    const error = await attempt.then(
      (result) => assert.fail(`it settled: ${JSON.stringify(result)}`),
      (reason: unknown) => reason,
    )
    assert.ok(error instanceof ApplicationFailure, String(error))
    assert.deepEqual([error.type, error.nonRetryable ?? false], [by, false])
    assert.equal(broker.submissions.length, before)
    return error
  }
  const outcomeOf = async (attempt: Promise<SubmitOrderResult>): Promise<string> => codeOf(await attempt)

  describe('under a halt', () => {
    const refusals = {
      pauseEntries: 'TRADING_PAUSED',
      reduceOnly: 'REDUCE_ONLY',
      fullStop: 'TRADING_STOPPED',
    } as const
    for (const [level, code] of Object.entries(refusals) as [HaltLevel, string][])
      it(`what the gate passes to a broker under a halt of ${level} is no entry, from the moment that the halt is acknowledged`, async () => {
        await halt(level)
        assert.equal(await outcomeOf(submit(entryOf(await newSignal()))), code)
        assert.equal(broker.submissions.length, 0)
      })

    for (const level of ['pauseEntries', 'reduceOnly'] as const)
      it(`what the gate passes to a broker under a halt of ${level} are exits and closing signals`, async () => {
        await halt(level)
        const signal = await newSignal()
        assert.equal(await outcomeOf(submit(exitOf(signal))), 'accepted')
        const closing = { ...entryOf(signal), side: 'BUY_TO_COVER' } as const
        assert.equal(await outcomeOf(submit(closing)), 'accepted')
      })

    it('what the gate passes to a broker under a halt of fullStop is no exit until it is lifted, and then one that is sized again', async () => {
      await halt('fullStop')
      const signal = await newSignal()
      const exit = exitOf(signal)
      const failure = await keptBack(submit(exit))
      assert.match(failure.message, /Trading is stopped for all accounts of the user: drill/)
      assert.equal(failure.nextRetryDelay, 5_000)
      await lift()
      assert.equal(await outcomeOf(submit(exit)), 'void')
      assert.equal(await outcomeOf(submit(exitOf(signal, 2))), 'accepted')
      assert.deepEqual(broker.submissions, [exitOf(signal, 2)])
    })
  })

  describe('when the ledger cannot be read', () => {
    let unreachable: Database
    before(async () => {
      unreachable = await openDatabase('postgresql://nobody@127.0.0.1:1/none', 1)
    })
    after(() => unreachable?.close(true))

    it('what the gate passes to a broker when the ledger cannot be read is nothing, and the order asks again soon', async () => {
      // The accounts are known; what is lost is the connection of the guard.
      const half = new Proxy(em, {
        get: (target, name: keyof EntityManager) =>
          name === 'execute'
            ? (sql: string, ...rest: [never]) =>
                sql.includes('send_permits')
                  ? unreachable.em.execute(sql, ...rest)
                  : target.execute(sql, ...rest)
            : target[name],
      })
      const failure = await keptBack(
        submit(entryOf(await newSignal()), activitiesOn(half)),
        'ThrottleUnavailable',
      )
      assert.equal(failure.nextRetryDelay, undefined)
      await keptBack(submit(exitOf(await newSignal()), activitiesOn(half)), 'ThrottleUnavailable')
    })
  })

  it('what the gate passes to a broker is nothing on an answer that is more than two seconds old', async () => {
    let time = Date.now()
    const slow = activitiesOn(em, () => (time += 401))
    assert.equal(
      await outcomeOf(
        submit(
          entryOf(await newSignal()),
          activitiesOn(em, () => time),
        ),
      ),
      'accepted',
    )
    const late = new Proxy(em, {
      get: (target, name: keyof EntityManager) =>
        name === 'execute'
          ? async (sql: string, ...rest: [never]) => {
              const answer = await target.execute(sql, ...rest)
              if (sql.includes('send_permits')) time += 2_001
              return answer
            }
          : target[name],
    })
    const slower = activitiesOn(late, () => time)
    await assert.rejects(submit(entryOf(await newSignal()), slower), { type: 'OutcomeUnknown' })
    assert.equal(broker.submissions.length, 1)
    assert.equal(await outcomeOf(submit(entryOf(await newSignal()), slow)), 'accepted')
  })

  describe('from a loop that was planted', () => {
    /** Submits for as long as something leaves, and a little longer. */
    const loop = async (next: (round: number) => OrderRequest, rounds = 3 * CAP): Promise<string[]> => {
      const codes: string[] = []
      for (let round = 1; round <= rounds; round += 1)
        codes.push(
          await outcomeOf(submit(next(round))).catch((error: unknown) => {
            assert.ok(error instanceof ApplicationFailure)
            return String(error.type)
          }),
        )
      return codes
    }

    it('what the gate passes to a broker from a loop that was planted that sends one signal over and over under new ids is a handful', async () => {
      const signal = await newSignal()
      await loop((round) => entryOf(signal, round))
      assert.equal(broker.submissions.length, ORDER_CAPS.entriesPerSignal)
      assert.equal(await outcomeOf(submit(exitOf(signal))), 'accepted')
    })

    it('what the gate passes to a broker from a loop that was planted that sends one exit over and over under new ids is at most the cap of the minute', async () => {
      const signal = await newSignal()
      const codes = await loop((round) => exitOf(signal, round))
      assert.ok(broker.submissions.length <= 2 * CAP, 'the minute may turn over once')
      assert.ok(codes.includes('Halted'))
      assert.equal(await outcomeOf(submit(entryOf(await newSignal()))), 'REDUCE_ONLY')
    })
  })
})
