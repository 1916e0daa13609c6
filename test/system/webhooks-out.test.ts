import assert from 'node:assert/strict'
import { Webhook } from 'standardwebhooks'
import type { ApiClient } from '#test/support/api-client.ts'
import { startPushService, type PushRequest, type PushService } from '#test/api/support/push-service.ts'
import { webhookId } from '#test/api/support/webhooks.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { accepted, buyNow } from '#test/service/sent-signal.ts'

/** Settings of an API that may reach receivers on this machine. */
const REACHES_TESTS = { OUTGOING_NETWORKS: '127.0.0.0/8' }

describe('a webhook of a running service', function () {
  this.timeout(180_000)
  const service = useStack()
  let receiver: PushService
  let person: ApiClient
  let secret: string
  let channelId: string

  before(async () => {
    receiver = await startPushService()
    await service.stack.parts.api.restart(REACHES_TESTS)
    await service.stack.untilReady()
    person = await service.stack.signIn()
    const { status, body } = await person.post('/channels', {
      kind: 'webhook',
      name: 'a journal',
      settings: { url: `${receiver.origin}/events` },
      events: ['signal', 'order', 'fill', 'trade', 'exit'],
    })
    assert.equal(status, 201, JSON.stringify(body))
    secret = body.data.secret
    channelId = body.data.channel.id
  })
  after(() => receiver?.stop())

  const read = ({ headers, body }: PushRequest) =>
    new Webhook(secret).verify(body.toString(), headers as Record<string, string>) as { type: string }
  /** Types of what came, each id once, in the order of the ids. */
  const types = (): string[] => {
    const byId = new Map(receiver.requests.map((request) => [webhookId(request), read(request).type]))
    return [...byId].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, type]) => type)
  }
  const untilEmpty = () =>
    eventually(
      async () => {
        const waits = `select subject_id from outbox where channel_id = '${channelId}'
          union all select id from webhook_events where not is_spread`
        assert.deepEqual(await service.stack.query(waits), [])
      },
      { within: 60_000 },
    )

  it('a webhook gets the events of a signal that fills, whose ids order them', async () => {
    await accepted(service.stack, {})
    await eventually(() => assert.ok(types().includes('trade.opened')), { within: 30_000 })
    await untilEmpty()
    const came = types()
    for (const type of ['signal.queued', 'signal.executed', 'order.filled', 'fill.recorded', 'trade.opened'])
      assert.equal(came.filter((each) => each === type).length, 1, `${type} of ${came.join(', ')}`)
    assert.ok(came.indexOf('signal.queued') < came.indexOf('signal.executed'))
    assert.ok(came.indexOf('fill.recorded') < came.indexOf('trade.opened'))
  })

  it('a webhook gets an event again under the same id after the API was killed between sending and recording', async () => {
    const { stack } = service
    receiver.requests.length = 0
    // The receiver has it, and its answer finds no sender any more.
    receiver.answers(() => {
      process.kill(stack.parts.api.pid, 'SIGKILL')
      receiver.answers(() => ({ status: 204 }))
      return { status: 204 }
    })
    // Its answer may not come.
    await stack.api.post('/signals', buyNow(stack, { symbol: 'MSFT' })).catch(() => null)
    await eventually(() => assert.equal(stack.parts.api.isRunning, false))
    const [first] = receiver.requests.map(webhookId)
    await stack.parts.api.start(REACHES_TESTS)
    await eventually(() => assert.ok(types().includes('trade.opened')), { within: 60_000 })
    await untilEmpty()
    const came = receiver.requests.map(webhookId)
    assert.equal(came.filter((id) => id === first).length, 2)
    const written = await stack.query<{ id: string }>(
      `select 'evt_' || id as id from webhook_events where data ->> 'symbol' = 'MSFT'
         and user_id = (select user_id from channels where id = '${channelId}') order by id`,
    )
    assert.ok(written.length >= 5)
    assert.deepEqual(
      written.filter(({ id }) => !came.includes(id)),
      [],
    )
  })
})
