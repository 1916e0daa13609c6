import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { buyNow, ordersAtVenue, shown } from '#test/service/sent-signal.ts'

/** Milliseconds; a signal that may be sent much later is what rules and people change their minds about. */
const VALID_FOR = 900_000

describe('an entry whose workflow Temporal did not start', function () {
  this.timeout(150_000)
  const service = useStack({ api: { EMBEDDED_WORKER: 'on' } })

  /** Sends a signal while Temporal stands still, ends Temporal, and starts it again after what is done meanwhile. */
  async function whileTemporalIsAway(
    symbol: string,
    changes: object,
    meanwhile: (id: string) => Promise<unknown>,
  ): Promise<string> {
    const { stack } = service
    const { temporal } = stack.parts
    await stack.untilReady()
    const before = await stack.api.post('/signals', buyNow(stack, { symbol: `${symbol}A` }))
    assert.equal(before.status, 201, JSON.stringify(before.body))
    process.kill(temporal.pid, 'SIGSTOP')
    try {
      const validUntil = new Date(Date.now() + VALID_FOR).toISOString()
      const wish = buyNow(stack, { symbol, validUntil, timezone: 'UTC', ...changes })
      const { status, body } = await stack.api.post('/signals', wish)
      assert.equal(status, 202, JSON.stringify(body))
      const { id } = body.signal
      const [signal] = await stack.query(`select decisions from signals where id = '${id}'`)
      assert.deepEqual(signal, { decisions: {} }, 'nothing is decided')
      await temporal.kill()
      await meanwhile(id)
      return id
    } finally {
      await temporal.start()
    }
  }

  /** Status, its reason, and the number of orders, once the signal is not queued any more. */
  async function outcomeOf(id: string): Promise<[string, string | null, number]> {
    const { stack } = service
    await eventually(async () => assert.notEqual((await shown(stack, id)).status, 'queued'), {
      within: 60_000,
    })
    const { status, statusReason } = await shown(stack, id)
    return [status, statusReason, ordersAtVenue(await stack.venue.ledger(), id).length]
  }

  it('an entry whose workflow Temporal did not start is not sent when its strategy was paused before Temporal was back', async () => {
    const { stack } = service
    const person = await stack.signIn()
    const { body } = await person.post('/strategies', { name: 'paused while Temporal is away' })
    const strategyId = (body.data.strategy ?? body.data).id
    const id = await whileTemporalIsAway('ZTPAUSED', { strategyId }, async () => {
      const paused = await person.patch(`/strategies/${strategyId}`, { status: 'paused' })
      assert.equal(paused.status, 200, JSON.stringify(paused.body))
    })
    assert.deepEqual(await outcomeOf(id), ['rejected', 'STRATEGY_PAUSED', 0])
  })
})
