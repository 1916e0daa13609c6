import { add, compare, isPositive, subtract, type Decimal } from '#domain/decimal.ts'
import { isWorking } from '#test/support/scripted-alpaca/books.ts'
import type { Desk } from '#test/stories/desk.ts'

/** What was wanted in a life, and what was answered. */
export interface LifeRecord {
  symbol: string
  signalId: string
  /** HTTP status of the answer to the entry. */
  status: number
  wantsExit: boolean
  /** Closing signals that were accepted. */
  closings: { signalId: string; status: number }[]
  /** Shares that its owner has sold at the broker's own site. */
  bySite: number
}

/** Requests of an account in a minute that a broker allows. */
const REQUESTS_A_MINUTE = 200
const MINUTE = 60_000
/** How a signal ends without its order. */
const UNDONE: ReadonlySet<string> = new Set(['rejected', 'error'])
const ON_THE_WAY: ReadonlySet<string> = new Set(['queued', 'transmitted', 'pending', 'scheduled'])

/** Which promises a life has not kept, or not yet. */
export async function violationsOf(desk: Desk, record: LifeRecord): Promise<string[]> {
  const { symbol, signalId, wantsExit } = record
  const { broker } = desk
  const found: string[] = []
  const entries = desk.orders(signalId, 'entry')
  const exits = desk.orders(signalId, 'exit')
  const bought = entries.reduce<Decimal>((sum, { filled_qty }) => add(sum, filled_qty), '0')
  if (entries.length > 1) found.push(`${entries.length} entries are at the broker`)
  if (exits.filter(isWorking).length > 1) found.push('two exits work at once')
  if (compare(lowestOf(desk, symbol), '0') < 0) found.push('more was sold than was held')

  const signal = await desk.shown(signalId)
  const alerts = (await desk.alerts('all')).filter((alert) => alert.signalId === signalId)
  const isAlarmed = alerts.some(({ resolvedAt }) => resolvedAt === null)
  if (ON_THE_WAY.has(signal.status)) found.push(`the signal is still ${signal.status}`)
  if (signal.filledQuantity !== Number(bought))
    found.push(`${signal.filledQuantity} are filled by the record, ${bought} at the broker`)
  if (record.status >= 400 && entries.some((order) => isWorking(order) || isPositive(order.filled_qty)))
    found.push('it was refused, and its order is at the broker')
  if (UNDONE.has(signal.status) && entries.some(isWorking) && !isAlarmed)
    found.push(`the signal is ${signal.status}, and its order works without an alert`)

  const held = broker.books.held(symbol)
  const covered = broker.books.orders
    .filter((order) => order.symbol === symbol && order.side === 'sell' && isWorking(order))
    .reduce<Decimal>((sum, order) => add(sum, subtract(order.qty, order.filled_qty)), '0')
  if (wantsExit && isPositive(subtract(held, covered)) && !isAlarmed)
    found.push(`${held} are held, exits work for ${covered}, and no alert is open`)

  for (const { signalId: closing, status } of [{ signalId, status: record.status }, ...record.closings]) {
    const ended = await desk.shown(closing)
    if (status !== 202 || !UNDONE.has(ended.status)) continue
    const told = (await desk.alerts('all')).filter((alert) => alert.signalId === closing)
    if (told.length === 0)
      found.push(`${closing} was answered 202, ended ${ended.statusReason}, and nobody was told`)
  }
  return found
}

/** The most requests that the service has made in any minute, where that is too many. */
export function requestsBeyondBudget({ broker }: Desk): string[] {
  const at = broker.requests.map((request) => request.at)
  let first = 0
  let most = 0
  for (const [index, instant] of at.entries()) {
    while (at[first]! <= instant - MINUTE) first += 1
    most = Math.max(most, index - first + 1)
  }
  return most > REQUESTS_A_MINUTE ? [`${most} requests in a minute`] : []
}

/** The fewest shares that were held after any execution. */
function lowestOf({ broker }: Desk, symbol: string): Decimal {
  let [held, lowest]: Decimal[] = ['0', '0']
  for (const execution of broker.books.executions) {
    if (execution.symbol !== symbol) continue
    held = execution.side === 'buy' ? add(held!, execution.qty) : subtract(held!, execution.qty)
    if (compare(held, lowest!) < 0) lowest = held
  }
  return lowest!
}
