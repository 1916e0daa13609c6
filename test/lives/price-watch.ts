import { pino } from 'pino'
import { listProtections, noteSeen, trackFilling } from '#db/exit/protections.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { notifiedAt } from '#test/support/told-prices.ts'
import { WatchedPosition, type WatchedPositionDependencies } from '#worker/feed/watched-position.ts'

/** The watch of prices of one account, as the worker has it, which looks when it is told to. */
export class PriceWatch {
  readonly #deps: WatchedPositionDependencies
  readonly #accountId: string
  readonly #positions = new Map<string, WatchedPosition>()

  constructor(
    deps: Pick<WatchedPositionDependencies, 'em' | 'broker' | 'announcer' | 'now'>,
    accountId: string,
  ) {
    const rest = { abilities: { oco: true, trailing: true } }
    this.#deps = { ...deps, ...rest, log: pino({ level: 'silent' }) }
    this.#accountId = accountId
  }

  /** What comes of the price at which the market trades now. */
  async look(price: Decimal): Promise<void> {
    const { em, now } = this.#deps
    await trackFilling(em, this.#accountId)
    const tracked = await listProtections(em, this.#accountId)
    for (const one of tracked) {
      const known = this.#positions.get(one.signalId)
      known?.refresh(one, now())
      const position = known ?? new WatchedPosition(this.#deps, one)
      this.#positions.set(one.signalId, position)
      position.hear(notifiedAt(price, now()), Number.NEGATIVE_INFINITY)
      await position.work()
      await position.moveOn()
      await noteSeen(em, position.takeSeen())
    }
    for (const id of this.#positions.keys())
      if (!tracked.some(({ signalId }) => signalId === id)) this.#positions.delete(id)
  }
}
