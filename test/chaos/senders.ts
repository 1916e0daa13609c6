import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiAnswer } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import type { Attempt, MarketStep, TradeRequest } from '#test/support/evidence.ts'
import type { Stack } from '#test/support/stack.ts'
import type { Deciders } from './deciders.ts'
import { Random } from './random.ts'
import type { Recess } from './recess.ts'
import { timesAt, unbound } from './timing.ts'
import type { ResolvedRequest, Sequel } from './wishes.ts'

/** A sender hangs up after this many milliseconds, as TradingView does after three seconds. */
const PATIENCE_MS = 4_000
/** Milliseconds after which a sender that was never answered stops trying. */
const GIVE_UP_AFTER_MS = 90_000
/** Tries to move a price while the venue may be down, in milliseconds. */
const MARKET_PATIENCE_MS = 60_000

/** From one price to the next, in milliseconds. */
const GOES_ON_AFTER_MS = 3_000

/** Sends wishes, has them decided on and replaced, and writes down what it was told. */
export class Senders {
  readonly attempts: Attempt[] = []
  /** The prices that the market was told to have. */
  readonly market: MarketStep[] = []
  readonly #stack: Stack
  readonly #deciders: Deciders
  readonly #closesAt: number
  readonly #recess: Recess | null

  /** @param closesAt when the session of the run ends, in milliseconds since the epoch */
  constructor(stack: Stack, deciders: Deciders, closesAt: number, recess: Recess | null = null) {
    this.#stack = stack
    this.#recess = recess
    this.#deciders = deciders
    this.#closesAt = closesAt
  }

  /** Sends a wish, moves the market where the wish needs it, and does what is to follow. */
  async send({ next, ...plan }: ResolvedRequest, seed: number): Promise<void> {
    await Promise.all([this.#send(plan, seed), next && this.send(next, ~seed)])
  }

  async #send({ wish, body, timing, market, sequel }: ResolvedRequest, seed: number): Promise<void> {
    if (market) await this.pin(market.symbol, market.restsAt)
    const { fields, bounds } = timesAt(timing, Date.now(), this.#closesAt)
    Object.assign(wish, bounds)
    await this.#deliverTwice(wish, { ...body, ...fields }, seed)
    const moving = async (): Promise<void> => {
      if (market === null || market.movesAfterMs === null) return
      await sleep(market.movesAfterMs)
      await this.pin(market.symbol, market.fillsAt)
      if (market.goesOn == null) return
      await sleep(GOES_ON_AFTER_MS)
      await this.pin(market.symbol, market.goesOn)
    }
    await Promise.all([moving(), sequel && this.#follow(sequel, wish, seed)])
  }

  /** From now on the market trades at a price. */
  async pin(symbol: string, price: number): Promise<void> {
    await eventually(() => this.#stack.venue.pin(symbol, price), { within: MARKET_PATIENCE_MS, every: 500 })
    this.market.push({ symbol, price, at: new Date().toISOString() })
  }

  async #follow(sequel: Sequel, wish: TradeRequest, seed: number): Promise<void> {
    await sleep(sequel.afterMs)
    if (sequel.kind === 'replace') {
      unbound(wish)
      return this.#deliverTwice(wish, sequel.body, seed ^ 0x2ed)
    }
    if (sequel.kind === 'close manually') return this.#deciders.closeManually(wish, sequel.quantity)
    const signalId = this.#acknowledged(wish.key)
    // Nobody decides on what was not accepted.
    if (signalId === null) return
    if (sequel.kind === 'change the plan') {
      // Whether it was taken before or after a price of the market is not known.
      wish.levels = null
      return this.#deciders.changeExit(signalId, sequel.protection)
    }
    await Promise.all(
      sequel.decisions.map((decision, place) =>
        this.#deciders.decide(decision, signalId, wish, new Random(seed + place)),
      ),
    )
  }

  #acknowledged(key: string): string | null {
    const isIt = (attempt: Attempt) =>
      attempt.key === key && attempt.status !== null && attempt.status < 300 && attempt.signalId !== null
    return this.attempts.findLast(isIt)?.signalId ?? null
  }

  /** Two deliveries at the same moment, each repeated until it is answered. */
  async #deliverTwice({ key }: TradeRequest, body: object, seed: number): Promise<void> {
    await Promise.all([
      this.#deliver(key, body, new Random(seed)),
      this.#deliver(key, body, new Random(~seed)),
    ])
  }

  async #deliver(key: string, body: object, random: Random): Promise<void> {
    const deadline = performance.now() + GIVE_UP_AFTER_MS
    while (performance.now() < deadline) {
      const tried = () => this.#try(key, body)
      if (await (this.#recess?.outside(tried) ?? tried())) return
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
      const answer = await this.#stack.api.post('/signals', body, PATIENCE_MS)
      if (isUndecided(answer)) return false
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

/** The replacement may still be refused, and then its signal is never on record: it is sent again until it is decided. */
const isUndecided = ({ body }: ApiAnswer): boolean =>
  body.advisories?.some(({ code }: { code: string }) => code === 'replacement_undecided') ?? false

/** A refused signal is on record and named in the details. */
const signalIdIn = ({ body }: ApiAnswer): string | null =>
  body.signal?.id ?? body.details?.[0]?.signalId ?? null
