import { endWhenQuiet, raiseAlert, subjectsWithAlert } from '#db/risk/alerts.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { protectionBlind } from '#domain/broker-news.ts'
import { PRICE_COUNTS_FOR_MS } from '#domain/acting-price.ts'
import type { WatchedPosition } from './watched-position.ts'

const LOOK_WHETHER_OVER_EVERY_MS = 5_000

/** Alerts while levels are kept here without fresh prices: nothing is triggered by guess. */
export class ProtectionAlarm {
  readonly #em: EntityManager
  readonly #accountId: string
  readonly #quietMs: number | undefined
  #neededSince = new Map<string, number>()
  readonly #blind = new Map<string, string>()
  #alerted: Set<string> | null = null
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(em: EntityManager, accountId: string, quietMs?: number) {
    this.#em = em
    this.#accountId = accountId
    this.#quietMs = quietMs
  }

  /** `opensAt` and `now`: milliseconds since the epoch. */
  async look(needing: readonly WatchedPosition[], opensAt: number, now: number): Promise<void> {
    this.#neededSince = new Map(
      needing.map(({ signalId }) => [signalId, this.#neededSince.get(signalId) ?? now]),
    )
    for (const position of needing) {
      const { signalId } = position
      const since = Math.max(position.pricedAt ?? 0, opensAt, this.#neededSince.get(signalId)!)
      if (now - since <= PRICE_COUNTS_FOR_MS) this.#blind.delete(signalId)
      else await this.#raise(position, since)
    }
    for (const signalId of this.#blind.keys())
      if (!this.#neededSince.has(signalId)) this.#blind.delete(signalId)
    if (now - this.#lookedAt < LOOK_WHETHER_OVER_EVERY_MS) return
    this.#lookedAt = now
    await this.#endThoseThatAreOver()
  }

  async #raise(position: WatchedPosition, since: number): Promise<void> {
    const { signalId, symbol, resting, keptHere, whyBlind: why } = position
    const notice = protectionBlind({ symbol, resting, keptHere, why, since: new Date(since).toISOString() })
    if (this.#blind.get(signalId) === notice.message) return
    await raiseAlert(this.#em, { accountId: this.#accountId, signalId }, notice)
    this.#blind.set(signalId, notice.message)
    this.#alerted?.add(signalId)
  }

  async #endThoseThatAreOver(): Promise<void> {
    this.#alerted ??= await subjectsWithAlert(this.#em, this.#accountId, 'protection_blind')
    for (const signalId of this.#alerted) {
      if (this.#blind.has(signalId)) continue
      const subject = { accountId: this.#accountId, signalId }
      const how = await endWhenQuiet(this.#em, subject, 'protection_blind', this.#quietMs)
      if (how === 'over' || how === 'none') this.#alerted.delete(signalId)
    }
  }
}
