import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createAccount } from '../../support/factories.ts'
import { useApi } from '../support/use-api.ts'
import { addPerson, type Person } from '../support/person.ts'
import { pluck } from '#test/support/pluck.ts'

describe('GET /hooks/address', () => {
  const api = useApi({ identity: { HOOKS_URL: 'https://hooks.example.com' } })
  let person: Person
  before(async () => {
    person = await addPerson(api)
  })

  const check = async (of = person) => (await of.call('GET', '/hooks/address')).body.data
  const codes = ({ missing }: { missing: { code: string }[] }) => pluck(missing, 'code')

  /** A hook with a request from each address, the last one newest. */
  async function addHook(userId: string, requests: [ip: string, via: string][]): Promise<string> {
    const id = randomUUID()
    const em = api.database.em.fork()
    await em.execute(
      `insert into access_tokens (id, user_id, kind, label, prefix, scopes, expires_at)
       values (?, ?, 'hook', 'Breakouts', 'hook', '{signals:write}', null)`,
      [id, userId],
    )
    await em.execute(
      `insert into hooks (id, user_id, name, kind, settings, requests_per_minute) values (?, ?, 'Breakouts', 'json', '{}', 60)`,
      [id, userId],
    )
    for (const [place, [ip, via]] of requests.entries())
      await em.execute(
        `insert into hook_requests (id, user_id, hook_id, received_at, via, ip, body, bytes)
         values (gen_random_uuid(), ?, ?, timestamptz '2026-03-02T15:00:00Z' + ? * interval '1 minute', ?, ?, '', 0)`,
        [userId, id, place, via, ip],
      )
    return id
  }

  it('POST /hooks answers an address that begins where senders reach hooks', async () => {
    const { id: accountId } = await createAccount(api.database.em, { userId: person.userId })
    const asked = { name: 'Breakouts', kind: 'tradingview', accountIds: [accountId] }
    const { body } = await person.call('POST', '/hooks', asked)
    assert.match(body.data.url, /^https:\/\/hooks\.example\.com\/hooks\/[\w-]+\/dth_\w+$/)
  })

  it('GET /hooks/address asks for a request from outside while none has come, whatever a person tried', async () => {
    await addHook(person.userId, [['52.89.214.238', 'test']])
    const asked = await check()
    assert.deepEqual(
      [asked.hooksUrl, asked.isPublic, codes(asked), asked.last, asked.lastFromOutside],
      ['https://hooks.example.com', true, ['no_request_yet'], null, null],
    )
  })

  it('GET /hooks/address names the place of the proxy while every request seems to come from within', async () => {
    await addHook(person.userId, [
      ['10.0.0.7', 'sender'],
      ['127.0.0.1', 'sender'],
    ])
    const asked = await check()
    assert.deepEqual(
      [codes(asked), asked.last.from, asked.last.hookName, asked.lastFromOutside],
      [['no_request_from_outside'], 'this_machine', 'Breakouts', null],
    )
    assert.match(asked.missing[0].message, /127\.0\.0\.1.*TRUSTED_PROXIES/)
  })

  it('GET /hooks/address tells the newest request from outside, and no other person’s', async () => {
    const hookId = await addHook(person.userId, [
      ['34.212.75.30', 'sender'],
      ['52.89.214.238', 'sender'],
      ['127.0.0.1', 'sender'],
    ])
    const asked = await check()
    assert.deepEqual(
      [asked.missing, asked.last.from, asked.lastFromOutside],
      [
        [],
        'this_machine',
        {
          hookId,
          hookName: 'Breakouts',
          at: '2026-03-02T15:01:00.000Z',
          ip: '52.89.214.238',
          from: 'outside',
        },
      ],
    )
    assert.equal((await check(await addPerson(api))).last, null)
  })
})
