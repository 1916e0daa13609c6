import { ERRORS } from '#contract/errors.ts'
import { createWorkBounds, entryBound, WORK_BOUNDS } from '#api/http/work-bounds.ts'
import { connectBroker } from '#brokers/registry.ts'
import type { Broker } from '#brokers/port.ts'
import { startVenue, type RunningVenue } from '#venue/server.ts'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { signalBody, startApi, type Answer, type ApiServer, type TestUser } from '../support/api-server.ts'

/** Keys of the connections that the factories make. */
const KEYS = { keyId: 'KEY', secretKey: 'SECRET' }
const LOUD = 200

describe('a user who asks for much at once', () => {
  let venue: RunningVenue
  let api: ApiServer
  let loud: TestUser
  let quiet: TestUser

  const start = async (perMinute: number | undefined, brokerReads: number) => {
    venue = await startVenue({
      VENUE_KEY_ID: KEYS.keyId,
      VENUE_SECRET_KEY: KEYS.secretKey,
      VENUE_REQUESTS_PER_MINUTE: perMinute,
    })
    api = await startApi({
      connectBroker: (settings) => connectBroker({ ...settings, baseUrl: venue.url }),
      brokerReads,
      work: createWorkBounds({ ...WORK_BOUNDS, entries: entryBound(10) }),
    })
    loud = await api.addUser()
    quiet = await api.addUser()
  }
  afterEach(async () => {
    await api.stop()
    await venue.close()
  })

  const post = (user: TestUser, changes: Record<string, unknown> = {}): Promise<Answer> =>
    api.call('POST', '/api/v1/signals', { token: user.token, body: signalBody(user.accountId, changes) })
  const dryRun = () =>
    post(loud, { dryRun: true, exitTriggerType: 'minutesBeforeClose', exitTriggerMinutes: 30 })
  const times = <T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, n) => make(n)))
  const countByStatus = (answers: Answer[]): Record<string, number> => {
    const counts: Record<string, number> = {}
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
    return counts
  }
  const assertAskedToWait = (answers: Answer[], code: 'TOO_MANY_AT_ONCE' | 'BROKER_SHARE_SPENT') => {
    for (const { status, headers, body } of answers.filter((answer) => answer.status !== 200)) {
      assert.deepEqual([status, body.error, body.code], [503, ERRORS[code].message, code])
      assert.ok(Number(headers.get('retry-after')) >= 1)
    }
  }
  /** One signal after the other while something else goes on. */
  async function signalsDuring(other: Promise<unknown>): Promise<Answer[]> {
    const progress = { hasEnded: false }
    const over = other.finally(() => (progress.hasEnded = true))
    const answers: Answer[] = []
    while (!progress.hasEnded || answers.length < 10) answers.push(await post(quiet))
    await over
    return answers
  }
  /** How long the slowest signal of a user took from its arrival, in milliseconds. */
  const slowestOf = ({ userId }: TestUser): number =>
    Math.max(
      ...api.log.flatMap((line) =>
        line['msg'] === 'request' && line['userId'] === userId ? [line['durationMs'] as number] : [],
      ),
    )

  it('a user who asks for much at once by 200 dry runs gets some answered and the others refused for a while, and delays no other user', async function () {
    this.timeout(60_000)
    await start(undefined, 100_000)
    // What is made at the first use, such as connections and schemas, is nobody's delay.
    await Promise.all([dryRun(), post(quiet)])
    const flood = times(LOUD, dryRun)
    const answers = await signalsDuring(flood)
    const counts = countByStatus(await flood)
    // Three at once; how many more within a second of waiting, the machine decides.
    assert.ok(counts[200]! >= 6, JSON.stringify(counts))
    assert.ok(counts[503]! >= 50, JSON.stringify(counts))
    assert.equal(counts[200]! + counts[503]!, LOUD, JSON.stringify(counts))
    assertAskedToWait(await flood, 'TOO_MANY_AT_ONCE')
    assert.deepEqual(countByStatus(answers), { 201: answers.length })
    assert.ok(slowestOf(quiet) < 2_000, `the slowest signal of the other user took ${slowestOf(quiet)} ms`)
    assert.equal((await dryRun()).status, 200, 'the bound is free again')
  })

  it('a user who asks for much at once by lists takes no connection that signals need, though statements hold all that lists have', async function () {
    this.timeout(60_000)
    await start(undefined, 100_000)
    const lock = api.database.em.fork()
    await lock.begin()
    await lock.execute('lock table trades in access exclusive mode')
    try {
      const lists = times(60, () => api.call('GET', '/api/v1/trades', { token: loud.token }))
      const answers = await signalsDuring(lists)
      assert.deepEqual(countByStatus(answers), { 201: answers.length })
      assert.ok(slowestOf(quiet) < 1_500, `the slowest signal took ${slowestOf(quiet)} ms`)
    } finally {
      await lock.rollback()
    }
  })

  it('a user who asks for much at once by look-ups of assets leaves the broker’s limit to orders, cancels and exits', async function () {
    this.timeout(60_000)
    await start(200, 90)
    const tokens = [loud.token, await loud.mint(), await loud.mint()]
    const answers: Answer[] = []
    for (let batch = 0; batch < 50; batch++)
      answers.push(
        ...(await times(10, (n) =>
          api.call('GET', '/api/v1/assets/AAPL', { token: tokens[n % tokens.length] }),
        )),
      )
    const counts = countByStatus(answers)
    assert.equal(answers.length, 500)
    assert.ok(counts[200]! >= 30 && counts[200]! <= 120, JSON.stringify(counts))
    assert.equal(counts[200]! + counts[503]!, 500, JSON.stringify(counts))
    assertAskedToWait(answers, 'BROKER_SHARE_SPENT')
    assert.deepEqual([(await dryRun()).body.code], ['BROKER_SHARE_SPENT'], 'dry runs have the same share')

    // As the worker does, which has the keys too: the venue counts all requests by them together.
    const broker: Broker = connectBroker({ brokerType: 'paper', baseUrl: venue.url, credentials: KEYS })
    for (let order = 0; order < 30; order++) {
      const { brokerOrderId } = await broker.submitOrder({
        clientOrderId: randomUUID(),
        symbol: 'AAPL',
        side: 'BUY',
        quantity: '1',
        orderType: 'limit',
        limitPrice: '1',
        stopPrice: null,
        timeInForce: 'day',
        extendedHours: false,
      })
      assert.equal(await broker.cancelOrder(brokerOrderId), 'requested')
    }
  })
})
