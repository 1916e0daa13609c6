import assert from 'node:assert/strict'
import type { ApiClient } from '#test/support/api-client.ts'
import { browserForTests } from '#test/api/support/push.ts'
import { decrypted, startPushService, type PushService } from '#test/api/support/push-service.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { buyNow } from '#test/service/sent-signal.ts'

describe('a notification of a waiting signal', function () {
  this.timeout(180_000)
  const service = useStack()
  let pushService: PushService
  let person: ApiClient
  let browser: ReturnType<typeof browserForTests>

  before(async () => {
    pushService = await startPushService()
    await service.stack.parts.api.restart({ PUSH_SERVICES: pushService.origin })
    await service.stack.untilReady()
    person = await service.stack.signIn()
    browser = browserForTests(`${pushService.origin}/phone`)
    assert.equal((await person.post('/channels', browser.channel)).status, 201)
  })
  after(() => pushService?.stop())

  const sendWaiting = async (): Promise<string> => {
    const { body } = await service.stack.api.post(
      '/signals',
      buyNow(service.stack, { executeMode: 'pending' }),
    )
    return body.signal.id
  }
  const told = () =>
    pushService.requests.map((request) => {
      const { kind, tag } = decrypted(request, browser)
      return `${String(kind)} ${String(tag)}`
    })

  it('a notification of a waiting signal is sent again, by the same tag, after the API died before it knew that it was sent', async () => {
    const { stack } = service
    pushService.requests.length = 0
    pushService.answers(() => null)
    const id = await sendWaiting()
    await eventually(() => assert.deepEqual(told(), [`waiting signal-${id}`]))
    await stack.parts.api.kill()
    pushService.answers(() => ({ status: 201 }))
    await stack.parts.api.start({ PUSH_SERVICES: pushService.origin })
    await eventually(() => assert.deepEqual(told(), [`waiting signal-${id}`, `waiting signal-${id}`]), {
      within: 60_000,
    })
    await eventually(async () => assert.deepEqual(await stack.query('select subject_id from outbox'), []))
  })
})
