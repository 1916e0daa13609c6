import { kindOf, type Cluster } from '#test/support/cluster.ts'
import { stillKilling, WATCH_RESUMES_MS, type Killing } from './killing.ts'
import type { Random } from './random.ts'

/** What is needed of a cluster to kill its processes. */
type Killable = Pick<Cluster, 'processes' | 'kill' | 'untilReady'>

/**
 * Kills one process of a cluster after the other, by `kill -9`, and waits each time until its supervisor has it working again:
 * of the kinds that were killed least one at random, so that in the end each kind was killed as often.
 */
export class ClusterHavoc implements Killing {
  readonly kills: Record<string, number>
  readonly unwatched: { from: string; to: string }[] = []
  /** It lies in PostgreSQL, and a kill takes nothing from there. */
  readonly temporalLostAt = null
  readonly #cluster: Killable
  readonly #random: Random
  readonly #calm = new AbortController()
  #killing: Promise<void> = Promise.resolve()

  constructor(cluster: Killable, random: Random) {
    this.#cluster = cluster
    this.#random = random
    this.kills = Object.fromEntries(Object.keys(cluster.processes()).map((name) => [kindOf(name), 0]))
  }

  begin(everyMs: number): void {
    this.#killing = this.#killEvery(everyMs)
    // Thrown where its end is waited for.
    this.#killing.catch(() => {})
  }

  loseTemporal(): Promise<void> {
    throw new Error('a cluster keeps its workflows in PostgreSQL, which is not lost here')
  }

  async end(): Promise<void> {
    this.#calm.abort()
    await this.#killing
    await this.#cluster.untilReady()
  }

  async release(): Promise<void> {
    // Closing the cluster stops its supervisor first.
  }

  async #killEvery(everyMs: number): Promise<void> {
    while (await stillKilling(this.#calm.signal, everyMs * (0.5 + this.#random.fraction()))) {
      const fewest = Math.min(...Object.values(this.kills))
      const kind = this.#random.pick(Object.keys(this.kills).filter((each) => this.kills[each] === fewest))
      const names = Object.keys(this.#cluster.processes()).filter((name) => kindOf(name) === kind)
      this.kills[kind]! += 1
      const from = new Date().toISOString()
      await this.#cluster.kill(this.#random.pick(names))
      if (kind === 'API' || kind === 'PostgreSQL')
        this.unwatched.push({ from, to: new Date(Date.now() + WATCH_RESUMES_MS).toISOString() })
    }
  }
}
