import { fillListings } from '#brokers/fill-listings.ts'
import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { AccountConnection } from '#db/accounts/sync.ts'
import {
  absentFrom,
  acknowledgedDifferences,
  executedPositions,
  knownExecutions,
  knownOrders,
  waitingSignals,
  type KnownOrder,
} from '#db/watch/comparison.ts'
import {
  add,
  compare,
  isPositive,
  isZero,
  multiply,
  negate,
  subtract,
  type Decimal,
} from '#domain/decimal.ts'
import { figure } from '#domain/figures.ts'
import type { Execution } from '#domain/fill.ts'
import { withExecutions, type ExecutedLink } from '#domain/order-executions.ts'
import { isOurs, manualOrderIdIn } from '#domain/manual-order.ts'
import { isTerminal, isWorking, parseClientOrderId, type OrderReport } from '#domain/order.ts'
import { EMPTY, SYNCED, type Comparison, type Difference } from './difference.ts'

/** Throws what the broker or the database throws. `since`: UTC instant, for orders that have ended and executions. */
export async function compareWithBroker(
  em: EntityManager,
  broker: Broker,
  { accountId }: Pick<AccountConnection, 'accountId'>,
  since: string,
): Promise<Comparison> {
  // The ledger is read last, so that what changes meanwhile is not taken for a difference.
  const reported = await ordersAtBroker(broker, since)
  const held = new Map<string, Decimal>()
  for (const { symbol, side, quantity } of await broker.listPositions())
    held.set(symbol, side === 'LONG' ? quantity : negate(quantity))
  const executed: Execution[] = []
  for await (const { fills } of fillListings(broker, since)) executed.push(...fills)
  const atBroker = new Map(
    [...reported].map(([id, report]) => [id, withExecutions(report, executedLinks(report, executed))]),
  )
  const known = await knownOrders(em, accountId, [...atBroker.keys()])
  const executions = await knownExecutions(em, accountId, since)
  const orders = await differingOrders(broker, atBroker, known, await lostOrigins(em, atBroker))
  // Nothing in the service will ever change these: without the word of a person they would be named until they are old.
  const acknowledged = orders.some(isLost) ? await acknowledgedDifferences(em, accountId) : new Set<string>()
  const isDecided = (found: FoundOrder): boolean => isLost(found) && acknowledged.has(found.message)
  const differences: Found[] = [
    ...orders.filter((found) => !isDecided(found)),
    ...(await undecidedSignals(em, atBroker)),
    ...unknownExecutions(executed, executions),
    ...differingPositions(held, executions === null ? null : await executedPositions(em, accountId)),
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
      executions === null
        ? [
            {
              accountId,
              isOfNewAccount: true,
              message: `executions and positions of account ${accountId} could not be compared: the service has not read its executions for the first time yet`,
            },
          ]
        : [],
    accounts: 1,
    orders: new Set([...atBroker.keys(), ...known.map(({ clientOrderId }) => clientOrderId)]).size,
    executions: executed.length,
  }
}

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

async function ordersAtBroker(broker: Broker, since: string): Promise<Map<string, OrderReport>> {
  // Without a limit every one is listed. Those that end between the two questions are in both lists.
  const open = await broker.listOrders({ status: 'open' })
  const closed = await broker.listOrders({ status: 'closed', after: since })
  const ours = [...open, ...closed].filter(({ clientOrderId }) => isOurs(clientOrderId))
  return new Map(ours.map((report) => [report.clientOrderId, report]))
}

async function differingOrders(
  broker: Broker,
  atBroker: ReadonlyMap<string, OrderReport>,
  known: readonly KnownOrder[],
  lost: ReadonlySet<string>,
): Promise<FoundOrder[]> {
  const found: FoundOrder[] = []
  const knownIds = new Set(known.map(({ clientOrderId }) => clientOrderId))
  for (const report of atBroker.values())
    // An order that the broker has refused is none by the ledger.
    if (!knownIds.has(report.clientOrderId) && !isRefused(report)) {
      const isOfLost = lost.has(originOf(report) ?? '')
      found.push({
        key: `order ${report.clientOrderId}`,
        message: `order ${report.clientOrderId} (${report.side} ${figure(report.quantity)} ${report.symbol}, ${stateOf(report)}) is at the broker and not in the ledger`,
        advice: isOfLost ? adviceOfLost(report, [...atBroker.values()]) : SYNCED,
        isOfLost,
      })
    }
  for (const order of known) {
    const report = atBroker.get(order.clientOrderId) ?? (await lookUp(broker, order))
    if (report === null)
      found.push({
        key: `order ${order.clientOrderId}`,
        message: `order ${order.clientOrderId} is ${stateOf(order)} in the ledger, and the broker does not know it`,
        advice: 'when the broker confirms that: npm run admin -- order lost ID --reason TEXT',
      })
    else if (
      isTerminal(report.status) !== isTerminal(order.status) ||
      compare(report.filledQuantity, order.filledQuantity) !== 0
    )
      found.push({
        key: `order ${order.clientOrderId}`,
        message: `order ${order.clientOrderId} is ${stateOf(order)} in the ledger, ${stateOf(report)} at the broker`,
        advice: SYNCED,
      })
  }
  return found
}

const isRefused = ({ status, filledQuantity }: OrderReport): boolean =>
  status === 'REJECTED' && !isPositive(filledQuantity)

const signalOf = ({ clientOrderId }: OrderReport): string | undefined =>
  parseClientOrderId(clientOrderId)?.signalId

const signalsOf = (atBroker: ReadonlyMap<string, OrderReport>): string[] => [
  ...new Set([...atBroker.values()].flatMap((report) => signalOf(report) ?? [])),
]

const originOf = (report: OrderReport): string | null =>
  signalOf(report) ?? manualOrderIdIn(report.clientOrderId)

async function lostOrigins(
  em: EntityManager,
  atBroker: ReadonlyMap<string, OrderReport>,
): Promise<Set<string>> {
  const orderIds = [...atBroker.keys()].flatMap((clientOrderId) => manualOrderIdIn(clientOrderId) ?? [])
  const absent = await absentFrom(em, { signalIds: signalsOf(atBroker), orderIds })
  return new Set([...absent.signalIds, ...absent.orderIds])
}

/** Decided after the state to which the ledger was restored: their orders are out, their exits wait. */
async function undecidedSignals(
  em: EntityManager,
  atBroker: ReadonlyMap<string, OrderReport>,
): Promise<Found[]> {
  return (await waitingSignals(em, signalsOf(atBroker))).map((id) => ({
    key: `undecided ${id}`,
    message: `signal ${id} waits by the ledger, and its order is at the broker`,
    advice: 'approve it: its order is not sent a second time, and its exit follows',
  }))
}

/** Nothing in the service follows the orders of a signal that is lost, or places its exit; nor a manual order that is. */
function adviceOfLost(report: OrderReport, atBroker: readonly OrderReport[]): string {
  const ofSame = atBroker.filter((each) => originOf(each) === originOf(report))
  const net = ofSame.reduce<Decimal>(
    (sum, { side, filledQuantity }) => (side === 'BUY' ? add : subtract)(sum, filledQuantity),
    '0',
  )
  const isOpen = ofSame.some(({ status }) => isWorking(status))
  const [done, undone] = isPositive(net) ? ['bought', 'sold'] : ['sold', 'bought']
  const left = isZero(net)
    ? 'it has sold as much as it has bought'
    : `it has ${done} ${figure(isPositive(net) ? net : negate(net))} ${report.symbol} more than it has ${undone}, and no exit is placed for them: a person has to close what is not wanted`
  const lost =
    signalOf(report) === undefined
      ? 'a manual order that the ledger lacks'
      : 'its signal is not in the ledger'
  return `${lost}, so that nothing follows it: ${isOpen ? 'an order of it still works at the broker; ' : ''}${left}`
}

/** Of orders that have ended only those are compared that the broker lists. */
const lookUp = (broker: Broker, order: KnownOrder): Promise<OrderReport | null> | KnownOrderAsReport =>
  isWorking(order.status) ? broker.getOrder(order.brokerOrderId) : order

type KnownOrderAsReport = Pick<KnownOrder, 'status' | 'filledQuantity'>

const stateOf = ({ status, filledQuantity }: KnownOrderAsReport): string =>
  `${status} with ${figure(filledQuantity)} filled`

function unknownExecutions(
  executed: readonly Execution[],
  known: Awaited<ReturnType<typeof knownExecutions>>,
): Found[] {
  if (known === null) return []
  return executed
    .filter(({ executionId, at }) => !known.ids.has(executionId) && at >= known.since)
    .map(({ executionId, side, quantity, symbol, at }) => ({
      key: `execution ${executionId}`,
      message: `execution ${executionId} (${side} ${figure(quantity)} ${symbol} at ${at}) is at the broker and not in the ledger`,
      advice: SYNCED,
    }))
}

function differingPositions(
  held: ReadonlyMap<string, Decimal>,
  executed: ReadonlyMap<string, Decimal> | null,
): Found[] {
  if (executed === null) return []
  return [...new Set([...held.keys(), ...executed.keys()])].flatMap((symbol) => {
    const [atBroker, byExecutions] = [held.get(symbol) ?? '0', executed.get(symbol) ?? '0']
    if (compare(atBroker, byExecutions) === 0) return []
    const shown = isZero(atBroker) ? 'nothing' : figure(atBroker)
    return [
      {
        key: `position ${symbol}`,
        message: `the broker holds ${shown} of ${symbol}; the executions add up to ${figure(byExecutions)}`,
        advice:
          'a split, a transfer or a change of the symbol needs a person; when the broker confirms its figure: npm run admin -- position accept ACCOUNT SYMBOL --reason TEXT',
      },
    ]
  })
}
