import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT_CONTEXT } from '@opentelemetry/api'
import { SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { TraceCollector, type CollectedSpan } from '#test/support/trace-collector.ts'
import { traceOf } from '#tracing/trace-id.ts'
import { assertOneEntryOneExit, senderOn } from '#test/service/sent-signal.ts'

/** Figures that stand out among what is exported. */
const SHARES = 2_417
const LIMIT = 391.73

describe('the traces of signals', function () {
  this.timeout(120_000)
  let collector: TraceCollector
  before(async () => {
    collector = await TraceCollector.start()
  })
  after(() => collector.close())
  const service = useStack({
    get api() {
      return { TRACES_ENDPOINT: collector.endpoint }
    },
    get worker() {
      return { TRACES_ENDPOINT: collector.endpoint }
    },
  })
  const { sent: send } = senderOn(service)
  const restart = async (settings: Record<string, string> = {}): Promise<void> => {
    const { api, worker } = service.stack.parts
    await Promise.all([api.restart(settings), worker.restart(settings)])
    await service.stack.untilReady()
  }

  /** Every span has its parent in the trace, and one has none. */
  function assertOneTree(spans: readonly CollectedSpan[]): CollectedSpan {
    const ids = new Set(spans.map(({ spanId }) => spanId))
    const [root, ...others] = spans.filter(({ parentSpanId }) => parentSpanId === '')
    assert.ok(root, 'there is a root')
    assert.deepEqual(others, [])
    assert.deepEqual(
      spans.filter(({ parentSpanId }) => parentSpanId !== '' && !ids.has(parentSpanId)),
      [],
    )
    assert.equal(ids.size, spans.length, 'no span was sent twice')
    return root
  }
  const parentOf = (spans: readonly CollectedSpan[], child: CollectedSpan): string | undefined =>
    spans.find(({ spanId }) => spanId === child.parentSpanId)?.name

  const LIFE = [
    'POST /api/v1/signals',
    'store signal',
    'Temporal start and await entry',
    'activity attemptEntry',
    'POST /v2/orders',
    'order report',
    'Temporal order changed',
    'activity scheduleExit',
    'activity sizeExit',
  ]

  it('lead from the request to every broker call and the messages of the feed, in one tree', async () => {
    const symbol = 'ZTTREE'
    await service.stack.venue.pin(symbol, LIMIT)
    await service.stack.venue.script([{ on: 'fill', mode: 'delay', delayMs: 1_000, symbol }])
    const terms = { quantity: SHARES, orderType: 'limit', limitPrice: LIMIT }
    const id = await send({ symbol, ...terms, exitTriggerType: 'immediate' })
    await assertOneEntryOneExit(service.stack, id)
    await service.stack.venue.clearScript()
    await collector.until(id, LIFE)
    const spans = await eventually(() => {
      const found = collector.of(id)
      assert.equal(found.filter(({ name }) => name === 'POST /v2/orders').length, 2, 'entry and exit')
      assertOneTree(found)
      return found
    })
    const root = assertOneTree(spans)
    assert.deepEqual(
      [root.name, root.service, root.spanId],
      ['POST /api/v1/signals', 'durable-trader-api', traceOf(id)!.rootSpanId],
    )
    assert.deepEqual(
      [root.attributes['http.route'], root.attributes['http.response.status_code']],
      ['/api/v1/signals', 201],
    )
    const store = spans.find(({ name }) => name === 'store signal')!
    assert.equal(parentOf(spans, store), root.name)
    const calls = spans.filter(({ name }) => name === 'POST /v2/orders')
    // On a slow machine the first attempt ends with the decision made, and another activity sends the order.
    const senders = spans.filter(({ spanId }) => calls.some(({ parentSpanId }) => parentSpanId === spanId))
    for (const { service: of, attributes } of senders)
      assert.deepEqual([of, attributes['durable_trader.outcome']], ['durable-trader-worker', 'accepted'])
    for (const call of calls) {
      assert.match(parentOf(spans, call)!, /^activity /)
      assert.equal(call.attributes['url.template'], '/v2/orders')
      assert.ok(call.attributes['http.response.status_code'] === 200)
    }
    for (const told of spans.filter(({ name }) => name === 'Temporal order changed'))
      assert.equal(parentOf(spans, told), 'order report')
    assert.ok(spans.every(({ statusCode, milliseconds }) => statusCode !== 2 && milliseconds >= 0))
    assert.ok(
      spans.every(({ name }) => !name.includes(id)),
      'names hold no ids',
    )
  })

  it('hold no secret, no size and no price', async () => {
    const { token, person: owner, venueKeys } = service.stack
    const secrets = [token, owner.password, owner.email, venueKeys.keyId, venueKeys.secretKey]
    for (const word of [...secrets, String(LIMIT), service.stack.accountId])
      assert.ok(!collector.received.includes(word), `exported: ${word}`)
    const values = collector.spans.flatMap(({ attributes }) => Object.values(attributes).map(String))
    assert.ok(values.length > 20)
    assert.ok(!values.includes(String(SHARES)))
  })

  it('the traces of signals are decided by the id alike in every process, for a part of the signals', async () => {
    const sampler = new TraceIdRatioBasedSampler(0.5)
    const isSampled = (id: string) =>
      sampler.shouldSample(ROOT_CONTEXT, traceOf(id)!.traceId).decision ===
      SamplingDecision.RECORD_AND_SAMPLED
    await restart({ TRACES_RATIO: '0.5' })
    const ids: string[] = []
    while (ids.length < 16 || !ids.some(isSampled) || ids.every(isSampled)) ids.push(await send())
    for (const id of ids.filter(isSampled))
      await collector.until(id, ['POST /api/v1/signals', 'activity attemptEntry', 'POST /v2/orders'])
    assert.deepEqual(
      ids.filter((id) => !isSampled(id)).flatMap((id) => collector.of(id)),
      [],
    )
    await restart({ TRACES_RATIO: '0' })
    const before = collector.requests
    const id = await send({ exitTriggerType: 'immediate' })
    await assertOneEntryOneExit(service.stack, id)
    await service.stack.parts.api.stop()
    await service.stack.parts.worker.stop()
    assert.equal(collector.requests, before)
    await restart()
  })

  for (const [words, conduct] of [
    ['answers 500', 'fails'],
    ['does not answer', 'hangs'],
    ['is gone', 'gone'],
  ] as const)
    it(`keep no signal from its orders while the collector ${words}`, async () => {
      if (conduct === 'gone') await collector.close()
      else collector.conduct = conduct
      const from = complaints().length
      try {
        for (let number = 0; number < 5; number += 1) {
          const began = performance.now()
          const id = await send({ exitTriggerType: 'immediate' })
          assert.ok(performance.now() - began < 2_000)
          await assertOneEntryOneExit(service.stack, id)
        }
        const asked = performance.now()
        await restart()
        assert.ok(performance.now() - asked < 30_000, 'stopping waits for no collector')
      } finally {
        collector.conduct = 'takes'
        if (conduct === 'gone') await collector.open()
      }
      // At most one in each minute of each life: two processes, before and after the restart.
      assert.ok(complaints().length - from <= 4, complaints().join('\n'))
    })

  const complaints = (): string[] =>
    ['api.log', 'worker.log'].flatMap((file) =>
      readFileSync(join(service.stack.logFolder, file), 'utf8')
        .split('\n')
        .filter((line) => line.includes('traces could not be exported')),
    )
})
