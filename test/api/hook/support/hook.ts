import assert from 'node:assert/strict'
import { createAccount } from '#test/support/factories.ts'
import { pluck } from '#test/support/pluck.ts'
import type { ApiServer } from '../../support/api-server.ts'
import { addPerson, type Person } from '../../support/person.ts'

/** A hook as its owner and its sender use it. */
export interface TestHook {
  id: string
  owner: Person
  accountIds: string[]
  /** Its address without the origin, the secret at its end. */
  path: string
  secret: string
  /** Posts a message as its sender; text as it is. */
  send(message: unknown, headers?: Record<string, string>, path?: string): Promise<Sent>
  /** What came to it, the newest first. */
  requests(): Promise<any[]> // oxlint-disable-line typescript/no-explicit-any -- tests look into answers freely
  /** What became of what came to it, the newest first. */
  outcomes(): Promise<(string | null)[]>
  /** Signals that came by it, in the order of their acceptance. */
  signals(): Promise<any[]> // oxlint-disable-line typescript/no-explicit-any -- as above
}

export interface Sent {
  status: number
  headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
  body: any
}

/** Makes a hook of a new person on PRO, with so many demo accounts. */
export async function addHook(
  api: ApiServer,
  changes: Record<string, unknown> = {},
  { accounts = 1, owner }: { accounts?: number; owner?: Person } = {},
): Promise<TestHook> {
  const person = owner ?? (await addPerson(api, { plan: 'PRO' }))
  const { userId } = person
  const synced = { userId, isDemo: true, equity: '100000', lastSyncedAt: new Date() } as const
  const accountIds: string[] = []
  for (let n = 0; n < accounts; n++) accountIds.push((await createAccount(api.database.em, synced)).id)
  const { status, body } = await person.call('POST', '/hooks', {
    name: 'Alerts',
    kind: 'tradingview',
    accountIds,
    mayShort: true,
    ...changes,
  })
  assert.equal(status, 201, JSON.stringify(body))
  const { hook, url } = body.data
  const path = new URL(url).pathname
  const requests = async () => (await person.call('GET', `/hooks/${hook.id}/requests`)).body.data.requests
  return {
    id: hook.id,
    owner: person,
    accountIds,
    path,
    secret: path.split('/').at(-1)!,
    async send(message, headers = {}, to = path) {
      const text = typeof message === 'string' ? message : JSON.stringify(message)
      const response = await fetch(api.address + to, { method: 'POST', body: text, headers })
      const answered = await response.text()
      const { status: answeredStatus, headers: received } = response
      return {
        status: answeredStatus,
        headers: received,
        body: answered === '' ? null : JSON.parse(answered),
      }
    },
    requests,
    outcomes: async () => pluck(await requests(), 'outcome'),
    async signals() {
      return api.database.em
        .fork()
        .execute('select * from signals where token_id = ? order by accepted_at, sequence', [hook.id])
    },
  }
}
