import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '#test/support/eventually.ts'
import type { Part } from '#test/support/part.ts'
import { PART_NAMES, type PartName } from '#test/support/stack-parts.ts'
import type { Stack } from '#test/support/stack.ts'
import { stillKilling, WATCH_RESUMES_MS } from './killing.ts'
import type { Random } from './random.ts'

/** How long a dead part stays dead, in milliseconds. */
const DOWN_MS = { least: 200, most: 2_000 }
/** So many parts may be down at once: on a slow machine nothing would be shown if none ever worked. */
const MAX_DOWN = 2

/**
 * Kills a random part of the stack every so often, and has every part that ended, killed or not, started again as
 * a supervisor does.
 */
export class Havoc {
  readonly kills: Record<PartName, number> = { postgres: 0, temporal: 0, venue: 0, worker: 0, api: 0 }
  readonly #stack: Stack
  readonly #random: Random
  readonly #down = new Set<PartName>()
  readonly #calm = new AbortController()
  readonly #released = Promise.withResolvers<void>()
  readonly #keepers: Promise<unknown>
  #killing: Promise<void> | undefined
  readonly unwatched: { from: string; to: string }[] = []
  #losesTemporal = false
  #isPaused = false
  /** As long as somebody else stops and starts the parts. */
  #left: PromiseWithResolvers<void> | null = null
  #temporalLostAt: string | null = null

  constructor(stack: Stack, random: Random) {
    this.#stack = stack
    this.#random = random
    this.#keepers = Promise.all(PART_NAMES.map((name) => this.#keep(name, stack.parts[name])))
    // A part that cannot be started again fails the run when its end waits for it, not in the middle of it.
    this.#keepers.catch(() => {})
  }

  begin(everyMs: number): void {
    this.#killing = this.#killEvery(everyMs)
  }

  async loseTemporal(): Promise<void> {
    // One that is being started again would come back with its data first.
    await eventually(() => assert.ok(!this.#down.has('temporal')), { within: 60_000, every: 100 })
    this.#losesTemporal = true
    this.kills.temporal += 1
    await this.#stack.parts.temporal.kill()
  }

  get temporalLostAt(): string | null {
    return this.#temporalLostAt
  }

  /** Kills nothing, and leaves the parts to whoever does `work`, once all of them run. */
  async leaveTo<T>(work: () => Promise<T>): Promise<T> {
    this.#isPaused = true
    await eventually(() => assert.deepEqual([...this.#down], []), { within: 60_000, every: 100 })
    await this.#stack.untilReady()
    this.#left = Promise.withResolvers()
    try {
      return await work()
    } finally {
      this.#left.resolve()
      this.#left = null
      this.#isPaused = false
    }
  }

  async end(): Promise<void> {
    this.#calm.abort()
    await this.#killing
    const allUp = eventually(() => assert.deepEqual([...this.#down], []), { within: 60_000, every: 100 })
    await Promise.race([allUp, this.#keepers])
    await this.#stack.untilReady()
  }

  async release(): Promise<void> {
    this.#released.resolve()
    await this.#keepers
  }

  async #killEvery(everyMs: number): Promise<void> {
    while (await stillKilling(this.#calm.signal, everyMs * (0.5 + this.#random.fraction()))) {
      if (this.#isPaused) continue
      const alive = PART_NAMES.filter((name) => !this.#down.has(name))
      if (alive.length <= PART_NAMES.length - MAX_DOWN) continue
      const victim = this.#random.pick(alive)
      this.kills[victim] += 1
      await this.#stack.parts[victim].kill()
    }
  }

  async #keep(name: PartName, part: Part): Promise<void> {
    for (;;) {
      await Promise.race([part.ended, this.#released.promise])
      if (part.isRunning) return
      if (this.#left) {
        await this.#left.promise
        continue
      }
      this.#down.add(name)
      const from = new Date().toISOString()
      await sleep(this.#random.between(DOWN_MS.least, DOWN_MS.most))
      if (name === 'temporal' && this.#losesTemporal) {
        this.#losesTemporal = false
        this.#stack.eraseTemporal()
        this.#temporalLostAt = new Date().toISOString()
      }
      await part.start()
      if (name === 'api' || name === 'postgres')
        this.unwatched.push({ from, to: new Date(Date.now() + WATCH_RESUMES_MS).toISOString() })
      this.#down.delete(name)
    }
  }
}
