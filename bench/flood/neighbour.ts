import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiClient } from '#test/support/api-client.ts'
import type { Stack } from '#test/support/stack.ts'
import { tradersOf, type Trader } from '#test/support/traders.ts'
import { callBarely, type BareAnswer } from '../send.ts'

export interface Calls {
  /** Milliseconds of each call, from the request to the whole answer. */
  took: number[]
  /** Counts by status; `failed` without an answer. */
  statuses: Record<string, number>
}

export interface Beside {
  signals: Calls
  /** Halts of one account, set and lifted, each a call. */
  halts: Calls
}

/** Another person than the flooder, with two accounts: one for signals, one for halts. */
export class Neighbour {
  readonly #trader: Trader
  #signedIn: ApiClient

  static async moveIn(stack: Stack): Promise<Neighbour> {
    const [trader] = await tradersOf(stack, 2)
    assert.ok(trader)
    return new Neighbour(trader, await trader.signIn())
  }

  private constructor(trader: Trader, signedIn: ApiClient) {
    this.#trader = trader
    this.#signedIn = signedIn
  }

  /** Signs in again: lifting a halt needs a fresh proof of the last five minutes. */
  async signIn(): Promise<void> {
    this.#signedIn = await this.#trader.signIn()
  }

  /**
   * Sends a signal, and sets and lifts a halt, at the beginning of every second, without waiting for earlier answers.
   */
  async everySecond(seconds: number): Promise<Beside> {
    const beside = noCalls()
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

  async once(): Promise<Beside> {
    const beside = noCalls()
    await measured(beside.signals, () => this.#signal())
    await measured(beside.halts, () => this.#halt())
    await measured(beside.halts, () => this.#lift())
    return beside
  }

  #signal(): Promise<BareAnswer> {
    return callBarely(this.#trader.api, 'POST', '/signals', {
      accountId: this.#trader.accountIds[0],
      symbol: 'AAPL',
      action: 'openLong',
      quantity: 1,
      executeMode: 'immediate',
    })
  }

  #halt(): Promise<BareAnswer> {
    const halt = { level: 'pauseEntries', reason: 'beside a flood' }
    return callBarely(this.#signedIn, 'PUT', this.#haltPath, halt)
  }

  #lift(): Promise<BareAnswer> {
    return callBarely(this.#signedIn, 'DELETE', this.#haltPath)
  }

  get #haltPath(): string {
    return `/settings/halt/${this.#trader.accountIds[1]}`
  }
}

const noCalls = (): Beside => ({
  signals: { took: [], statuses: {} },
  halts: { took: [], statuses: {} },
})

/** The halts of two seconds may overlap: the first lift then ends both. */
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
