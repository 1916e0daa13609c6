import { setTimeout as sleep } from 'node:timers/promises'
import { add, compare, divideDown, isPositive, smaller, subtract, type Decimal } from '#domain/decimal.ts'
import { alpacaRejections } from '#test/brokers/alpaca-answers.ts'
import type { ScriptedAccount } from '#test/support/scripted-alpaca/account.ts'
import type { OddAnswer } from '#test/support/scripted-alpaca/answers.ts'
import { isWorking, type BookedOrder } from '#test/support/scripted-alpaca/books.ts'
import type { Desk } from '#test/stories/desk.ts'
import { ASKED, type OddAnswering, type OddLife } from './plan.ts'
import { violationsOf, type LifeRecord } from './promises.ts'

/** For so long the broker is odd, in milliseconds; after that everything has to come to a good end. */
const ODD_MS = 6_000
/** Milliseconds within which a life has to come to rest then: an exit may have just begun to wait for another try. */
const REST_MS = 75_000
/** Milliseconds between two looks. */
const LOOK_MS = 400

/** Lives a life in a symbol of its own, on a desk that nobody else uses meanwhile; answers which promises it broke. */
export async function live(desk: Desk, life: OddLife, symbol: string): Promise<string[]> {
  const { broker } = desk
  const endsOddness = makeOdd(broker, life)
  const record = await send(desk, life, symbol)
  await fill(desk, life, record)
  await go(desk, life, record)
  await sleep(500)
  endsOddness()
  const deadline = performance.now() + REST_MS
  for (;;) {
    finish(broker, symbol)
    const violations = await violationsOf(desk, record)
    if (violations.length === 0 || performance.now() > deadline) return violations
    await sleep(LOOK_MS)
  }
}

function makeOdd(broker: ScriptedAccount, { stream, odd, fills }: OddLife): () => void {
  broker.fillsAtOnce = fills === 'at once'
  if (stream === 'twice') broker.stream.pass = (event) => [event, event]
  if (stream === 'silent') broker.stream.pass = () => []
  if (stream === 'in disorder') broker.stream.delayOf = () => Math.random() * 700
  if (stream === 'unreadable')
    broker.stream.pass = (event) => [{ ...event, order: { ...(event['order'] as object), qty: 'many' } }]
  if (stream === 'not authorised') broker.stream.authorises = false
  if (stream === 'cut' || stream === 'not authorised') broker.stream.cut()
  const until = Date.now() + ODD_MS
  const ends = odd.map(({ asked, answer, times }) =>
    broker.answer({ to: ASKED[asked], times, until, ...ODD[answer] }),
  )
  return () => {
    for (const end of ends) end()
    broker.stream.pass = (event) => [event]
    broker.stream.delayOf = () => 0
    broker.stream.authorises = true
    broker.fillsAtOnce = true
  }
}

const ODD: Record<OddAnswering, OddAnswer> = {
  'not carried out, 500': { status: 500, body: { message: 'internal server error occurred' } },
  'carried out, 504': { takesEffect: true, status: 504, body: '<html>gateway timeout</html>' },
  'not carried out, cut': { status: 500, instead: 'reset' },
  'carried out, cut': { takesEffect: true, status: 500, instead: 'reset' },
  '401': { status: 401, body: alpacaRejections.unauthorised },
  '403 forbidden': { status: 403, body: alpacaRejections.keys },
  '404': { status: 404, body: alpacaRejections.notFound },
  '429': { status: 429, body: alpacaRejections.rateLimit, headers: { 'retry-after': '2' } },
  'an empty list': { status: 200, body: [] },
  'no JSON': { status: 200, body: '<html>maintenance</html>' },
  late: { delay: 1_500 },
  'too late': { delay: 4_500 },
}

async function send(desk: Desk, { size, entry, exit }: OddLife, symbol: string): Promise<LifeRecord> {
  const sized = {
    fixed: { quantity: 10 },
    dollars: { quantityType: 'dollarAmount', quantity: 1_000 },
    percent: { quantityType: 'percentEquity', quantity: 1 },
  }[size]
  const body = {
    symbol,
    sourceId: symbol,
    ...sized,
    ...(entry === 'limit' && { orderType: 'limit', limitPrice: 101 }),
    ...(exit !== 'none' && { exitTriggerType: 'immediate' }),
    ...(exit === 'at a limit' && { exitOrderType: 'limit', exitLimitPrice: 150 }),
  }
  const answer = await desk.send(body)
  const { signal, details } = answer.body
  const signalId: string | undefined = signal?.id ?? details?.[0]?.signalId
  if (signalId === undefined) throw new Error(`no signal: ${answer.status} ${JSON.stringify(answer.body)}`)
  return { symbol, signalId, status: answer.status, wantsExit: exit !== 'none', closings: [], bySite: 0 }
}

/** The entry, once it is at the broker; undefined when it does not come while the broker is odd. */
async function entryOf(desk: Desk, { signalId }: LifeRecord): Promise<BookedOrder | undefined> {
  for (const deadline = performance.now() + ODD_MS; performance.now() < deadline; await sleep(100)) {
    const [entry] = desk.orders(signalId, 'entry')
    if (entry) return entry
  }
  return undefined
}

async function fill(desk: Desk, { fills }: OddLife, record: LifeRecord): Promise<void> {
  const { broker } = desk
  const entry = await entryOf(desk, record)
  if (!entry || !isWorking(entry)) return
  const some: Decimal = smaller(entry.qty, '3')
  if (fills === 'in parts') {
    broker.fill(entry, some)
    const rest = subtract(entry.qty, entry.filled_qty)
    if (isPositive(rest)) broker.fill(entry, rest)
  } else if (fills === 'in part, then it ends') {
    broker.fill(entry, some)
    if (isWorking(entry)) broker.end(entry, 'canceled')
  } else if (fills === 'too much') broker.fill(entry, add(entry.qty, '2'))
  else if (fills === 'after its end') {
    broker.end(entry, 'canceled')
    await sleep(1_000)
    broker.fill(entry, some)
  } else if (fills === 'rejected') broker.end(entry, 'rejected')
  else if (fills === 'never') broker.end(entry, 'expired')
}

async function go(desk: Desk, { afterwards }: OddLife, record: LifeRecord): Promise<void> {
  const { broker } = desk
  const { symbol, signalId } = record
  if (afterwards === 'closed by a signal') {
    const { status, body } = await desk.send({ symbol, action: 'closeLong', quantity: 4 })
    if (status < 300) record.closings.push({ signalId: body.signal.id, status })
  } else if (afterwards === 'closed by a person') {
    await desk.ask(`/positions/${desk.accountId}/${symbol}/close`)
  } else if (afterwards === 'sold by hand') {
    const { available = '0' } = broker.books.positions().find((held) => held.symbol === symbol) ?? {}
    if (compare(available, '2') < 0) return
    record.bySite += 2
    const order = {
      symbol,
      side: 'sell',
      qty: '2',
      type: 'market',
      position_intent: 'sell_to_close',
    } as const
    broker.fill(broker.byHand(order))
  } else if (afterwards === 'replaced by hand') {
    const exit = desk.orders(signalId, 'exit').find((order) => isWorking(order) && order.type === 'limit')
    if (exit) broker.replaceByHand(exit, { limit_price: '140' }, 'only the rest')
  } else if (afterwards === 'withdrawn') await desk.api.delete(`/signals/${signalId}`)
}

/** A broker in good health fills what is to be filled at market, and in a session ends what is to end. */
function finish(broker: ScriptedAccount, symbol: string): void {
  for (const order of broker.books.orders)
    if (order.symbol === symbol && isWorking(order) && order.type === 'market') {
      const rest = subtract(order.qty, order.filled_qty)
      if (isPositive(rest)) broker.fill(order, divideDown(rest, '1', 9))
    }
}
