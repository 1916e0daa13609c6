import { endWhenQuiet, raiseAlert, symbolsWithAlert } from '#db/risk/alerts.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { positionDifferences } from '#db/accounts/position-differences.ts'
import { unreadExecutions } from '#db/trades/unread-executions.ts'
import { positionDiffers } from '#domain/alert.ts'

/** For so long a broker's positions and its list of executions may say different things, in milliseconds. */
const SETTLES_WITHIN = 60_000

/**
 * Sees to it that the positions of one account are what its executions add up to, in each symbol that concerns the signals and
 * orders of its owner. Where they are not for long, there was a split, a change of a symbol or a transfer, or an execution
 * that the broker does not list: whose shares are held is not certain then, and the owner is alerted, for each symbol.
 */
export class PositionCheck {
  readonly #em: EntityManager
  readonly #accountId: string
  readonly #quietMs: number | undefined
  /** Since when a symbol differs, in milliseconds since the epoch. */
  #since = new Map<string, number>()
  /** Symbols of which an alert may be open; null while they are not known. */
  #alerted: Set<string> | null = null

  /** @param quietMs milliseconds for which both have to agree before an alert ends */
  constructor(em: EntityManager, accountId: string, quietMs?: number) {
    this.#em = em
    this.#accountId = accountId
    this.#quietMs = quietMs
  }

  /** @param now milliseconds since the epoch */
  async look(now: number): Promise<void> {
    const found = await positionDifferences(this.#em, this.#accountId)
    this.#since = new Map(found.map(({ symbol }) => [symbol, this.#since.get(symbol) ?? now]))
    this.#alerted ??= new Set(await symbolsWithAlert(this.#em, this.#accountId, 'position_differs'))
    const open = this.#alerted
    const lasting = found.filter(
      ({ symbol, concernsUs }) => concernsUs && now >= this.#since.get(symbol)! + SETTLES_WITHIN,
    )
    const unread = lasting.length > 0 ? await unreadExecutions(this.#em, this.#accountId) : []
    for (const difference of lasting) {
      await raiseAlert(this.#em, this.#subject(difference.symbol), positionDiffers(difference, unread))
      open.add(difference.symbol)
    }
    const differing = new Set(found.filter(({ concernsUs }) => concernsUs).map(({ symbol }) => symbol))
    for (const symbol of [...open].filter((each) => !differing.has(each))) {
      const how = await endWhenQuiet(this.#em, this.#subject(symbol), 'position_differs', this.#quietMs)
      if (how === 'over' || how === 'none') open.delete(symbol)
    }
  }

  #subject(symbol: string) {
    return { accountId: this.#accountId, signalId: null, symbol }
  }
}
