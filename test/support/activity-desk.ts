import { randomUUID } from 'node:crypto'
import { exitBegins } from '#domain/exit/progress.ts'
import type {
  Activities,
  OrderAttempt,
  PreparedEntry,
  SizedExit,
  SubmitOrderInput,
  SubmitOrderResult,
} from '#activities/contract.ts'
import { createActivities } from '#activities/index.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Account, Signal } from '#db/entities/index.ts'
import { insertToken } from '#db/identity/token-management.ts'
import { saveRiskSettings } from '#db/risk/settings.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { termsOf } from '#db/signal/terms.ts'
import { recordFills } from '#db/position/fills.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import type { Execution } from '#domain/order/fill.ts'
import type { ByHandTerms } from '#domain/signal/by-hand.ts'
import type { OrderReport, OrderRequest } from '#domain/order/order.ts'
import type { RiskSettings } from '#domain/risk/limits.ts'
import type { TradingSession } from '#domain/time/session.ts'
import { ENTRY_SIDE } from '#domain/signal/signal.ts'
import { useDatabase } from './database.ts'
import { createAccount, createSignal, orderReport, withFill } from './factories.ts'
import { aFill } from './fills.ts'
import type { ByHandChanges } from './by-hand-terms.ts'
import { placedByHand, store, termsOn } from './placed-by-hand.ts'
import { exitAtOnce } from './sample-signal.ts'
import { ScriptedBroker } from './scripted-broker.ts'
import { secretKeys } from './secret-keys.ts'

type Wiring = Parameters<typeof createActivities>[0]

/** An account at a scripted broker, and the activities of a worker that serves it. */
export class ActivityDesk {
  /** Itself, to be named beside its parts. */
  readonly desk = this
  readonly em: EntityManager
  account: Account
  broker = new ScriptedBroker()
  activities: Activities

  constructor(em: EntityManager, account: Account, wiring: Partial<Wiring>) {
    this.em = em
    this.account = account
    this.activities = this.activitiesWith({ liveTrading: true, ...wiring })
  }

  /** Those of another worker. */
  activitiesWith = (wiring: Partial<Wiring> = {}): Activities =>
    createActivities({
      em: this.em,
      secretKeys,
      connectBroker: () => this.broker,
      requestTimeoutMs: 4_000,
      ...wiring,
    })

  get owner() {
    return { accountId: this.account.id, userId: this.account.userId }
  }

  /** A signal as it is accepted: buys 10 AAPL at market. */
  accepted = (fields: Partial<Signal> = {}): Promise<Signal> =>
    createSignal(this.em, { accountId: this.account.id, ...fields })
  /** A signal whose entry of ten shares has just filled. */
  opened = async (fields: Partial<Signal> = {}): Promise<Signal> => {
    const signal = await this.accepted(fields)
    await recordAccepted(this.em, filledNow(orderReport(signal)))
    return signal
  }
  prepare = (signal: Signal): Promise<PreparedEntry> => this.activities.prepareEntry(termsOf(signal))
  attempt = (signal: Signal): Promise<OrderAttempt<PreparedEntry>> =>
    this.activities.attemptEntry(termsOf(signal))
  /** The size of an exit of ten long shares. */
  size = (signal: Signal, changes: object = {}): Promise<SizedExit> =>
    this.activities.sizeExit({
      signalId: signal.id,
      generation: 1,
      accountId: this.account.id,
      symbol: 'AAPL',
      side: 'SELL',
      filledQuantity: '10',
      rule: exitAtOnce,
      reason: 'TIME',
      coveredQuantity: '0',
      failures: 0,
      progress: exitBegins(),
      ...changes,
    })
  submit = (request: OrderRequest, more: Partial<SubmitOrderInput> = {}): Promise<SubmitOrderResult> =>
    this.activities.submitOrder({
      accountId: this.account.id,
      request,
      unknownSince: null,
      sendBefore: null,
      ...more,
    })
  /** An order by hand on record, not sent yet. */
  placed = (changes: ByHandChanges = {}): Promise<ByHandTerms> => placedByHand(this.em, this.account, changes)
  /** An order by hand that a token has placed, or a person where there is none. */
  placedBy = async (tokenId: string | null, changes: ByHandChanges = {}): Promise<ByHandTerms> => {
    const terms = termsOn(this.account, changes)
    await store(this.em, terms, null, tokenId)
    return terms
  }
  /** A token of the account's user; answers its id. */
  mint = (changes: Partial<Parameters<typeof insertToken>[1]> = {}): Promise<string> =>
    insertToken(this.em, {
      userId: this.account.userId,
      kind: 'access',
      label: 'alerts',
      hash: randomUUID(),
      prefix: 'dt_',
      scopes: ['signals:write', 'orders:write'],
      expiresAt: new Date(Date.now() + 3_600_000),
      ...changes,
    })
  /** An attempt to decide that has read the ledger, and whose broker does not answer until it is to go on. */
  stuckAtBroker = async (prepare: () => Promise<PreparedEntry>) => {
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    this.broker.latency = () => {
      this.broker.latency = () => {}
      asked.resolve()
      return answered.promise
    }
    const late = prepare()
    await asked.promise
    return { late, goOn: answered.resolve }
  }
  setLimits = (limits: RiskSettings): Promise<unknown> =>
    saveRiskSettings(this.em, this.account.userId, this.account.id, limits)
  /** The broker lists executions of this moment. */
  lists = async (...executions: Partial<Execution>[]): Promise<void> => {
    const fills = executions.map((fields) => aFill({ at: executionTime(), ...fields }))
    await recordFills(this.em, this.owner, { fills, fees: [], until: null })
  }
}

/**
 * Gives the tests of the enclosing block a database of their own, and a desk on it anew before each of them.
 *
 * @param wiring of its worker, made anew for each
 */
export function useDesk(
  opened: (desk: ActivityDesk) => unknown,
  wiring: (em: EntityManager) => Partial<Wiring> = () => ({}),
): void {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })
  beforeEach('opens a desk', async () => {
    await opened(new ActivityDesk(em, await createAccount(em), wiring(em)))
  })
}

/** This moment, or one so many seconds later, as executions carry it. */
export const executionTime = (secondsLater = 0): string =>
  new Date(Date.now() + secondsLater * 1_000).toISOString().replace('Z', '000Z')

/** The order with that much of it filled at this moment. */
export const filledNow = (report: OrderReport, quantity: Decimal = report.quantity): OrderReport => ({
  ...withFill(report, quantity),
  filledAt: new Date().toISOString(),
})

/** The exchange is open all day yesterday, today and tomorrow. */
export const allDaySessions = (): TradingSession[] =>
  [-1, 0, 1].map((days) => {
    const date = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
    const opensAt = `${date}T00:00:00.000Z`
    return { date, opensAt, closesAt: new Date(Date.parse(opensAt) + 86_400_000).toISOString() }
  })

/** The code of a denial, and every other outcome in a word. */
export const codeOf = (decision: { outcome: string } | { outcome: 'denied'; code: string }): string =>
  'code' in decision ? decision.code : decision.outcome

/** What a decision has come to: size, with the side of an order by hand, or the code of a denial, or the outcome. */
export const shownOf = (decision: PreparedEntry): string =>
  decision.outcome === 'ready'
    ? `${decision.action ? `${ENTRY_SIDE[decision.action]} ` : ''}${decision.quantity}`
    : codeOf(decision)
