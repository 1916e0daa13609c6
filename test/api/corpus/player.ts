import assert from 'node:assert/strict'
import { documentedApi } from '#test/support/documented-api.ts'
import { eventually } from '#test/support/eventually.ts'
import type { Stack } from '#test/support/stack.ts'
import { withoutChance, type Body, type SortedLists } from './chance.ts'
import { laidOut } from './layout.ts'
import { Normaliser } from './normaliser.ts'
import { assertFollowed, assertSettled } from './settled.ts'

type HeaderFields = Record<string, string>

/** Headers of every answer, to which test/api/http/hardening.test.ts holds the service. */
const USUAL = new Set(
  'date connection keep-alive content-length content-encoding transfer-encoding x-request-id vary cache-control'.split(
    ' ',
  ),
)
const isUsual = (name: string): boolean =>
  USUAL.has(name) ||
  /^(x-(?!total)|cross-origin|content-security|strict-|referrer|origin-agent|permissions-)/.test(name)

/** Those of which the value is that of the clock, or of chance. */
const NAMED_ALONE = new Set(
  'retry-after set-cookie etag last-modified ratelimit-remaining ratelimit-reset'.split(' '),
)

/** Limits of the order's time, which would make an answer depend on how fast the requests come. */
export const NOT_BY_THE_CLOCK = { duplicateWindowSeconds: null, maxOrdersPerMinute: null }

/** Somebody who sends requests. */
export interface Caller {
  get(path: string, headers?: HeaderFields): Promise<Body>
  post(path: string, body?: unknown, headers?: HeaderFields): Promise<Body>
  put(path: string, body?: unknown, headers?: HeaderFields): Promise<Body>
  patch(path: string, body?: unknown, headers?: HeaderFields): Promise<Body>
  delete(path: string, body?: unknown, headers?: HeaderFields): Promise<Body>
}

/** Plays the requests of one subject, as a user of its own, and keeps each with its whole answer. */
export class Player {
  readonly stack: Stack
  readonly token: Caller
  readonly person: Caller
  readonly anybody: Caller
  readonly #entries: string[] = []
  readonly #normaliser = new Normaliser()
  sorted: SortedLists = { lists: [], by: '' }
  #mayChange = false

  /** Of a user of the stack, from the moment on at which its account is followed. */
  static async of(stack: Stack): Promise<Player> {
    await eventually(() => assertFollowed(stack))
    const player = new Player(stack, await stack.jwt())
    const { status } = await (await stack.signIn()).put(`/settings/risk/${stack.accountId}`, NOT_BY_THE_CLOCK)
    assert.equal(status, 200)
    return player
  }

  private constructor(stack: Stack, jwt: string) {
    this.stack = stack
    this.#normaliser.hide(stack.person.password, 'password')
    this.token = this.as('token', stack.token)
    this.person = this.as('person', jwt)
    this.anybody = this.as('anybody')
  }

  get accountId(): string {
    return this.stack.accountId
  }

  /** Method and path of every request. */
  readonly asked: string[] = []

  /** The newest request with its answer, and the record of all. */
  get last(): string {
    return this.#entries.at(-1) ?? 'no request'
  }
  get record(): string {
    return this.#entries.join('\n')
  }

  hide(secret: string, name: string): void {
    this.#normaliser.hide(secret, name)
  }

  as(name: string, credential?: string): Caller {
    if (credential !== undefined) this.hide(credential, name)
    const authorization = credential === undefined ? {} : { authorization: `Bearer ${credential}` }
    const sender =
      (method: string) =>
      (path: string, body?: unknown, headers: HeaderFields = {}): Promise<Body> =>
        this.#play(name, { method, path, body, headers, authorization })
    return {
      get: (path, headers) => sender('GET')(path, undefined, headers),
      post: sender('POST'),
      put: sender('PUT'),
      patch: sender('PATCH'),
      delete: sender('DELETE'),
    }
  }

  /** Holds the price of a symbol at so many dollars. */
  async pin(symbol: string, price: number): Promise<void> {
    await this.stack.venue.pin(symbol, price)
  }

  /** Waits until an order or a signal stands so. */
  order = (id: string, status: string): Promise<void> => this.until(`/orders/${id}`, { status })
  signal = (
    id: string,
    wanted: Record<string, unknown> = { status: 'executed', filledQuantity: 10 },
  ): Promise<void> =>
    this.until(
      `/signals/${id}`,
      Object.fromEntries(Object.entries(wanted).map(([place, value]) => [`data.${place}`, value])),
    )

  /** Waits until the answer of a path has these values, at such places as `signal.status`. */
  async until(path: string, wanted: Record<string, unknown>): Promise<void> {
    await eventually(
      async () => {
        const { body } = await this.stack.api.get(path)
        for (const [place, value] of Object.entries(wanted))
          assert.deepEqual(at(body, place), value, `${path}: ${JSON.stringify(body)}`)
      },
      { within: 30_000 },
    )
    await this.settled()
  }

  /** Waits until the service shows what the venue has, and nothing of the user changes any more. */
  async settled(): Promise<void> {
    await eventually(() => assertSettled(this.stack), { within: 30_000 })
    this.#mayChange = false
  }

  async #play(name: string, request: SentRequest): Promise<Body> {
    const { method, path, body, headers, authorization } = request
    // What the request before has begun comes to its end first.
    if (this.#mayChange) await this.settled()
    const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body)
    const type = text === null ? {} : { 'content-type': 'application/json' }
    const address = path.startsWith('//') ? path.slice(1) : `/api/v1${path}`
    this.asked.push(`${method} ${address.split('?')[0]}`)
    const response = await fetch(`${this.stack.addresses.api}${address}`, {
      method,
      ...(text !== null && { body: text }),
      headers: { ...authorization, ...type, ...headers },
      redirect: 'manual',
      signal: AbortSignal.timeout(30_000),
    })
    const answer = await response.text()
    const isJson = /^application\/json(;|$)/.test(response.headers.get('content-type') ?? '')
    if (isJson) {
      const seen = { status: response.status, headers: response.headers, body: JSON.parse(answer) }
      documentedApi().hold(method, address, seen)
    }
    const sent = Object.entries(headers).map(([header, value]) => `${header}: ${value}`)
    const came = [...response.headers]
      .filter(([header]) => !isUsual(header) && header !== 'content-type')
      .map(([header, value]) => (NAMED_ALONE.has(header) ? header : `${header}: ${value}`))
    const entry = [
      `${this.#entries.length + 1}. ${name} ${method} ${address}`,
      ...sent,
      ...(text === null ? [] : [text]),
      `→ ${response.status} ${response.headers.get('content-type') ?? ''}`.trim(),
      ...(came.length === 0 ? [] : [came.join(', ')]),
    ]
    this.#mayChange = method !== 'GET' && (response.ok || /"rejected"/i.test(answer))
    const shown = this.#normaliser.normal(entry.join('\n'))
    this.#entries.push(`${shown}\n${this.#shown(answer, isJson)}\n`)
    return isJson ? JSON.parse(answer) : answer
  }

  #shown(answer: string, isJson: boolean): string {
    if (!isJson) return this.#normaliser.normal(answer)
    // What is laid out anew must be the whole of it.
    assert.equal(JSON.stringify(JSON.parse(answer)), answer)
    const body = withoutChance(answer, this.sorted)
    return laidOut(JSON.parse(this.#normaliser.normal(JSON.stringify(body))))
  }
}

interface SentRequest {
  method: string
  path: string
  body: unknown
  headers: HeaderFields
  authorization: HeaderFields
}

const at = (body: Body, place: string): unknown =>
  place.split('.').reduce((value, field) => value?.[field], body)
