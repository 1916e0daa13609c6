import { setTimeout as sleep } from 'node:timers/promises'
import type { PartName } from '#test/support/stack-parts.ts'
import type { Stack } from '#test/support/stack.ts'
import { familyOf, standStill, type Family } from '#test/support/standstill.ts'
import { stillKilling, WATCH_RESUMES_MS } from './killing.ts'
import type { Random } from './random.ts'

type Pids = (family: Family) => number[]
const all: Pids = ({ parent, children }) => [parent, ...children]
/** What stands still: a whole part, or of PostgreSQL the one process or all those that serve connections. */
const KINDS: { part: PartName; name: string; pids: Pids; weight: number }[] = [
  { part: 'api', name: 'api', pids: all, weight: 3 },
  { part: 'worker', name: 'worker', pids: all, weight: 3 },
  { part: 'temporal', name: 'temporal', pids: all, weight: 3 },
  { part: 'postgres', name: 'postgres', pids: all, weight: 1 },
  { part: 'postgres', name: 'postmaster', pids: ({ parent }) => [parent], weight: 1 },
  { part: 'postgres', name: 'backends', pids: ({ children }) => children, weight: 1 },
]
/** How long a process stands still at least, in milliseconds. */
const SHORTEST_STANDSTILL_MS = 1_000

/** Has one part of the stack after the other stand still for a while and go on, as on a machine that is paused. */
export class Standstills {
  readonly counts: Record<string, number> = Object.fromEntries(KINDS.map(({ name }) => [name, 0]))
  /** When the API, which watches what is due, or PostgreSQL stood still. */
  readonly unwatched: { from: string; to: string }[] = []
  readonly #stack: Stack
  readonly #random: Random
  #calm = new AbortController()
  #standing: Promise<void> = Promise.resolve()

  constructor(stack: Stack, random: Random) {
    this.#stack = stack
    this.#random = random
  }

  /** Begins, or begins again, so many milliseconds apart on average; none lasts longer than `longestMs`. */
  begin(everyMs: number, longestMs: number): void {
    this.#calm = new AbortController()
    this.#standing = this.#standEvery(everyMs, longestMs)
    // Thrown where its end is waited for.
    this.#standing.catch(() => {})
  }

  /** Has everything go on. */
  async end(): Promise<void> {
    this.#calm.abort()
    await this.#standing
  }

  async #standEvery(everyMs: number, longestMs: number): Promise<void> {
    while (await stillKilling(this.#calm.signal, everyMs * (0.5 + this.#random.fraction()))) {
      const kind = this.#random.weighted(KINDS.map((item) => ({ weight: item.weight, item })))
      // More short ones than long ones.
      const forMs =
        SHORTEST_STANDSTILL_MS + (longestMs - SHORTEST_STANDSTILL_MS) * this.#random.fraction() ** 2
      await this.#stand(kind, forMs)
    }
  }

  async #stand({ part: name, name: kind, pids }: (typeof KINDS)[number], forMs: number): Promise<void> {
    const part = this.#stack.parts[name]
    if (!part.isRunning) return
    this.counts[kind]! += 1
    const from = new Date().toISOString()
    const goOn = standStill(pids(await familyOf(part.pid)))
    try {
      // Killed meanwhile: what it leaves behind has to end before it can be started again.
      await Promise.race([sleep(forMs, undefined, { signal: this.#calm.signal }), part.ended])
    } catch (error) {
      if (!this.#calm.signal.aborted) throw error
    } finally {
      goOn()
    }
    if (name === 'api' || name === 'postgres')
      this.unwatched.push({ from, to: new Date(Date.now() + WATCH_RESUMES_MS).toISOString() })
  }
}
