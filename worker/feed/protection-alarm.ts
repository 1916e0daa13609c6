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
  /** `told`: the alert of a position without a fresh price. */
  #needing = new Map<string, { since: number; told: string | null }>()
  #alerted: Set<string> | null = null
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(em: EntityManager, accountId: string, quietMs?: number) {
    this.#em = em
    this.#accountId = accountId
    this.#quietMs = quietMs
  }

  /** `opensAt` and `now`: milliseconds since the epoch. */
  async look(needing: readonly WatchedPosition[], opensAt: number, now: number): Promise<void> {
    const before = this.#needing
    this.#needing = new Map(
      needing.map(({ signalId }) => [signalId, before.get(signalId) ?? { since: now, told: null }]),
    )
    for (const position of needing) {
      const needed = this.#needing.get(position.signalId)!
      const since = Math.max(position.pricedAt ?? 0, opensAt, needed.since)
      needed.told =
        now - since <= PRICE_COUNTS_FOR_MS ? null : await this.#raise(position, since, needed.told)
    }
    if (now - this.#lookedAt < LOOK_WHETHER_OVER_EVERY_MS) return
    this.#lookedAt = now
    await this.#endThoseThatAreOver()
  }

  async #raise(position: WatchedPosition, since: number, told: string | null): Promise<string> {
    const { signalId, symbol, resting, keptHere, whyBlind: why } = position
    const notice = protectionBlind({ symbol, resting, keptHere, why, since: new Date(since).toISOString() })
    if (told === notice.message) return told
    await raiseAlert(this.#em, { accountId: this.#accountId, signalId }, notice)
    this.#alerted?.add(signalId)
    return notice.message
  }

  async #endThoseThatAreOver(): Promise<void> {
    this.#alerted ??= await subjectsWithAlert(this.#em, this.#accountId, 'protection_blind')
    for (const signalId of this.#alerted) {
      if (this.#needing.get(signalId)?.told != null) continue
      const subject = { accountId: this.#accountId, signalId }
      const how = await endWhenQuiet(this.#em, subject, 'protection_blind', this.#quietMs)
      if (how === 'over' || how === 'none') this.#alerted.delete(signalId)
    }
  }
}
