import { compareAccount, differs, lookUp, type ComparedOrder } from '#activities/account/compare.ts'
import type { Broker } from '#brokers/port.ts'
import type { AccountConnection } from '#db/account/sync.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { absentSignals, acknowledgedDifferences, waitingSignals } from '#db/watch/comparison.ts'
import type { PositionDifference } from '#domain/alert/alert.ts'
import {
  add,
  isPositive,
  isZero,
  multiply,
  negate,
  subtract,
  type Decimal,
  figure,
} from '#domain/money/decimal.ts'
import type { Execution } from '#domain/order/fill.ts'
import { withExecutions, type ExecutedLink } from '#domain/order/changes.ts'
import { isWorking, parseClientOrderId, type OrderReport } from '#domain/order/order.ts'
import type { WatchGateway } from '../temporal/watch-gateway.ts'
import { workflowOf } from '../supervisor/supervisor.ts'
import { TEMPORAL_LIST_LAG_MS } from '#db/watch/failing-workflows.ts'
import { startedInSlices } from '#db/watch/open-work.ts'
import { workflowIdFor } from '#domain/signal/signal.ts'

/**
 * Compares without changing anything. Throws errors of broker and database.
 * @param since UTC instant, for ended orders and executions
 */
export async function compareWithBroker(
  em: EntityManager,
  broker: Broker,
  { accountId }: Pick<AccountConnection, 'accountId'>,
  since: string,
): Promise<Comparison> {
  const compared = await compareAccount({ em, broker, accountId }, since)
  const { executed, unknownExecutions, positions } = compared
  const atBroker = compared.orders.flatMap(({ listed }) => listed ?? [])
  const signalIds = [...new Set(atBroker.flatMap((report) => signalOf(report) ?? []))]
  const lost = new Set(await absentSignals(em, signalIds))
  const orders: FoundOrder[] = []
  for (const { known, listed } of compared.orders) {
    const report = listed && withExecutions(listed, executedLinks(listed, executed))
    if (known === null) orders.push(notInLedger(report!, lost, atBroker))
    else orders.push(...(await differing(broker, { known, listed: report })))
  }
  // The service never changes lost orders: unacknowledged, they would be reported until they are old.
  const acknowledged = orders.some(isLost) ? await acknowledgedDifferences(em, accountId) : new Set<string>()
  const isDecided = (found: FoundOrder): boolean => isLost(found) && acknowledged.has(found.message)
  const differences: Found[] = [
    ...orders.filter((found) => !isDecided(found)),
    ...(await waitingSignals(em, signalIds)).map(undecided),
    ...(unknownExecutions?.found ?? []).map(unknown),
    ...positions.map(differingPosition),
  ]
  return {
    ...EMPTY,
    differences: differences.map(({ key, message, advice }) => ({
      key: `${accountId} ${key}`,
      from: 'broker',
      accountId,
      message,
      advice,
    })),
    acknowledged: orders.filter(isDecided).length,
    failures:
      unknownExecutions === null
        ? [
            {
              accountId,
              isOfNewAccount: true,
              message: `executions and positions of account ${accountId} could not be compared: the service has not read its executions for the first time yet`,
            },
          ]
        : [],
    accounts: 1,
    orders: compared.orders.length,
    executions: executed.length,
  }
}

/** A replaced order's report counts less than all its ids' executions. */
const executedLinks = ({ links = [] }: OrderReport, executed: readonly Execution[]): ExecutedLink[] =>
  links.map(({ brokerOrderId }) => {
    const own = executed.filter((each) => each.brokerOrderId === brokerOrderId)
    return {
      brokerOrderId,
      quantity: own.reduce<Decimal>((sum, { quantity }) => add(sum, quantity), '0'),
      value: own.reduce<Decimal>((sum, { quantity, price }) => add(sum, multiply(quantity, price)), '0'),
      lastAt: own.at(-1)?.at ?? null,
    }
  })

type Found = Omit<Difference, 'accountId' | 'from'>

type FoundOrder = Found & { isOfLost?: boolean }

const isLost = ({ isOfLost }: FoundOrder): boolean => isOfLost === true

const notInLedger = (
  report: OrderReport,
  lost: ReadonlySet<string>,
  atBroker: readonly OrderReport[],
): FoundOrder => {
  const isOfLost = lost.has(signalOf(report) ?? '')
  return {
    key: `order ${report.clientOrderId}`,
    message: `order ${report.clientOrderId} (${report.side} ${figure(report.quantity)} ${report.symbol}, ${stateOf(report)}) is at the broker and not in the ledger`,
    advice: isOfLost ? adviceOfLost(report, atBroker) : SYNCED,
    isOfLost,
  }
}

/** Ended orders are compared only if the broker lists them. */
async function differing(broker: Broker, { known, listed }: ComparedOrder): Promise<FoundOrder[]> {
  if (known === null || (listed === null && known.ended)) return []
  const report = listed ?? (await lookUp(broker, known))
  const [key, inLedger] = [`order ${known.clientOrderId}`, `is ${stateOf(known)} in the ledger`]
  if (report === null)
    return [
      {
        key,
        message: `order ${known.clientOrderId} ${inLedger}, and the broker does not know it`,
        advice:
          'the service asks for it for a minute, and ends it unless the position says that it may have filled; when the broker confirms that it is none: npm run admin -- order lost ID --reason TEXT',
      },
    ]
  if (!differs(known, report)) return []
  const message = `order ${known.clientOrderId} ${inLedger}, ${stateOf(report)} at the broker`
  return [{ key, message, advice: SYNCED }]
}

const signalOf = ({ clientOrderId }: OrderReport): string | undefined =>
  parseClientOrderId(clientOrderId)?.signalId

/** Decided after the restored state. */
const undecided = (id: string): Found => ({
  key: `undecided ${id}`,
  message: `signal ${id} waits by the ledger, and its order is at the broker`,
  advice: 'approve it: its order is not sent a second time, and its exit follows',
})

/** The service neither follows a lost signal's orders nor places its exit. */
function adviceOfLost(report: OrderReport, atBroker: readonly OrderReport[]): string {
  const ofSame = atBroker.filter((each) => signalOf(each) === signalOf(report))
  const net = ofSame.reduce<Decimal>(
    (sum, { side, filledQuantity }) => (side === 'BUY' ? add : subtract)(sum, filledQuantity),
    '0',
  )
  const isOpen = ofSame.some(({ status }) => isWorking(status))
  const [done, undone] = isPositive(net) ? ['bought', 'sold'] : ['sold', 'bought']
  const left = isZero(net)
    ? 'it has sold as much as it has bought'
    : `it has ${done} ${figure(isPositive(net) ? net : negate(net))} ${report.symbol} more than it has ${undone}, and no exit is placed for them: a person has to close what is not wanted`
  return `its signal is not in the ledger, so that nothing follows it: ${isOpen ? 'an order of it still works at the broker; ' : ''}${left}`
}

const stateOf = ({ status, filledQuantity }: Pick<OrderReport, 'status' | 'filledQuantity'>): string =>
  `${status} with ${figure(filledQuantity)} filled`

const unknown = ({ executionId, side, quantity, symbol, at }: Execution): Found => ({
  key: `execution ${executionId}`,
  message: `execution ${executionId} (${side} ${figure(quantity)} ${symbol} at ${at}) is at the broker and not in the ledger`,
  advice: SYNCED,
})

const differingPosition = ({ symbol, shown, executed }: PositionDifference): Found => ({
  key: `position ${symbol}`,
  message: `the broker holds ${isZero(shown) ? 'nothing' : figure(shown)} of ${symbol}; the executions add up to ${figure(executed)}`,
  advice:
    'a split, a transfer or a change of the symbol needs a person; when the broker confirms its figure: npm run admin -- position accept ACCOUNT SYMBOL --reason TEXT',
})

const COMPARISON_LIMIT_MS = 10_000

const WORKFLOW_ID = /^signal-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

export async function compareWithTemporal(
  em: EntityManager,
  gateway: Pick<WatchGateway, 'inspect' | 'listRunning'>,
): Promise<Comparison> {
  try {
    const running = await gateway.listRunning(COMPARISON_LIMIT_MS)
    const startedBefore = new Date(Date.now() - TEMPORAL_LIST_LAG_MS).toISOString()
    const expected: { workflowId: string; accountId: string | null }[] = []
    for await (const slice of startedInSlices(em, startedBefore))
      for (const each of slice) expected.push({ workflowId: workflowOf(each), accountId: each.accountId })
    const missing: typeof expected = []
    for (const each of expected)
      if (
        !running.has(each.workflowId) &&
        (await gateway.inspect(each.workflowId, COMPARISON_LIMIT_MS)) === null
      )
        missing.push(each)
    const differences = [...missing.map(asMissing), ...(await unknownToLedger(em, running))]
    const workflows = new Set([...running.keys(), ...expected.map(({ workflowId }) => workflowId)]).size
    return { ...EMPTY, differences, workflows }
  } catch (error) {
    return {
      ...EMPTY,
      failures: [{ accountId: null, message: `Temporal could not be asked: ${wordsOf(error)}` }],
    }
  }
}

const asMissing = ({
  workflowId,
  accountId,
}: {
  workflowId: string
  accountId: string | null
}): Difference => ({
  key: `missing ${workflowId}`,
  from: 'temporal',
  accountId,
  message: `${workflowId} is not over by the ledger, and no workflow runs in Temporal`,
  advice: 'the service starts it again from the ledger: see that it runs (/readyz)',
})

async function unknownToLedger(
  em: EntityManager,
  running: ReadonlyMap<string, string | null>,
): Promise<Difference[]> {
  const ids = [...running.keys()].flatMap((workflowId) => WORKFLOW_ID.exec(workflowId)?.[1] ?? [])
  const workflows = (await absentSignals(em, ids)).map(workflowIdFor)
  return workflows.map((workflowId) => ({
    key: `unknown ${workflowId}`,
    from: 'temporal',
    accountId: running.get(workflowId) ?? null,
    message: `${workflowId} runs in Temporal, and the ledger does not know it`,
    advice: 'the ledger is older than it: see its orders at the broker, then terminate it in Temporal',
  }))
}

export interface Difference {
  key: string
  from: 'temporal' | 'broker'
  accountId: string | null
  message: string
  advice: string
}

export const SYNCED = 'the service takes it up with the next sync of the account'

export interface Failure {
  accountId: string | null
  message: string
  /** The service will read its executions for the first time. */
  isOfNewAccount?: true
}

export interface Comparison {
  differences: Difference[]
  /** Orders missing from the ledger that a person acknowledged. */
  acknowledged: number
  failures: Failure[]
  workflows: number
  accounts: number
  orders: number
  executions: number
}

export const EMPTY: Comparison = {
  differences: [],
  acknowledged: 0,
  failures: [],
  workflows: 0,
  accounts: 0,
  orders: 0,
  executions: 0,
}

export const together = (parts: readonly Comparison[]): Comparison =>
  parts.reduce(
    (sum, part) => ({
      differences: [...sum.differences, ...part.differences],
      acknowledged: sum.acknowledged + part.acknowledged,
      failures: [...sum.failures, ...part.failures],
      workflows: sum.workflows + part.workflows,
      accounts: sum.accounts + part.accounts,
      orders: sum.orders + part.orders,
      executions: sum.executions + part.executions,
    }),
    EMPTY,
  )

export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
