import { endWhenQuiet, raiseAlert } from '#db/risk/alerts.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { symbolsWithExitsToCome } from '#db/signals/exit-plans.ts'
import type { AccountPermissions } from '#domain/account-may.ts'
import { tradingBlocked } from '#domain/broker-news.ts'

/** Alerts when the broker blocks trading while exits are to come. */
export class BlockedAccountAlarm {
  readonly #em: EntityManager
  readonly #account: { accountId: string; signalId: null }
  readonly #quietMs: number | undefined
  /** Another worker may have raised it before. */
  #mayBeOpen = true

  constructor(em: EntityManager, accountId: string, quietMs?: number) {
    this.#em = em
    this.#account = { accountId, signalId: null }
    this.#quietMs = quietMs
  }

  async look({ blocks }: AccountPermissions): Promise<void> {
    const symbols =
      blocks.length === 0 ? [] : await symbolsWithExitsToCome(this.#em.fork(), this.#account.accountId)
    if (symbols.length > 0) {
      await raiseAlert(this.#em, this.#account, tradingBlocked(blocks, symbols))
      this.#mayBeOpen = true
    } else if (this.#mayBeOpen) {
      const how = await endWhenQuiet(this.#em, this.#account, 'trading_blocked', this.#quietMs)
      this.#mayBeOpen = how !== 'none' && how !== 'over'
    }
  }
}
