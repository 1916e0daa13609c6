import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { RequestExchange } from '#domain/account/request-gate-sync.ts'
import { ConnectionGate } from './gate.ts'
import type { Broker, BrokerConnectionSettings, RequestClass, RequestGate, RequestPass } from './port.ts'

/** Milliseconds for which other processes' news count. */
const COUNTS_FRESH_FOR_MS = 1_000
/** Milliseconds that a request, but no order, waits for them. */
const WAITS_FOR_OTHERS = 300
/** Milliseconds without an answer after which other processes' requests are unknown. */
const ALONE_AFTER = 2_000
/** Requests of a connection that may leave before the others know. */
const PORTION = 10
const MAX_GATES_KEPT = 2_000

export interface GateWatcher {
  left(broker: string, kind: RequestClass): void
  held(broker: string, kind: RequestClass, why: 'limit' | 'budget'): void
  waits(broker: string, seconds: number): void
}

export interface BrokerGatesOptions {
  perMinute(brokerType: string): number | null
  /** Limit of one connection by this process; unlimited unless given. */
  showPerMinute?: number
  /** Without it each process counts for itself. */
  exchange?: RequestExchange
  onTrouble?(error: unknown): void
  watcher?: GateWatcher
  now?(): number
  wallClock?(): number
}

/** Exchanges counts once a second, but no order waits for that. */
export class BrokerGates {
  readonly #options: BrokerGatesOptions
  readonly #now: () => number
  readonly #gates = new Map<string, ConnectionGate>()
  readonly #begunAt: number
  #askedAt = Number.NEGATIVE_INFINITY
  #knownAsOf = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | null = null
  #isToAskAgain = false

  constructor(options: BrokerGatesOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#begunAt = this.#now()
  }

  of(settings: BrokerConnectionSettings): RequestGate {
    const { connectionId } = settings
    const isShared = connectionId !== undefined && this.#options.exchange !== undefined
    // A connection that is not stored yet is known by its keys, and to this process only.
    const key = connectionId ?? ` ${keysOf(settings)}`
    const gateOf = () => this.#gates.get(key) ?? this.#add(key, settings.brokerType)
    return {
      enter: (kind) => {
        const gate = gateOf()
        if (!isShared) return gate.enter(kind)
        if (kind !== 'orders') return this.#enterInformed(gate, kind)
        if (this.#isDue(gate)) void this.#exchange()
        return this.#reportingTurns(gate.enter(kind), gate)
      },
    }
  }

  #add(key: string, brokerType: string): ConnectionGate {
    if (this.#gates.size >= MAX_GATES_KEPT)
      for (const [other, gate] of this.#gates) if (gate.isIdle) this.#gates.delete(other)
    const {
      watcher,
      perMinute,
      showPerMinute = Number.POSITIVE_INFINITY,
      wallClock = Date.now,
    } = this.#options
    const gate = new ConnectionGate({
      perMinute: perMinute(brokerType),
      showPerMinute,
      now: this.#now,
      wallClock,
      observe: {
        left: (kind) => watcher?.left(brokerType, kind),
        held: (kind, why) => watcher?.held(brokerType, kind, why),
        waits: (seconds) => watcher?.waits(brokerType, seconds),
      },
    })
    this.#gates.set(key, gate)
    return gate
  }

  async #enterInformed(gate: ConnectionGate, kind: RequestClass): Promise<RequestPass> {
    const until = this.#now() + WAITS_FOR_OTHERS
    while (this.#isDue(gate)) {
      const left = until - this.#now()
      if (left <= 0) break
      const asked = this.#exchange()
      const hasEnded = new AbortController()
      await Promise.race([asked, pause(left, undefined, { signal: hasEnded.signal }).catch(() => {})])
      hasEnded.abort()
    }
    gate.isAlone = this.#now() - Math.max(this.#knownAsOf, this.#begunAt) > ALONE_AFTER
    return this.#reportingTurns(gate.enter(kind), gate)
  }

  #isDue(gate: ConnectionGate): boolean {
    const now = this.#now()
    const isFresh = now - this.#knownAsOf < COUNTS_FRESH_FOR_MS && this.#knownAsOf >= gate.begunAt
    if (isFresh && gate.unknownToOthers < PORTION) return false
    const hasFailed = this.#asking === null && this.#knownAsOf < this.#askedAt
    return !hasFailed || now - this.#askedAt >= COUNTS_FRESH_FOR_MS
  }

  #reportingTurns(pass: RequestPass, gate: ConnectionGate): RequestPass {
    return {
      over: (status, headers) => {
        pass.over(status, headers)
        if (!gate.hasTurned) return
        if (this.#asking !== null) this.#isToAskAgain = true
        void this.#exchange()
      },
    }
  }

  #exchange(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null
      if (!this.#isToAskAgain) return
      this.#isToAskAgain = false
      void this.#exchange()
    })
    return this.#asking
  }

  /** Never rejects. */
  async #ask(): Promise<void> {
    this.#askedAt = this.#now()
    const told = [...this.#gates].flatMap(([key, gate]) =>
      gate.hasNews && !key.startsWith(' ') ? [{ key, gate, news: gate.takeNews() }] : [],
    )
    try {
      const known = await this.#options.exchange!(
        told.map(({ key, news }) => ({ connectionId: key, ...news })),
      )
      for (const { gate } of told) gate.wasNotified()
      for (const { connectionId, ...knowledge } of known)
        this.#gates.get(connectionId)?.learn(knowledge, this.#askedAt)
      this.#knownAsOf = this.#askedAt
    } catch (error) {
      for (const { gate, news } of told) gate.giveBack(news)
      this.#options.onTrouble?.(error)
    }
  }
}

export const gatedBroker =
  (
    connect: (settings: BrokerConnectionSettings) => Broker,
    gates: Pick<BrokerGates, 'of'>,
  ): ((settings: BrokerConnectionSettings) => Broker) =>
  (settings) =>
    connect({ ...settings, gate: gates.of(settings) })

/** A hash, so that keys cannot be read from it. */
const keysOf = ({ brokerType, baseUrl, credentials }: BrokerConnectionSettings): string =>
  createHash('sha256')
    .update(JSON.stringify([brokerType, baseUrl, credentials]))
    .digest('base64')
