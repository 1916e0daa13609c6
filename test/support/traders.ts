import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { hashPassword } from '#api/identity/password-hash.ts'
import { openDatabase } from '#db/engine/database.ts'
import { ApiClient } from './api-client.ts'
import { createUser } from './factories.ts'
import type { Stack } from './stack.ts'

/** A person who trades on several accounts. */
export interface Trader {
  /** By a token that sends signals. */
  api: ApiClient
  /** The API as the person sees it who has just signed in at the web application. */
  signIn(): Promise<ApiClient>
  accountIds: string[]
  /** How the venue knows the accounts. */
  keyIds: string[]
}

/** Connections that one person may have, of which each has one account here. */
const OF_ONE_PERSON = 20
const DOLLARS = 1_000_000

/** People with so many accounts together, on a service that runs. */
export async function tradersOf(stack: Stack, accounts: number): Promise<Trader[]> {
  const traders: Trader[] = []
  for (let left = accounts; left > 0; left -= OF_ONE_PERSON) {
    const number = traders.length
    const signIn = await addPerson(stack, `trader-${number}@example.com`)
    const person = await signIn()
    const token = await person.post('/tokens', { label: 'fan-out', scopes: ['signals:write'] })
    assert.equal(token.status, 201, JSON.stringify(token.body))
    const trader: Trader = {
      api: new ApiClient(stack.addresses.api, token.body.data.token),
      signIn,
      accountIds: [],
      keyIds: [],
    }
    for (let account = 0; account < Math.min(left, OF_ONE_PERSON); account += 1) {
      const credentials = { keyId: `FAN${number}X${account}`, secretKey: `of-account-${number}-${account}` }
      await stack.venue.openAccount(credentials, DOLLARS)
      const { status, body } = await person.post('/brokers', { brokerType: 'paper', credentials }, 10_000)
      assert.equal(status, 201, JSON.stringify(body))
      trader.accountIds.push(body.data.broker.accounts[0].id)
      trader.keyIds.push(credentials.keyId)
    }
    traders.push(trader)
  }
  return traders
}

async function addPerson(stack: Stack, email: string): Promise<() => Promise<ApiClient>> {
  const password = randomUUID()
  const database = await openDatabase(stack.addresses.database, 1)
  try {
    await createUser(database.em.fork(), { email, passwordHash: await hashPassword(password) })
  } finally {
    await database.close(true)
  }
  return async () => {
    const anybody = new ApiClient(stack.addresses.api, '')
    const { status, body } = await anybody.post('/auth/login', { email, password })
    assert.equal(status, 200, JSON.stringify(body))
    return new ApiClient(stack.addresses.api, body.data.accessToken)
  }
}
