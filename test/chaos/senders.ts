import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiAnswer, ApiClient } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import type { Attempt } from '#test/support/evidence.ts'
import type { VenueDesk } from '#test/support/venue-desk.ts'
import { Random } from './random.ts'
import type { PlannedWish } from './wishes.ts'

/** A sender hangs up after this many milliseconds, as TradingView does after three seconds. */
const PATIENCE_MS = 4_000
/** Milliseconds after which a sender that was never answered stops trying. */
const GIVE_UP_AFTER_MS = 90_000
/** Tries to move a price while the venue may be down, in milliseconds. */
const MARKET_PATIENCE_MS = 60_000

/** Sends wishes, and writes down what it was told. */
export class Senders {
  readonly attempts: Attempt[] = []
  readonly #api: ApiClient
  readonly #venue: VenueDesk

  constructor(api: ApiClient, venue: VenueDesk) {
    this.#api = api
    this.#venue = venue
  }

  /**
   * Has a wish delivered twice at the same moment, each delivery repeated until it is answered, and moves the
   * market where the wish needs it.
   */
  async send({ wish, body, market }: PlannedWish, seed: number): Promise<void> {
    const pin = (price: number) =>
      eventually(() => this.#venue.pin(market!.symbol, price), { within: MARKET_PATIENCE_MS, every: 500 })
    if (market) await pin(market.restsAt)
    await Promise.all([
      this.#deliver(wish.key, body, new Random(seed)),
      this.#deliver(wish.key, body, new Random(~seed)),
    ])
    if (market) await pin(market.fillsAt)
  }

  async #deliver(key: string, body: object, random: Random): Promise<void> {
    const deadline = performance.now() + GIVE_UP_AFTER_MS
    while (performance.now() < deadline) {
      if (await this.#try(key, body)) return
      await sleep(random.between(200, 1_200))
    }
  }

  /** One request; returns whether it was answered for good. */
  async #try(key: string, body: object): Promise<boolean> {
    const attempt: Attempt = {
      key,
      sentAt: new Date().toISOString(),
      status: null,
      signalId: null,
      tookMs: 0,
    }
    const begun = performance.now()
    try {
      const answer = await this.#api.post('/signals', body, PATIENCE_MS)
      attempt.status = answer.status
      attempt.signalId = signalIdIn(answer)
      return answer.status < 500
    } catch {
      // No answer: the request may or may not have come to something. The attempt says so by its null.
      return false
    } finally {
      attempt.tookMs = performance.now() - begun
      this.attempts.push(attempt)
    }
  }
}

/** A refused signal is on record and named in the details. */
const signalIdIn = ({ body }: ApiAnswer): string | null =>
  body.signal?.id ?? body.details?.[0]?.signalId ?? null
