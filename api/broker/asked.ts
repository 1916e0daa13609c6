import {
  BrokerBudgetSpent,
  BrokerBusy,
  BrokerCredentialsError,
  BrokerOutcomeUnknown,
  BrokerPricesUnavailable,
  type Broker,
  type BrokerConnectionSettings,
  type RequestClass,
} from '#brokers/port.ts'
import type { AccountConnection } from '#db/account/sync.ts'
import { openCredentials } from '#db/broker/credentials.ts'
import type { EncryptionKeys } from '#db/broker/secret-box.ts'
import { ApiError } from '#contract/errors.ts'
import { costOfShare, type OrderCosts } from '#domain/risk/buying-power.ts'
import { add, multiply, smaller, subtract, type Decimal } from '#domain/money/decimal.ts'
import { isReducing, isTerminal, type OrderReport } from '#domain/order/order.ts'

export interface BrokerAccess {
  connectBroker(settings: BrokerConnectionSettings): Broker
  secretKeys: EncryptionKeys
  /** Milliseconds for one broker request. */
  brokerTimeout: number
  requestClass?: RequestClass
}

export const connectTo = (access: BrokerAccess, connection: AccountConnection): Broker =>
  access.connectBroker({
    brokerType: connection.brokerType,
    baseUrl: connection.baseUrl,
    credentials: openCredentials(access.secretKeys, connection),
    requestTimeoutMs: access.brokerTimeout,
    connectionId: connection.brokerId,
    requestClass: access.requestClass ?? 'show',
  })

/** Throws BROKER_CREDENTIALS_INVALID, BROKER_SHARE_SPENT and BROKER_ERROR. */
export async function askBroker<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof BrokerCredentialsError)
      throw new ApiError('BROKER_CREDENTIALS_INVALID', { message: error.message, cause: error })
    if (error instanceof BrokerBudgetSpent) {
      const seconds = Math.max(1, Math.ceil(error.retryAfterMs / 1_000))
      throw new ApiError('BROKER_SHARE_SPENT', { headers: { 'Retry-After': String(seconds) }, cause: error })
    }
    if (
      error instanceof BrokerBusy ||
      error instanceof BrokerOutcomeUnknown ||
      error instanceof BrokerPricesUnavailable
    )
      throw new ApiError('BROKER_ERROR', { message: error.message, cause: error })
    throw error
  }
}

const MAX_ANSWERS_KEPT = 2_000

interface Kept {
  until: number
  mark: string
  answer: Promise<unknown>
}

/** Concurrent callers share an answer. Errors are not kept. */
export class KeptAnswers {
  readonly #kept = new Map<string, Kept>()
  readonly #life: number
  readonly #most: number
  readonly #now: () => number

  /**
   * @param life milliseconds
   * @param most answers kept; the oldest go first
   */
  constructor({
    life,
    most = MAX_ANSWERS_KEPT,
    now = Date.now,
  }: {
    life: number
    most?: number
    now?: () => number
  }) {
    this.#life = life
    this.#most = most
    this.#now = now
  }

  find<T>(key: string, mark = ''): Promise<T> | undefined {
    const kept = this.#kept.get(key)
    return kept !== undefined && kept.mark === mark && this.#now() < kept.until
      ? (kept.answer as Promise<T>)
      : undefined
  }

  /** @param mark state that the answer depends on */
  ask<T>(key: string, ask: () => Promise<T>, mark = ''): Promise<T> {
    const kept = this.find<T>(key, mark)
    if (kept) return kept
    const answer = ask()
    this.keep(key, answer, mark)
    return answer
  }

  keep(key: string, answer: Promise<unknown>, mark = ''): void {
    const now = this.#now()
    const kept = { until: now + this.#life, mark, answer }
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    // Only waiting callers receive the error.
    answer.catch(() => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key)
    })
    for (const [oldest, { until }] of this.#kept) {
      if (this.#kept.size <= this.#most && until > now) break
      this.#kept.delete(oldest)
    }
  }
}

const QUESTIONS = [
  'getAccount',
  'getAsset',
  'getClock',
  'getLastPrice',
  'getOrder',
  'getPosition',
  'getQuotes',
  'listOrders',
  'listPositions',
  'listSessions',
] as const satisfies (keyof Broker)[]
type Question = (typeof QUESTIONS)[number]
type Look = Pick<Broker, Question>

const MAX_ROUNDS = 20

class NotAskedYet extends Error {
  override readonly name = 'NotAskedYet'
}

/**
 * Repeats `run` until its questions are answered: no run waits for the broker. Throws the last run's error, and at once
 * a final error or {@link BrokerCredentialsError}.
 */
export async function withAnswers<T>(
  broker: Look,
  orderCosts: OrderCosts,
  run: (known: Broker) => Promise<T>,
  isFinal: (error: unknown) => boolean,
): Promise<T> {
  const answers = new Map<string, Promise<unknown>>()
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const open = new Map<string, () => Promise<unknown>>()
    const ask = (question: Question, ...args: unknown[]): Promise<unknown> => {
      const key = JSON.stringify([question, ...args])
      const answer = answers.get(key)
      if (answer) return answer
      open.set(key, () => (broker[question] as (...given: unknown[]) => Promise<unknown>)(...args))
      return Promise.reject(new NotAskedYet(key))
    }
    const ended = await run(without(ask, orderCosts)).then(
      (value) => () => value,
      (error: unknown) => {
        if (open.size === 0 || isFinal(error)) throw error
        return null
      },
    )
    if (open.size === 0) return ended!()
    const asked = [...open].map(async ([key, question]) => {
      const answer = question()
      answers.set(key, answer)
      await answer.catch((error: unknown) => {
        if (error instanceof BrokerCredentialsError) throw error
      })
    })
    await Promise.all(asked)
  }
  throw new Error(`a dry run had open questions after ${MAX_ROUNDS} rounds`)
}

/** Simulates cancels in later answers only. */
function without(
  ask: (question: Question, ...args: unknown[]) => Promise<unknown>,
  costs: OrderCosts,
): Broker {
  const told = Object.fromEntries(
    QUESTIONS.map((question) => [question, (...args: unknown[]) => ask(question, ...args)]),
  ) as unknown as Look
  const cancelled = new Map<string, OrderReport>()
  const open = ({ quantity, filledQuantity }: OrderReport): Decimal => subtract(quantity, filledQuantity)
  const known: Partial<Broker> = {
    ...told,
    // A new signal has no order.
    findOrder: () => Promise.resolve(null),
    getOrder: async (id) => cancelled.get(id) ?? (await told.getOrder(id)),
    async cancelOrder(id) {
      const report = await told.getOrder(id)
      if (report === null || isTerminal(report.status)) return 'too_late'
      cancelled.set(id, { ...report, status: 'CANCELLED' })
      return 'requested'
    },
    listOrders: async (query) =>
      (await told.listOrders(query)).filter(({ brokerOrderId }) => !cancelled.has(brokerOrderId)),
    async getPosition(symbol) {
      const position = await told.getPosition(symbol)
      if (position === null) return null
      const freed = [...cancelled.values()]
        .filter((order) => order.symbol === symbol && isReducing(order.side))
        .reduce((sum, order) => add(sum, open(order)), position.availableQuantity)
      return { ...position, availableQuantity: smaller(position.quantity, freed) }
    },
    async getAccount() {
      const account = await told.getAccount()
      const buyingPower = [...cancelled.values()]
        .filter(({ side }) => !isReducing(side))
        // The ask of another short sale is unknown; it reserves about its limit.
        .map((order) => multiply(open(order), costOfShare(order, null, costs) ?? order.limitPrice ?? '0'))
        .reduce((sum, cost) => add(sum, cost), account.buyingPower)
      return { ...account, buyingPower }
    },
  }
  return known as Broker
}
