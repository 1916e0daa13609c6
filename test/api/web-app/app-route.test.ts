import assert from 'node:assert/strict'
import { fileMailbox } from '#api/mail/mail.ts'
import { VERSION } from '#api/http/presentation.ts'
import { readFileSync } from 'node:fs'
import { addAdministrator } from '../support/administrator.ts'
import { addPerson } from '../support/person.ts'
import { pushForTests } from '../support/push.ts'
import { startApi } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'

const UI = 'http://127.0.0.1:8233/'
const push = pushForTests()

describe('GET /app', () => {
  const api = useApi({
    notify: { push },
    temporalUiUrl: UI,
    liveTrading: 'enabled',
    events: { heartbeat: 15_000 },
  })

  const ask = async (token?: string) => (await api.call('GET', '/api/v1/app', { token })).body.data

  it('shows a visitor whether the first user must still register, and then that registration is closed', async () => {
    assert.equal((await ask()).registration, 'firstUser')
    await addPerson(api)
    assert.equal((await ask()).registration, 'closed')
  })

  it('shows the settings of the service and the time of its clock', async () => {
    const { serverTime, ...rest } = await ask()
    assert.deepEqual(rest, {
      version: VERSION,
      registration: 'closed',
      liveTrading: true,
      mailbox: false,
      pushKey: push.keys.pairOf('k1')!.publicKey,
      heartbeatSeconds: 15,
      temporalUiUrl: null,
    })
    assert.ok(Math.abs(Date.parse(serverTime) - Date.now()) < 5_000)
    assert.equal(VERSION, JSON.parse(readFileSync('package.json', 'utf8')).version)
  })

  it('shows the way to the service’s namespace in Temporal’s UI to administrators alone', async () => {
    const [member, administrator] = [await addPerson(api), await addAdministrator(api)]
    assert.equal((await ask(member.jwt)).temporalUiUrl, null)
    assert.equal((await ask(administrator.jwt)).temporalUiUrl, 'http://127.0.0.1:8233/namespaces/trading')
    assert.equal((await api.call('GET', '/api/v1/app', { token: `${member.jwt}x` })).status, 401)
  })

  it('shows an open registration, and letters that stay on the machine', async () => {
    const other = await startApi({
      mailbox: fileMailbox('/nonexistent/mailbox.jsonl'),
      identity: { REGISTRATION: 'open' },
    })
    const { data } = (await other.call('GET', '/api/v1/app')).body
    await other.stop()
    assert.deepEqual([data.registration, data.mailbox, data.liveTrading], ['open', true, false])
  })
})
