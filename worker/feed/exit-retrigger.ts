import type { AlertNotice } from '#domain/alert/alert.ts'
import { compare, type Decimal } from '#domain/money/decimal.ts'
import { parseClientOrderId, type OrderReport } from '#domain/order/order.ts'
import type { BrokerPosition } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { exitsBesideFills } from '#db/exit/unfilled-exits.ts'
import { signalsHeldUp } from '#db/alert/alerts.ts'

/** `counted`: filled shares that the end of the signal has counted. */
export function noticeOfLateFill(
  { clientOrderId, filledQuantity, symbol, side }: OrderReport,
  { counted, isByHand }: { counted: Decimal; isByHand: boolean },
): AlertNotice | null {
  if (compare(filledQuantity, counted) <= 0) return null
  const fill = `${side} ${filledQuantity} ${symbol} in all`
  const isExit = parseClientOrderId(clientOrderId)?.role === 'exit'
  const message = isByHand
    ? `The broker reported a fill of a manual order after the order had ended (${fill})`
    : isExit
      ? `The broker reported a fill of the exit after the signal had ended (${fill})`
      : `The broker reported a fill of the entry after the signal had ended (${fill}, ${counted} of it known by then); no exit follows`
  return { kind: 'fill_after_end', message, data: { clientOrderId, filledQuantity } }
}

export interface ExitAnnouncer {
  /** An obstacle may be gone. */
  retryExit(signalId: string): Promise<void>
  /** The ledger has facts that may require another order. */
  exitNews(signalId: string): Promise<void>
  exitCalendarChanged(signalId: string): Promise<void>
}

type Retrier = Pick<ExitAnnouncer, 'retryExit'>
type Seen = Pick<BrokerPosition, 'side' | 'quantity' | 'availableQuantity'>

export class ExitRetrigger {
  readonly #em: EntityManager
  readonly #announcer: Retrier
  readonly #accountId: string
  #seen: ReadonlyMap<string, Seen> | null = null

  constructor(em: EntityManager, announcer: Retrier, accountId: string) {
    this.#em = em
    this.#announcer = announcer
    this.#accountId = accountId
  }

  /** The order may have blocked exits of its symbol, but not its own signal's. */
  async orderEnded(order: Pick<OrderReport, 'symbol' | 'clientOrderId'>): Promise<number> {
    return this.#wake([order.symbol], parseClientOrderId(order.clientOrderId)?.signalId ?? null)
  }

  async positionsSynced(positions: readonly (Seen & { symbol: string })[]): Promise<void> {
    const before = this.#seen
    const now = new Map(positions.map((position) => [position.symbol, position]))
    this.#seen = now
    if (before === null) return
    const symbols = new Set([...before.keys(), ...now.keys()])
    const others = [...symbols].filter((symbol) => isOther(before.get(symbol), now.get(symbol)))
    if (others.length > 0) await this.#wake(others, null)
  }

  /** Owners of shares have changed: a resting order may be for more than its signal owns. */
  async fillsRead(amended: ReadonlySet<string> = new Set()): Promise<void> {
    for (const signalId of await exitsBesideFills(this.#em, this.#accountId, [...amended]))
      await this.#announcer.retryExit(signalId)
  }

  async #wake(symbols: readonly string[], except: string | null): Promise<number> {
    const waiting = (await signalsHeldUp(this.#em, this.#accountId, symbols)).filter((id) => id !== except)
    for (const signalId of waiting) await this.#announcer.retryExit(signalId)
    return waiting.length
  }
}

const isOther = (one: Seen | undefined, other: Seen | undefined): boolean =>
  one?.side !== other?.side ||
  one?.quantity !== other?.quantity ||
  one?.availableQuantity !== other?.availableQuantity
