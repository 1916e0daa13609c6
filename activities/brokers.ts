import type { Broker, BrokerConnectionSettings, RequestClass } from '#brokers/port.ts'
import { describeBrokerType, type BrokerType } from '#domain/account/broker-types.ts'
import { findAccountConnection, type AccountConnection } from '#db/account/sync.ts'
import { openCredentials } from '#db/broker/credentials.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { EncryptionKeys } from '#db/broker/secret-box.ts'
import { readClockOffset } from '#brokers/clock-offset.ts'
import { readSessions } from '#brokers/sessions.ts'
import { calendarFault } from '#domain/time/judged-calendar.ts'
import { nyseSessions } from '#domain/time/nyse.ts'
import { CALENDAR_REACH_DAYS, type TradingSession } from '#domain/time/session.ts'
import { DAY_MS } from '#domain/time/instants.ts'
import { addDays } from '#domain/time/wall-time.ts'
import { readEntryMarket, type PriceQuestion } from '#brokers/entry-market.ts'
import type { OrderCosts } from '#domain/risk/buying-power.ts'
import type { EntryMarket, MarketNeeds } from '#domain/risk/entry-check.ts'
import type { BrokerKeeping } from '#domain/exit/protection.ts'
import { SESSIONS_BACK } from '#domain/risk/market-price.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'

interface Known {
  broker: Broker
  brokerType: string
  fingerprint: string
  readAt: number
}

const SETTINGS_FRESH_FOR_MS = 30_000

/** Opens brokers in the worker: credentials never enter a workflow's history. */
export class BrokerDirectory {
  readonly #em: EntityManager
  readonly #secretKeys: EncryptionKeys
  readonly #connect: (settings: BrokerConnectionSettings) => Broker
  readonly #requestTimeoutMs: number
  readonly #requestClass: RequestClass
  readonly #known = new Map<string, Known>()

  constructor(
    em: EntityManager,
    secretKeys: EncryptionKeys,
    connect: (settings: BrokerConnectionSettings) => Broker,
    requestTimeoutMs: number,
    requestClass: RequestClass,
  ) {
    this.#em = em
    this.#secretKeys = secretKeys
    this.#connect = connect
    this.#requestTimeoutMs = requestTimeoutMs
    this.#requestClass = requestClass
  }

  /** @throws UnknownAccount when the account does not exist (any more) */
  async forAccount(accountId: string): Promise<Broker> {
    return (await this.#read(accountId)).broker
  }

  async typeOf(accountId: string): Promise<BrokerType> {
    return describeBrokerType((await this.#read(accountId)).brokerType)
  }

  async #read(accountId: string): Promise<Known> {
    const known = this.#known.get(accountId)
    if (known && Date.now() - known.readAt < SETTINGS_FRESH_FOR_MS) return known
    const connection = await findAccountConnection(this.#em, accountId)
    if (!connection) throw new UnknownAccount(`there is no account ${accountId}`)
    const fingerprint = JSON.stringify(connection)
    const broker = known?.fingerprint === fingerprint ? known.broker : this.#open(connection)
    const read = { broker, brokerType: connection.brokerType, fingerprint, readAt: Date.now() }
    this.#known.set(accountId, read)
    return read
  }

  #open(connection: AccountConnection): Broker {
    const { brokerType, baseUrl, brokerId: connectionId } = connection
    const credentials = openCredentials(this.#secretKeys, connection)
    const [requestTimeoutMs, requestClass] = [this.#requestTimeoutMs, this.#requestClass]
    return this.#connect({
      brokerType,
      baseUrl,
      credentials,
      requestTimeoutMs,
      connectionId,
      requestClass,
    })
  }

  forget(accountId: string): void {
    this.#known.delete(accountId)
  }
}

class UnknownAccount extends Error {
  override readonly name = 'UnknownAccount'
}

/** Milliseconds. */
const MEASURED_WITHIN = 60_000

export class BrokerClocks {
  readonly #brokerFor: (accountId: string) => Promise<Broker>
  readonly #now: () => number
  /** `setTo`: our wall clock then, less the monotonic clock. */
  readonly #known = new Map<string, { offset: number; measuredAt: number; setTo: number }>()

  constructor(brokerFor: (accountId: string) => Promise<Broker>, now: () => number) {
    this.#brokerFor = brokerFor
    this.#now = now
  }

  /** Milliseconds that the broker's clock is ahead, or null if never known: an exit does not wait for a clock. */
  async offsetOf(accountId: string): Promise<number | null> {
    const known = this.#known.get(accountId)
    // Our clock may have been set since.
    const setTo = this.#now() - performance.now()
    const sinceThen = known ? Math.round(known.offset + known.setTo - setTo) : null
    if (known && this.#now() - known.measuredAt < MEASURED_WITHIN) return sinceThen
    try {
      const offset = await readClockOffset(await this.#brokerFor(accountId), this.#now)
      if (this.#known.size >= 1_000) this.#known.clear()
      const measuredAt = this.#now()
      this.#known.set(accountId, { offset, measuredAt, setTo: measuredAt - performance.now() })
      return offset
    } catch {
      // The feed reports silent brokers.
      return sinceThen
    }
  }
}

/** Calendars hardly ever change. */
const CALENDAR_REMEMBERED_FOR_MS = 3_600_000
/** Milliseconds, for orders. */
const CALENDAR_FRESH_FOR_MS = 60_000
/** Remembers each checked answer for an hour, but no failure. */
export class SessionCalendar {
  readonly #brokerFor: (accountId: string) => Promise<Broker>
  readonly #now: () => number
  readonly #known = new Map<string, { sessions: TradingSession[]; readAt: number }>()
  readonly #readings = new Map<string, Promise<TradingSession[]>>()

  constructor(brokerFor: (accountId: string) => Promise<Broker>, now: () => number) {
    this.#brokerFor = brokerFor
    this.#now = now
  }

  /**
   * Sessions from the day before the instant to two weeks after it and now. Throws as {@link readSessions}.
   * @param readWithin milliseconds; an older answer is read again
   */
  async sessionsFrom(
    accountId: string,
    instant: string,
    readWithin: number = CALENDAR_REMEMBERED_FOR_MS,
  ): Promise<TradingSession[]> {
    const known = this.remembered(accountId, instant, readWithin)
    if (known !== null) return known
    const key = keyOf(accountId, instant)
    const under = this.#readings.get(key)
    if (under) return under
    const reading = this.#read(accountId, instant).finally(() => this.#readings.delete(key))
    this.#readings.set(key, reading)
    return reading
  }

  remembered(
    accountId: string,
    instant: string,
    readWithin: number = CALENDAR_REMEMBERED_FOR_MS,
  ): TradingSession[] | null {
    const known = this.#known.get(keyOf(accountId, instant))
    if (known === undefined || this.#now() - known.readAt >= readWithin) return null
    return calendarFault(known.sessions, this.#latest(instant)) === null ? known.sessions : null
  }

  forget(accountId: string, instant: string): void {
    this.#known.delete(keyOf(accountId, instant))
  }

  /** Sessions read within the last minute, or within the hour where the calendar cannot be read. */
  async sessionsNow(accountId: string, instant: string): Promise<TradingSession[]> {
    try {
      return await this.sessionsFrom(accountId, instant, CALENDAR_FRESH_FOR_MS)
    } catch (error) {
      const known = this.remembered(accountId, instant)
      if (known !== null) return known
      throw error
    }
  }

  /** Falls back to the broker's answer within the hour, then to the rules of the exchange. */
  async sessionsByAnyMeans(
    accountId: string,
    instant: string,
    readWithin?: number,
  ): Promise<readonly TradingSession[]> {
    try {
      return await this.sessionsFrom(accountId, instant, readWithin)
    } catch {
      const today = instant.slice(0, 10)
      return this.remembered(accountId, instant) ?? nyseSessions(addDays(today, -1), addDays(today, 7))
    }
  }

  #latest(instant: string): string {
    return new Date(Math.max(Date.parse(instant), this.#now())).toISOString()
  }

  async #read(accountId: string, instant: string): Promise<TradingSession[]> {
    const broker = await this.#brokerFor(accountId)
    const after = this.#latest(instant)
    const days = {
      from: firstDay(instant),
      to: dateOf(Date.parse(after) + CALENDAR_REACH_DAYS * DAY_MS),
      after,
    }
    const sessions = await readSessions(broker, days)
    if (this.#known.size >= 1_000) this.#known.clear()
    this.#known.set(keyOf(accountId, instant), { sessions, readAt: this.#now() })
    return sessions
  }
}

const keyOf = (accountId: string, instant: string): string => `${accountId} ${firstDay(instant)}`
const firstDay = (instant: string): string => dateOf(Date.parse(instant) - DAY_MS)
const dateOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10)

export interface MarketDependencies {
  calendar: SessionCalendar
  /** IANA zone of the account's broker. */
  zoneOf(accountId: string): Promise<string>
  orderCostsOf(accountId: string): Promise<OrderCosts>
  keepingOf(accountId: string): Promise<BrokerKeeping>
  now(): number
}

export async function askMarket(
  { calendar, zoneOf, orderCostsOf, keepingOf, now }: MarketDependencies,
  broker: Broker,
  { accountId, symbol }: Pick<SignalTerms, 'accountId' | 'symbol'>,
  needs: MarketNeeds,
): Promise<EntryMarket> {
  const at = now()
  return readEntryMarket(broker, { symbol }, needs, {
    sessions: () => calendar.sessionsFrom(accountId, new Date(at).toISOString()),
    zone: await zoneOf(accountId),
    orderCosts: await orderCostsOf(accountId),
    keeping: await keepingOf(accountId),
    now: at,
    prices: priceQuestion({ calendar }, accountId, at),
  })
}

export const priceQuestion = (
  { calendar }: { calendar: Pick<SessionCalendar, 'sessionsFrom'> },
  accountId: string,
  askedAt: number,
): PriceQuestion => ({
  askedAt,
  recentSessions: () =>
    calendar.sessionsFrom(accountId, new Date(askedAt - SESSIONS_BACK * DAY_MS).toISOString()),
})
