import type { IncomingHttpHeaders } from 'node:http'
import { BrokerGates, type BrokerGatesOptions } from '#brokers/gates.ts'
import { BrokerBusy, type RequestClass, type RequestPass } from '#brokers/port.ts'
import type { RequestExchange, RequestKnowledge } from '#domain/account/request-gate-sync.ts'

export const CONNECTION = 'one connection'
const SLOT = 10_000

/** What `broker_gates` keeps, in memory and by the time of a test. */
export class GateRow {
  readonly #now: () => number
  readonly #slots = new Map<number, number>()
  #notBefore = 0
  #othersNotBefore = 0
  #isReported = false
  isAway = false

  constructor(now: () => number) {
    this.#now = now
  }

  readonly exchange: RequestExchange = async (news) => {
    if (this.isAway) throw new Error('no database')
    const now = this.#now()
    for (const { requests, refused, isOpen } of news) {
      const slot = Math.floor(now / SLOT)
      this.#slots.set(slot, (this.#slots.get(slot) ?? 0) + requests)
      if (refused !== null) {
        if (now + refused.wait > this.#notBefore) this.#isReported = refused.isReported
        this.#notBefore = Math.max(this.#notBefore, now + refused.wait)
        this.#othersNotBefore = Math.max(this.#othersNotBefore, now + refused.othersWait)
      } else if (isOpen && this.#notBefore <= now) this.#othersNotBefore = 0
    }
    const known: RequestKnowledge = {
      requests: [...this.#slots].reduce(
        (sum, [slot, count]) => (slot > now / SLOT - 7 ? sum + count : sum),
        0,
      ),
      wait: Math.max(0, this.#notBefore - now),
      othersWait: Math.max(0, this.#othersNotBefore - now),
      isReported: this.#isReported,
    }
    return [{ connectionId: CONNECTION, ...known }]
  }
}

/** Processes that share a connection, and a clock that stands still unless it is moved. */
export class GatePlay {
  now = 1_000_000
  readonly row = new GateRow(() => this.now)
  readonly left: { at: number; kind: RequestClass }[] = []
  readonly #processes

  constructor(processes = 1, options: Partial<BrokerGatesOptions> = {}) {
    this.#processes = Array.from({ length: processes }, () =>
      new BrokerGates({
        perMinute: () => 200,
        exchange: this.row.exchange,
        now: () => this.now,
        wallClock: () => this.now,
        ...options,
      }).of({ brokerType: 'alpaca', baseUrl: 'http://broker', credentials: {}, connectionId: CONNECTION }),
    )
  }

  /** What a request was told: that it may leave, or how long it is to wait. */
  async ask(kind: RequestClass, process = 0): Promise<RequestPass | BrokerBusy> {
    try {
      const pass = await this.#processes[process]!.enter(kind)
      this.left.push({ at: this.now, kind })
      return pass
    } catch (error) {
      if (error instanceof BrokerBusy) return error
      throw error
    }
  }

  /** A request that is answered at once; null when it left, else the milliseconds that it is to wait. */
  async send(kind: RequestClass, status = 200, headers: IncomingHttpHeaders = {}, process = 0) {
    const asked = await this.ask(kind, process)
    if (asked instanceof BrokerBusy) return asked.retryAfterMs
    asked.over(status, headers)
    await settled()
    return null
  }
}

/** Lets what was begun in the background come to its end. */
export const settled = async (): Promise<void> => {
  for (let turns = 0; turns < 20; turns += 1) await Promise.resolve()
}
