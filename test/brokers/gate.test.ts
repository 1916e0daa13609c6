import assert from 'node:assert/strict'
import fc from 'fast-check'
import { BrokerGates } from '#brokers/gates.ts'
import { BrokerBudgetSpent, BrokerBusy, REQUEST_CLASSES, type RequestClass } from '#brokers/port.ts'
import { GatePlay, settled } from './gate-play.ts'

const LATER: readonly RequestClass[] = ['lookups', 'comparison', 'show']

describe('the gate of requests to a broker', () => {
  let play: GatePlay
  beforeEach(() => {
    play = new GatePlay()
  })

  it('lets nothing out before the instant that the broker has named, and orders first then', async () => {
    await play.send('comparison', 429, { 'retry-after': '10' })
    for (const kind of REQUEST_CLASSES) assert.ok((await play.send(kind))! > 0, kind)
    play.now += 9_999
    assert.equal(await play.send('orders'), 1)
    play.now += 1
    for (const kind of LATER) assert.ok((await play.send(kind))! > 0, `${kind} before orders`)
    assert.equal(await play.send('orders'), null)
    for (const kind of LATER)
      assert.equal(await play.send(kind), null, `${kind} after the answer to an order`)
  })

  it('says that the limit is reached, and until when', async () => {
    await play.send('orders', 429, { 'retry-after': '30' })
    const asked = await play.ask('orders')
    assert.ok(asked instanceof BrokerBusy && !(asked instanceof BrokerBudgetSpent))
    assert.match(asked.message, /request limit is reached; nothing is sent until 1970-01-01T00:17:10Z/)
    assert.equal(asked.retryAfterMs, 30_000)
  })

  for (const [words, headers, wait] of [
    ['seconds', { 'retry-after': '7' }, 7_000],
    ['an HTTP date', { 'retry-after': new Date(1_012_000).toUTCString() }, 12_000],
    ['a reset', { 'x-ratelimit-reset': '1020' }, 20_000],
    [
      'a reset by a clock that is an hour off',
      { 'x-ratelimit-reset': '4610', date: new Date(4_600_000).toUTCString() },
      10_000,
    ],
    ['a day, and a minute is believed', { 'retry-after': '86400' }, 60_000],
    ['nothing', {}, 1_500],
    ['a reset in the past', { 'x-ratelimit-reset': '900' }, 1_500],
    ['nonsense', { 'retry-after': 'soon', 'x-ratelimit-reset': 'later' }, 1_500],
  ] as const)
    it(`lets orders wait as the broker has said by ${words}`, async () => {
      await play.send('orders', 429, headers)
      assert.equal(await play.send('orders'), wait)
    })

  it('takes an answer 503 for a wait only when it names one', async () => {
    await play.send('orders', 503)
    assert.equal(await play.send('orders'), null)
    await play.send('orders', 503, { 'retry-after': '5' })
    assert.equal(await play.send('orders'), 5_000)
  })

  it('asks by orders alone, within two seconds of the end, where the broker names no wait', async () => {
    await play.send('comparison', 429)
    let tries = 0
    for (const end = play.now + 60_000; play.now < end; play.now += 100) {
      if ((await play.send('orders', 429)) === null) tries += 1
      for (const kind of LATER) assert.notEqual(await play.send(kind, 429), null, `${kind} beside an order`)
    }
    assert.ok(tries >= 31 && tries <= 41, `${tries} in a minute`)
  })

  for (const [words, headers] of [
    ['that name no wait', {}],
    ['that name ten seconds', { 'retry-after': '10' }],
  ] as const)
    it(`makes at most twelve requests in two minutes of refusals ${words} when no order is due`, async () => {
      // What is under way when the first refusal comes.
      const passes = await Promise.all([0, 1, 2, 3].map(() => play.ask('comparison')))
      for (const pass of passes) if (!(pass instanceof BrokerBusy)) pass.over(429, headers)
      for (const end = play.now + 120_000; play.now < end; play.now += 250)
        for (const kind of LATER) await play.send(kind, 429, headers)
      assert.ok(play.left.length <= 12, `${play.left.length} requests`)
      assert.ok(play.left.length > 6, 'it still finds out when the limit ends')
    })

  it('lets one request try at a time after a wait, and all others once that is answered', async () => {
    await play.send('comparison', 429)
    play.now += 5_000
    const trying = await play.ask('comparison')
    assert.ok(!(trying instanceof BrokerBusy))
    assert.notEqual(await play.send('comparison'), null)
    trying.over(null, {})
    assert.equal(await play.send('comparison'), null, 'one without an answer is followed by the next')
    assert.equal(await play.send('show'), null)
  })

  it('the gate of requests to a broker does not take an answer that was under way during a refusal for the end of the limit', async () => {
    const slow = await play.ask('comparison')
    await play.send('comparison', 429, { 'retry-after': '10' })
    if (!(slow instanceof BrokerBusy)) slow.over(200, {})
    assert.equal(await play.send('orders'), 10_000)
  })

  it('stops what is for show first, then comparisons, then look-ups, and never orders', async () => {
    const most = new Map<RequestClass, number>()
    for (const kind of ['show', 'comparison', 'lookups'] as const) {
      while ((await play.send(kind)) === null) most.set(kind, play.left.length)
      assert.ok((await play.ask(kind)) instanceof BrokerBudgetSpent)
    }
    assert.deepEqual([...most.values()], [90, 140, 170])
    for (let order = 0; order < 100; order += 1) assert.equal(await play.send('orders'), null)
    play.now += 60_001
    // The others have told of their slots of ten seconds.
    play.now += 10_000
    assert.equal(await play.send('show'), null)
  })

  it('counts as the broker does, where that is more', async () => {
    await play.send('orders', 200, { 'x-ratelimit-limit': '200', 'x-ratelimit-remaining': '61' })
    assert.equal(await play.send('comparison'), null)
    assert.ok((await play.ask('comparison')) instanceof BrokerBudgetSpent)
  })

  it('counts the requests of other processes', async () => {
    play = new GatePlay(2)
    while ((await play.send('comparison', 200, {}, 0)) === null);
    assert.ok((await play.ask('comparison', 1)) instanceof BrokerBudgetSpent)
    assert.equal(await play.send('orders', 200, {}, 1), null)
  })

  it('knows within a second of a refusal that another process has heard', async () => {
    play = new GatePlay(2)
    await play.send('show', 200, {}, 1)
    await play.send('comparison', 429, { 'retry-after': '10' }, 0)
    play.now += 1_000
    assert.notEqual(await play.send('comparison', 200, {}, 1), null)
    assert.equal(await play.send('orders', 200, {}, 1), 9_000)
  })

  it('asks the database once a second at most, however many connections make requests', async () => {
    let asked = 0
    let now = 0
    const gates = new BrokerGates({
      perMinute: () => 200,
      exchange: async () => {
        asked += 1
        return []
      },
      now: () => now,
    })
    const connections = Array.from({ length: 50 }, (_, index) =>
      gates.of({ brokerType: 'alpaca', baseUrl: 'http://broker', credentials: {}, connectionId: `${index}` }),
    )
    const round = () =>
      Promise.all(
        connections.map(async (gate) => {
          for (let look = 0; look < 4; look += 1) (await gate.enter('comparison')).over(200, {})
        }),
      )
    await round()
    asked = 0
    for (; now < 10_000; now += 250) if (now % 2_500 === 0) await round()
    assert.equal(asked, 3, 'a look at all accounts every 2.5 seconds, after the one at the beginning')
    now += 60_000
    await settled()
    assert.equal(asked, 3, 'who asks for nothing asks for nothing')
  })

  it('learns a wait from before it made its first request of the connection', async () => {
    play = new GatePlay(2)
    await play.send('comparison', 429, { 'retry-after': '10' }, 0)
    assert.notEqual(await play.send('comparison', 200, {}, 1), null)
  })

  it('lets an order out at once while the database does not answer, and others by a smaller share', async () => {
    let gone = (): void => {}
    play = new GatePlay(1, {
      exchange: () => new Promise((_, reject) => (gone = () => reject(new Error('gone')))),
    })
    const began = performance.now()
    assert.equal(await play.send('orders'), null)
    assert.ok(performance.now() - began < 100, 'an order does not wait for the database')
    gone()
    await settled()
    play.row.isAway = true
    play = new GatePlay(1, { exchange: play.row.exchange })
    play.now += 10_000
    while ((await play.send('comparison')) === null);
    assert.equal(play.left.length, 42)
    assert.equal(await play.send('orders'), null)
  })

  it('keeps requests within the budget and behind the waits, for any answers to any number of processes', async function () {
    this.timeout(60_000)
    const CALM = { status: 200, headers: {} as Record<string, string> }
    type Answer = { status: number | null; headers: Record<string, string> }
    const answer: fc.Arbitrary<Answer> = fc.oneof(
      {
        weight: 8,
        arbitrary: fc.constant({ status: 200, headers: {} }),
      },
      { weight: 20, arbitrary: fc.constant({ status: 500, headers: {} }) },
      { weight: 1, arbitrary: fc.constant({ status: null, headers: {} }) },
      { weight: 1, arbitrary: fc.constant({ status: 429, headers: {} }) },
      {
        weight: 1,
        arbitrary: fc
          .integer({ min: 1, max: 30 })
          .map((s) => ({ status: 429, headers: { 'retry-after': String(s) } })),
      },
    )
    const request = fc.record({
      after: fc.integer({ min: 0, max: 80 }),
      kind: fc.constantFrom(...REQUEST_CLASSES),
      process: fc.integer({ min: 0, max: 2 }),
      takes: fc.integer({ min: 0, max: 900 }),
      answer,
    })
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(request, { minLength: 300, maxLength: 900, size: 'max' }),
        async (isCalm, requests) => {
          const shared = new GatePlay(3)
          const closed = [0, 0, 0].map(() => ({ until: 0, heardAt: 0 }))
          const underWay: { at: number; over(): void }[] = []
          const answerUntil = async (at: number) => {
            for (const each of underWay.filter((one) => one.at <= at).toSorted((a, b) => a.at - b.at)) {
              shared.now = Math.max(shared.now, each.at)
              underWay.splice(underWay.indexOf(each), 1)
              each.over()
              await settled()
            }
            shared.now = at
          }
          for (const { after, kind, process, takes, answer: answered } of requests) {
            const { status, headers } = isCalm ? CALM : answered
            await answerUntil(shared.now + after)
            const enteredAt = shared.now
            const pass = await shared.ask(kind, process)
            if (pass instanceof BrokerBusy) {
              assert.ok(pass.retryAfterMs > 0 && pass.retryAfterMs <= 180_000)
              continue
            }
            const gate = closed[process]!
            assert.ok(enteredAt >= gate.until, `${kind} left ${gate.until - enteredAt} ms too early`)
            if (kind !== 'orders') {
              const before = shared.left.filter(({ at }) => at > enteredAt - 60_000)
              assert.ok(before.length < 200, `${before.length} requests within a minute`)
            }
            underWay.push({
              at: enteredAt + takes,
              over() {
                pass.over(status, headers)
                if (status === 429) {
                  const wait = Number(headers['retry-after'] ?? 1.5) * 1_000
                  gate.until = Math.max(gate.until, shared.now + wait)
                  gate.heardAt = shared.now
                } else if (status !== null && enteredAt >= gate.heardAt) gate.until = 0
              },
            })
          }
        },
      ),
      { numRuns: 100, endOnFailure: true },
    )
  })
})
