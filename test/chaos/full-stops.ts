import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiAnswer, ApiClient } from '#test/support/api-client.ts'
import type { Stack } from '#test/support/stack.ts'
import { stillKilling } from './killing.ts'
import type { Random } from './random.ts'
import type { Recess } from './recess.ts'

/** How long trading stands still, in milliseconds. */
const STOPPED_MS = { least: 2_000, most: 8_000 }
/** Patience with one answer, and between two tries, in milliseconds. */
const PATIENCE_MS = 6_000
const AGAIN_MS = 500

/** A person who stops all trading now and then and lifts it again. */
export class FullStops {
  /** From the answer that trading is stopped to the first wish that it goes on; UTC instants. */
  readonly stops: { accountId: string; from: string; to: string }[] = []
  readonly #stack: Stack
  readonly #random: Random
  readonly #recess: Recess
  readonly #calm = new AbortController()
  #stopping: Promise<void> = Promise.resolve()

  constructor(stack: Stack, random: Random, recess: Recess) {
    this.#stack = stack
    this.#recess = recess
    this.#random = random
  }

  /** Begins, so many milliseconds apart on average. */
  begin(everyMs: number): void {
    this.#stopping = this.#stopEvery(everyMs)
    // Thrown where its end is waited for.
    this.#stopping.catch(() => {})
  }

  /** Stops no more; resolves when everything may trade. */
  async end(): Promise<void> {
    this.#calm.abort()
    await this.#stopping
  }

  async #stopEvery(everyMs: number): Promise<void> {
    // One that stood in a recess would be lifted after it only.
    while (await stillKilling(this.#calm.signal, everyMs * (0.5 + this.#random.fraction())))
      await this.#recess.outside(() => this.#stop(this.#stack.accountId))
  }

  async #stop(accountId: string): Promise<void> {
    const path = `/settings/halt/${accountId}`
    const request = { level: 'fullStop', reason: 'a drill' }
    await this.#insist((person) => person.put(path, request, PATIENCE_MS), [200])
    const from = new Date().toISOString()
    await stillKilling(this.#calm.signal, this.#random.between(STOPPED_MS.least, STOPPED_MS.most))
    this.stops.push({ accountId, from, to: new Date().toISOString() })
    // Without an answer it may have been lifted.
    await this.#insist((person) => person.delete(path, PATIENCE_MS), [200, 404])
  }

  /** Signs in each time: only who has just proved who they are may lift a halt. */
  async #insist(ask: (person: ApiClient) => Promise<ApiAnswer>, ends: readonly number[]): Promise<void> {
    for (;;) {
      try {
        const { status } = await ask(await this.#stack.signIn())
        if (ends.includes(status)) return
      } catch {
        // No answer: it is asked again.
      }
      await sleep(AGAIN_MS)
    }
  }
}
