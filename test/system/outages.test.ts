import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { assertOneEntryOneExit, endOf, ordersAtVenue, shown, senderOn } from '#test/service/sent-signal.ts'

describe('a part that is down', function () {
  this.timeout(90_000)
  const service = useStack()
  const { send } = senderOn(service)

  afterEach(async function () {
    // So that one failed case does not fail the others.
    if (this.currentTest?.state !== 'failed') return
    for (const part of Object.values(service.stack.parts)) await part.restart()
  })

  it('F6: Temporal, at the time of a webhook: answered 202 queued, carried out when it is back', async () => {
    const { stack } = service
    await stack.parts.temporal.kill()
    const { status, body, tookMs } = await send({ symbol: 'ZTTEMPO', exitTriggerType: 'immediate' })
    assert.equal(status, 202, JSON.stringify(body))
    assert.equal(body.signal.status, 'queued')
    assert.ok(tookMs < 3_000, `answered after ${tookMs} ms`)
    await stack.parts.temporal.start()
    await assertOneEntryOneExit(stack, body.signal.id, { within: 40_000 })
  })

  it('F27: Temporal, until the signal is too old: ends as error with reason STALE and no order', async () => {
    const { stack } = service
    await stack.parts.api.restart({ SIGNAL_TTL: '2s' })
    await stack.parts.temporal.kill()
    const { status, body } = await send({ symbol: 'ZTSTALE', exitTriggerType: 'immediate' })
    assert.equal(status, 202, JSON.stringify(body))
    await sleep(2_500)
    await stack.parts.temporal.start()
    const outcome = await endOf(stack, body.signal.id, { within: 40_000 })
    assert.deepEqual(outcome, { status: 'error', reason: 'STALE', entryFilled: '0', exitFilled: '0' })
    const signal = await shown(stack, body.signal.id)
    assert.deepEqual(
      [signal.status, signal.statusReason, signal.exit?.status],
      ['error', 'STALE', 'cancelled'],
    )
    assert.deepEqual(ordersAtVenue(await stack.venue.ledger(), body.signal.id), [])
    await stack.parts.api.restart()
  })

  it('F7: PostgreSQL, at the time of a webhook: 503 with Retry-After within two seconds, and well afterwards', async () => {
    const { stack } = service
    await stack.parts.postgres.stop()
    for (const round of [1, 2]) {
      const { status, body, headers, tookMs } = await send({ symbol: 'ZTNODB' })
      assert.equal(status, 503, JSON.stringify(body))
      assert.equal(body.success, false)
      assert.ok(Number(headers.get('retry-after')) > 0)
      assert.ok(tookMs < 2_000, `answer ${round} took ${tookMs} ms`)
    }
    await stack.parts.postgres.start()
    const { status, body } = await eventually(async () => {
      const answer = await send({ symbol: 'ZTNODB', exitTriggerType: 'immediate' })
      assert.notEqual(answer.status, 503)
      return answer
    })
    assert.equal(status, 201, JSON.stringify(body))
    await assertOneEntryOneExit(stack, body.signal.id)
    assert.equal(
      (await stack.venue.ledger()).orders.filter(({ symbol }) => symbol === 'ZTNODB').length,
      2,
      'the refused ones left nothing behind',
    )
  })

  it('F7: one backend of PostgreSQL that dies takes all connections with it, and the service recovers', async () => {
    const { stack } = service
    const backends = await stack.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = 'durable_trader' and pid <> pg_backend_pid()`,
    )
    assert.ok(backends.length > 0)
    process.kill(backends[0]!.pid, 'SIGKILL')
    const answer = await eventually(async () => {
      const { status, body } = await send({ symbol: 'ZTBACKEND', exitTriggerType: 'immediate' })
      assert.ok([201, 202, 503].includes(status), `${status} ${JSON.stringify(body)}`)
      assert.notEqual(status, 503, 'still recovering')
      return body
    })
    await assertOneEntryOneExit(stack, answer.signal.id)
  })

  it('F8: PostgreSQL, when the entry fills: the exit is placed and recorded when it is back', async () => {
    const { stack } = service
    await stack.venue.pin('ZTNODBFILL', 100)
    const { status, body } = await send({
      symbol: 'ZTNODBFILL',
      orderType: 'limit',
      limitPrice: 95,
      exitTriggerType: 'immediate',
    })
    assert.equal(status, 201, JSON.stringify(body))
    await stack.parts.postgres.kill()
    await stack.venue.pin('ZTNODBFILL', 94)
    await sleep(1_500)
    await stack.parts.postgres.start()
    await assertOneEntryOneExit(stack, body.signal.id, { within: 60_000 })
  })

  it('the venue, at the time of a webhook: answered 202, carried out when it is back', async () => {
    const { stack } = service
    await stack.parts.venue.kill()
    const { status, body, tookMs } = await send({ symbol: 'ZTNOVENUE', exitTriggerType: 'immediate' })
    assert.equal(status, 202, JSON.stringify(body))
    assert.ok(tookMs < 3_000, `answered after ${tookMs} ms`)
    await stack.parts.venue.start()
    await assertOneEntryOneExit(stack, body.signal.id, { within: 60_000 })
  })
})
