import assert from 'node:assert/strict'
import { compare, type Decimal } from '#domain/money/decimal.ts'
import { parseClientOrderId } from '#domain/order/order.ts'
import { ApiClient, type ApiAnswer } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import type { BookedOrder } from '#test/support/scripted-alpaca/books.ts'
import type { ScriptedAccount } from '#test/support/scripted-alpaca/account.ts'

/** An alert as the API lists it. */
export interface NotifiedAlert {
  id: string
  kind: string
  message: string
  symbol: string | null
  signalId: string | null
  raisedAt: string
  resolvedAt: string | null
}

/** How long a story waits for what is to come, in milliseconds: a small machine plays many of them at once. */
const PATIENCE = 45_000

/** One account of one person, at the service and at its broker: the place where a story is played. */
export class Desk {
  readonly accountId: string
  readonly broker: ScriptedAccount
  readonly api: ApiClient
  /** Signals that were sent, oldest first. */
  readonly signalIds: string[] = []
  readonly #person: { email: string; password: string }

  constructor(
    place: { accountId: string; broker: ScriptedAccount; origin: string; token: string },
    person: { email: string; password: string },
  ) {
    this.accountId = place.accountId
    this.broker = place.broker
    this.api = new ApiClient(place.origin, place.token)
    this.#person = person
  }

  /** The API as its owner sees it in the web application. */
  async person(): Promise<ApiClient> {
    const { body } = await this.api.post('/auth/login', this.#person)
    return new ApiClient(this.api.origin, body.data.accessToken)
  }

  /** Sends a signal, whatever becomes of it. */
  async send(changes: object): Promise<ApiAnswer> {
    const signal = { action: 'openLong', executeMode: 'immediate', quantity: 10, ...changes }
    const answer = await this.api.post('/signals', { accountId: this.accountId, ...signal }, 30_000)
    const { body } = answer
    if (body.signal?.id) this.signalIds.push(body.signal.id)
    return answer
  }

  /** Sends a signal, and waits for what becomes of it: the code of its refusal, or its status. */
  async outcomeOf(changes: object): Promise<string> {
    const { body } = await this.send(changes)
    if (body.success === false) return body.code
    const { status, statusReason } = await this.until(async () => {
      const signal = await this.shown(body.signal.id)
      assert.doesNotMatch(signal.status, /queued|transmitted/)
      return signal
    }, 100_000)
    return statusReason ?? status
  }

  /** Sends a signal that is to be accepted: 10 shares at market, unless told otherwise; its id. */
  async open(symbol: string, changes: object = {}): Promise<string> {
    const { status, body } = await this.send({ symbol, ...changes })
    assert.ok(status < 300, JSON.stringify(body))
    return body.signal.id
  }

  /** The same, whose entry is at the broker and has not filled; what comes after it fills at once. */
  async openResting(symbol: string, changes: object = {}): Promise<{ id: string; entry: BookedOrder }> {
    this.broker.fillsAtOnce = false
    const id = await this.open(symbol, changes)
    const entry = await this.order(id, 'entry')
    this.broker.fillsAtOnce = true
    return { id, entry }
  }

  /** A request of its owner beside signals. */
  async ask(path: string, body: object = {}): Promise<ApiAnswer> {
    return (await this.person()).post(path, body, 30_000)
  }

  /** The signal as GET /signals/:id shows it. */
  async shown(id: string): Promise<ApiAnswer['body']> {
    const { status, body } = await this.api.get(`/signals/${id}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.data
  }

  async timeline(id: string): Promise<string[]> {
    const { body } = await this.api.get(`/signals/${id}/events?limit=500`)
    return body.data.events.map(({ message }: { message: string }) => message)
  }

  async alerts(state: 'open' | 'all' = 'open'): Promise<NotifiedAlert[]> {
    const { status, body } = await this.api.get(
      `/alerts?accountId=${this.accountId}&state=${state}&limit=200`,
    )
    assert.equal(status, 200, JSON.stringify(body))
    return body.data.alerts.toReversed()
  }

  /** Shares that the broker really holds. */
  held(symbol: string): Decimal {
    return this.broker.books.held(symbol)
  }

  /** Orders of a signal at the broker, oldest first, whatever became of them. */
  orders(id: string, role: 'entry' | 'exit'): BookedOrder[] {
    return this.broker.sent.filter(({ client_order_id }) => {
      const identity = parseClientOrderId(client_order_id)
      return identity?.signalId === id && identity.role === role
    })
  }

  sizes(id: string, role: 'entry' | 'exit'): Decimal[] {
    return this.orders(id, role).map(({ qty }) => qty)
  }

  /** The one order of that kind, once it is at the broker. */
  order(id: string, role: 'entry' | 'exit', within = PATIENCE): Promise<BookedOrder> {
    return this.until(() => {
      const found = this.orders(id, role)
      assert.equal(found.length, 1, `${found.length} ${role} orders`)
      return found[0]!
    }, within)
  }

  until<T>(look: () => T | Promise<T>, within = PATIENCE): Promise<T> {
    return eventually(look, { within, every: 250 })
  }

  untilHeld(symbol: string, shares: Decimal, within = PATIENCE): Promise<void> {
    return this.until(() => {
      const held = this.held(symbol)
      assert.equal(compare(held, shares), 0, `${held} ${symbol} are held, not ${shares}`)
    }, within)
  }

  untilStatus(id: string, status: string, within = PATIENCE): Promise<ApiAnswer['body']> {
    return this.until(async () => {
      const signal = await this.shown(id)
      assert.equal(signal.status, status, `${signal.statusReason}: ${signal.statusDetail}`)
      return signal
    }, within)
  }

  untilFilled(id: string, shares: number, within = PATIENCE): Promise<void> {
    return this.until(async () => assert.equal((await this.shown(id)).filledQuantity, shares), within)
  }

  untilExit(id: string, status: string, within = PATIENCE): Promise<ApiAnswer['body']> {
    return this.until(async () => {
      const signal = await this.shown(id)
      assert.equal(signal.exit?.status, status, signal.exit?.reason ?? 'no reason')
      return signal
    }, within)
  }

  /** Waits until the exit has filled, and nothing is held of its symbol. */
  async untilClosed(id: string, within = PATIENCE): Promise<void> {
    const { symbol } = await this.untilExit(id, 'filled', within)
    assert.equal(this.held(symbol), '0')
  }

  /** Waits for an open alert of a kind, whose words are of the pattern. */
  untilAlert(kind: string, words = /./, within = PATIENCE): Promise<NotifiedAlert> {
    return this.until(async () => {
      const alerts = await this.alerts()
      const found = alerts.find((alert) => alert.kind === kind && words.test(alert.message))
      assert.ok(found, `no ${kind} ${words} among ${JSON.stringify(alerts)}`)
      return found
    }, within)
  }

  /** Waits until no alert is open. */
  untilQuiet(within = PATIENCE): Promise<void> {
    return this.until(async () => assert.deepEqual(await this.alerts(), []), within)
  }
}

/** What an exit at a time after the entry is written like. */
export const exitAfter = (minutes: number) => ({
  exitTriggerType: 'minutesAfterEntry',
  exitTriggerMinutes: minutes,
})
/** An exit at market right after the entry. */
export const EXIT_AT_ONCE = { exitTriggerType: 'immediate' }
