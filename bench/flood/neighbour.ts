import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { hashPassword } from '#api/identity/passwords.ts'
import { openDatabase } from '#db/engine/database.ts'
import { ApiClient } from '#test/support/api-client.ts'
import { createUser } from '#test/support/factories.ts'
import type { Stack } from '#test/support/stack.ts'
import { callBarely, type BareAnswer } from '../post.ts'

/** How calls of one kind were answered. */
export interface Calls {
  /** Milliseconds of each, from the request to the whole answer. */
  took: number[]
  /** How many by status; `failed` where none came. */
  statuses: Record<string, number>
}

/** What a person did beside a flood. */
export interface Beside {
  signals: Calls
  /** Of one account, set and lifted, each a call. */
  halts: Calls
}

const PERSON = { email: 'neighbour@example.com', password: randomUUID() }
const DOLLARS = 10_000_000

/** Another person than the one who floods, with two accounts: one that signals go to, and one that is halted. */
export class Neighbour {
  readonly #origin: string
  readonly #token: string
  readonly #accounts: { traded: string; halted: string }
  #signedIn: ApiClient

  /** Makes the person, who is signed in from here on. */
  static async moveIn(stack: Stack): Promise<Neighbour> {
    const database = await openDatabase(stack.addresses.database, 1)
    try {
      const passwordHash = await hashPassword(PERSON.password)
      await createUser(database.em.fork(), { email: PERSON.email, passwordHash })
    } finally {
      await database.close(true)
    }
    const person = await signIn(stack.addresses.api)
    const made = await person.post('/tokens', { label: 'neighbour', scopes: ['signals:write'] })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const accounts = {
      traded: await connectAccount(stack, person, 'TRADED'),
      halted: await connectAccount(stack, person, 'HALTED'),
    }
    return new Neighbour(person, made.body.data.token, accounts)
  }

  private constructor(person: ApiClient, token: string, accounts: { traded: string; halted: string }) {
    this.#origin = person.origin
    this.#signedIn = person
    this.#token = token
    this.#accounts = accounts
  }

  /** Signs in again: to lift a halt takes a proof of the last five minutes. */
  async signIn(): Promise<void> {
    this.#signedIn = await signIn(this.#origin)
  }

  /** Sends a signal, and sets and lifts a halt, at the beginning of every second, whether those before are answered or not. */
  async everySecond(seconds: number): Promise<Beside> {
    const beside = nothingYet()
    const begun = performance.now()
    const calls: Promise<void>[] = []
    for (let second = 0; second < seconds; second++) {
      await sleep(Math.max(begun + second * 1_000 - performance.now(), 0))
      calls.push(
        measured(beside.signals, () => this.#signal()),
        measured(beside.halts, () => this.#halt()).then(() =>
          measured(beside.halts, () => this.#lift(), LIFTED_MEANWHILE),
        ),
      )
    }
    await Promise.all(calls)
    return beside
  }

  /** Sends one signal, and sets and lifts a halt once, one after the other. */
  async once(): Promise<Beside> {
    const beside = nothingYet()
    await measured(beside.signals, () => this.#signal())
    await measured(beside.halts, () => this.#halt())
    await measured(beside.halts, () => this.#lift())
    return beside
  }

  #signal(): Promise<BareAnswer> {
    return callBarely({ origin: this.#origin, token: this.#token }, 'POST', '/signals', {
      accountId: this.#accounts.traded,
      symbol: 'AAPL',
      action: 'openLong',
      quantity: 1,
      executeMode: 'immediate',
    })
  }

  #halt(): Promise<BareAnswer> {
    const halt = { level: 'pauseEntries', reason: 'beside a flood' }
    return callBarely(this.#signedIn, 'PUT', `/settings/halt/${this.#accounts.halted}`, halt)
  }

  #lift(): Promise<BareAnswer> {
    return callBarely(this.#signedIn, 'DELETE', `/settings/halt/${this.#accounts.halted}`)
  }
}

const nothingYet = (): Beside => ({
  signals: { took: [], statuses: {} },
  halts: { took: [], statuses: {} },
})

/** There is no halt to lift where those of two seconds overlap, and the other one has lifted it. */
const LIFTED_MEANWHILE: Readonly<Record<number, string>> = { 404: 'lifted meanwhile' }

async function measured(
  calls: Calls,
  call: () => Promise<BareAnswer>,
  names: Readonly<Record<number, string>> = {},
): Promise<void> {
  const sentAt = performance.now()
  const status = await call().then(
    ({ status }) => names[status] ?? String(status),
    () => 'failed',
  )
  calls.took.push(performance.now() - sentAt)
  calls.statuses[status] = (calls.statuses[status] ?? 0) + 1
}

async function signIn(origin: string): Promise<ApiClient> {
  const { status, body } = await new ApiClient(origin, '').post('/auth/login', PERSON)
  assert.equal(status, 200, JSON.stringify(body))
  return new ApiClient(origin, body.data.accessToken)
}

async function connectAccount(stack: Stack, person: ApiClient, name: string): Promise<string> {
  const credentials = { keyId: `PK${name}`, secretKey: `of-the-account-${name}` }
  await stack.venue.openAccount(credentials, DOLLARS)
  const { status, body } = await person.post('/brokers', { brokerType: 'paper', name, credentials })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data.broker.accounts[0].id
}
