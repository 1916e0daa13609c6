import { raiseAlert, resolveAlert } from '#db/risk/alerts.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { positionDifferences } from '#db/accounts/position-differences.ts'
import { unreadExecutions } from '#db/trades/unread-executions.ts'
import { positionsDiffer } from '#domain/alert.ts'

/** For so long a broker's positions and its list of executions may say different things, in milliseconds. */
const SETTLES_WITHIN = 60_000

/**
 * Sees to it that the positions of one account are what its executions add up to. When they are not for long, there was
 * a split, a change of a symbol or a transfer, or an execution that the broker does not list: whose shares are held is
 * not certain then, and the owner is alerted.
 */
export class PositionCheck {
  readonly #em: EntityManager
  readonly #accountId: string
  /** Since when a symbol differs, in milliseconds since the epoch. */
  #since = new Map<string, number>()
  /** Whether the alert may be open; not known at first. */
  #mayBeOpen = true

  constructor(em: EntityManager, accountId: string) {
    this.#em = em
    this.#accountId = accountId
  }

  /** @param now milliseconds since the epoch */
  async look(now: number): Promise<void> {
    const found = await positionDifferences(this.#em, this.#accountId)
    this.#since = new Map(found.map(({ symbol }) => [symbol, this.#since.get(symbol) ?? now]))
    const lasting = found.filter(({ symbol }) => now >= this.#since.get(symbol)! + SETTLES_WITHIN)
    const subject = { accountId: this.#accountId, signalId: null }
    if (lasting.length > 0) {
      await raiseAlert(
        this.#em,
        subject,
        positionsDiffer(lasting, await unreadExecutions(this.#em, this.#accountId)),
      )
      this.#mayBeOpen = true
    } else if (found.length === 0 && this.#mayBeOpen) {
      await resolveAlert(this.#em, subject, 'position_differs')
      this.#mayBeOpen = false
    }
  }
}
