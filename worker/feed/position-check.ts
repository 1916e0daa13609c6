import { endWhenQuiet, raiseAlert, symbolsWithAlert } from '#db/alert/alerts.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { positionDifferences } from '#db/position/position-differences.ts'
import { unreadExecutions } from '#db/position/fills.ts'
import { positionDiffers } from '#domain/alert/alert.ts'

const SETTLES_WITHIN_MS = 60_000

/** Alerts to unknown owners of shares, after a split, a transfer or an unlisted execution. */
export class PositionCheck {
  readonly #em: EntityManager
  readonly #accountId: string
  readonly #quietMs: number | undefined
  #since = new Map<string, number>()
  #alerted: Set<string> | null = null

  constructor(em: EntityManager, accountId: string, quietMs?: number) {
    this.#em = em
    this.#accountId = accountId
    this.#quietMs = quietMs
  }

  async look(now: number): Promise<void> {
    const found = await positionDifferences(this.#em, this.#accountId)
    this.#since = new Map(found.map(({ symbol }) => [symbol, this.#since.get(symbol) ?? now]))
    this.#alerted ??= new Set(await symbolsWithAlert(this.#em, this.#accountId, 'position_differs'))
    const open = this.#alerted
    const lasting = found.filter(
      ({ symbol, concernsUs }) => concernsUs && now >= this.#since.get(symbol)! + SETTLES_WITHIN_MS,
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
